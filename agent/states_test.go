//go:build go1.26

package agent

import (
	"testing"
)

// Goroutines and heap of two earlier moments are kept, the last two, beside
// those of the end.
func TestStatesOfEarlierMoments(t *testing.T) {
	dir := t.TempDir()
	a := begun(t, settings{dir: dir, continuous: quick()})
	for range 3 {
		if err := a.continuous.do(t.Context(), a.continuous.writeStates); err != nil {
			t.Fatal(err)
		}
	}
	a.Stop()
	before := make(map[string][]int64)
	end := make(map[string]int64)
	for _, f := range reportIn(t, dir).Files {
		switch {
		case f.Part == partBefore:
			checkProfile(t, f.Name, readFile(t, dir, f.Name))
			before[f.Kind] = append(before[f.Kind], f.StartNs)
		case f.Part != "":
			t.Errorf("%s: part %q", f.Name, f.Part)
		case f.Kind == "goroutine" || f.Kind == "heap":
			end[f.Kind] = f.StartNs
		}
	}
	for _, kind := range []string{"goroutine", "heap"} {
		if b := before[kind]; len(b) != 2 || b[0] == b[1] || max(b[0], b[1]) > end[kind] {
			t.Errorf("%s: taken at %v, and %d at the end", kind, b, end[kind])
		}
	}
	if len(before) != 2 {
		t.Errorf("earlier moments of %v", before)
	}
}
