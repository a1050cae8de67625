package load

import (
	"strings"
	"testing"
	"time"

	"whet/internal/loadresult"
)

// First stands what took most of the service times in all, whatever its place in
// the list, with its share and its mean.
func TestTargetRows(t *testing.T) {
	run := Run{Result: &loadresult.Result{}, Plan: loadresult.Plan{TargetNames: []string{"GET /a", "GET /b"}}}
	// 2.7 s of 9 s in 27,000 requests, 6.3 s in 3,000 of which one has no time.
	run.Result.Targets = []loadresult.Target{{}, {Requests: 27_000, Timed: 27_000, Service: 2_700 * time.Millisecond}, {Requests: 3001, Errors: 4, Timed: 3000, Service: 6_300 * time.Millisecond}}
	rows, left := targetRows(&run, 10)
	var got []string
	for _, r := range rows {
		got = append(got, r.Name+": "+strings.Join(r.Cells, ", "))
	}
	want := "target 3: 3,001, 4, 2.10 ms, 70.0 %; GET /b: 27,000, none, 100 µs, 30.0 %; GET /a: 0, none, –, 0 %"
	if s := strings.Join(got, "; "); s != want || left != 0 {
		t.Errorf("%s and %d more, want %s", s, left, want)
	}
	if rows, left := targetRows(&run, 1); len(rows) != 1 || left != 2 {
		t.Errorf("of three %d are shown and %d are left", len(rows), left)
	}
	run.Result.Targets = make([]loadresult.Target, 2) // nothing was sent
	if rows, _ := targetRows(&run, 10); len(rows) != 2 || rows[0].Cells[3] != "–" {
		t.Errorf("of no requests: %v", rows)
	}
	run.Result.Targets = run.Result.Targets[:1]
	if rows, _ := targetRows(&run, 10); rows != nil {
		t.Error("a single target is no mix")
	}
}
