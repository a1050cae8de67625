package read

import (
	"strings"
	"testing"

	"whet/internal/diagnose"
	loadformat "whet/internal/format/load"
	"whet/internal/recording"
	runreport "whet/internal/report/run"
)

// Of a service that waits for locks, with no mutex profile, a warning says what the
// rules lack, and the verdict stays as short as it is.
func TestLocksWithoutMutexProfile(t *testing.T) {
	for kind, says := range map[diagnose.VerdictKind]bool{diagnose.LockBound: true, diagnose.CPUBound: false} {
		page := &runreport.Page{NotAsked: []string{"x: lock-held and lock-contention were not applied: no mutex profile was recorded"}}
		page.Verdict.Kind, page.Verdict.Text = string(kind), "It waits"
		a := &Reading{rec: &recording.Recording{}}
		a.addRun(page)
		if page.Verdict.Text != "It waits" {
			t.Errorf("%s: verdict %q", kind, page.Verdict.Text)
		}
		if strings.Contains(strings.Join(a.warnings, "\n"), "no mutex profile for the rules of locks: let whet build and start") != says {
			t.Errorf("%s: warnings %q", kind, a.warnings)
		}
	}
}

// Of a service without instruments a warning says how to get them, and not the verdict.
func TestServiceWithoutInstruments(t *testing.T) {
	a := &Reading{rec: &recording.Recording{}, service: &loadformat.Service{Instruments: "none"}, courses: []*course{{}}}
	a.rec.Unknown = []recording.Unknown{{What: "where the time goes", Why: "connection refused", How: "start it through whet"}}
	page := &runreport.Page{Verdict: runreport.Verdict{Text: "No CPU profile"}}
	a.addRun(page)
	if page.Verdict.Text != "No CPU profile" || len(a.warnings) != 1 || a.warnings[0] != "where the time goes is unknown: start it through whet" {
		t.Errorf("verdict %q, warnings %q", page.Verdict.Text, a.warnings)
	}
}
