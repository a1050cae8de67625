package read

import (
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/recording"
	runreport "whet/internal/report/run"
)

// A service that waits for locks, with no mutex profile, has a verdict that says what
// the rules lack.
func TestLocksWithoutMutexProfile(t *testing.T) {
	for kind, says := range map[diagnose.VerdictKind]bool{diagnose.LockBound: true, diagnose.CPUBound: false} {
		page := &runreport.Page{NotAsked: []string{"x: lock-held and lock-contention were not asked: no mutex profile was recorded"}}
		page.Verdict.Kind = string(kind)
		a := &Reading{rec: &recording.Recording{}}
		a.addRun(page)
		if strings.Contains(page.Verdict.Text, "no mutex profile") != says {
			t.Errorf("%s: %q", kind, page.Verdict.Text)
		}
	}
}
