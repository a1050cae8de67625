//go:build casebook

package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCasebookFresh measures every row of TestCasebook here and now. A row that
// does not hold is measured once more, for twice as long, and that decides: a
// share next to the threshold falls on either side of it by chance. It takes a
// quarter of an hour on a machine that does nothing else.
func TestCasebookFresh(t *testing.T) {
	whet := buildWhet(t)
	for _, r := range stageRows {
		t.Run(r.name(), func(t *testing.T) {
			whole := r.measure(t, whet, 1)
			keep(t, whole, filepath.Join(t.TempDir(), "kept.whet")) // as a new rule may read what is left out
			faults := r.faults(t, whole)
			if len(faults) > 0 {
				t.Logf("measured again: %s", strings.Join(faults, "; "))
				faults = r.faults(t, r.measure(t, whet, 2))
			}
			for _, fault := range faults {
				t.Error(fault)
			}
		})
	}
}

// TestVisitsUnderLoad: what is done while the visit counter's lock is held has
// the lock's delay for its own, and stands before the lock.
func TestVisitsUnderLoad(t *testing.T) {
	r := stageRow{study: "visits", stage: "original", way: underLoad}
	findings := diagnosisOf(t, r.measure(t, buildWhet(t), 1)).Findings
	find := func(s spot) int {
		i := slices.IndexFunc(findings, func(f diagnosisResult) bool { return r.at(t, s, f) })
		if i < 0 {
			t.Fatalf("%s is not among the findings: %v", s.rule, findings)
		}
		return i
	}
	log, lock := find(visitsLog), find(visitsLock)
	if delay := findings[lock].DelayRatio; log > lock || delay == nil || *delay < 0.05 || findings[log].DelayRatio == nil || *findings[log].DelayRatio != *delay {
		t.Errorf("findings %v", findings)
	}
}
