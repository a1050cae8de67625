package load

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func searchJSON(t testing.TB, s *Search) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSearchJSON(&b, s, Files{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The page of a recorded search is that of the search.
func TestReadSearch(t *testing.T) {
	want := searched()
	beyond := want.Growth[0] // a knee of one client is profiled beyond it
	beyond.LowLevel, beyond.HighLevel = beyond.HighLevel, 4*beyond.HighLevel
	want.Growth = append(want.Growth, beyond)
	got, err := ReadSearch(searchJSON(t, want))
	if err != nil {
		t.Fatal(err)
	}
	if got.SLO != want.SLO || len(got.Found) != len(want.Found) {
		t.Fatalf("%+v", got)
	}
	if d := cmp.Diff(want.Growth, got.Growth, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	for i := range want.Found {
		if w, g := &want.Found[i], &got.Found[i]; g.Invalid != w.Invalid || !slices.Equal(g.Warnings, w.Warnings) {
			t.Errorf("search %d is not valid for %q and warns of %q", i, g.Invalid, g.Warnings)
		}
		a, b := &want.Found[i], &got.Found[i]
		if (a.Law == nil) != (b.Law == nil) {
			t.Fatalf("search %d: its law is %v", i, b.Law != nil)
		}
		if a.Law != nil && math.Abs(a.Law.At(7)/b.Law.At(7)-1) > 1e-12 {
			t.Errorf("search %d: %v at 7, want %v", i, b.Law.At(7), a.Law.At(7))
		}
		if d := cmp.Diff(a.Levels, b.Levels); d != "" {
			t.Errorf("search %d: %s", i, d)
		}
		if d := cmp.Diff(newKneeView("", a), newKneeView("", b), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("search %d: %s", i, d)
		}
	}
	for _, bad := range []string{
		"", "{}", `{"schema":"whet/load/1"}`, `{"schema":"whet/knee/1","rate":{"levels":[{"level":1}]}}`,
		`{"schema":"whet/knee/1","rate":{"levels":[{"level":0,"runs":[{}]}]}}`, `{"schema":"whet/knee/1","rate":{"levels":[{"level":5e-324,"runs":[{}]}]}}`,
		`{"schema":"whet/knee/1","throughput":{"levels":[{"level":1,"throughput_per_s":-1,"runs":[{}]}]}}`,
	} {
		if s, err := ReadSearch([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, s)
		}
	}
}

// What is read is written as it was read, and can be drawn.
func FuzzReadSearch(f *testing.F) {
	f.Add(searchJSON(f, searched()))
	f.Add([]byte(`{"schema":"whet/knee/1","throughput":{"at":2,"law":{},"plateau":{"per_s":1},"unstable":[1,2],"levels":[{"level":2,"runs":[{"p99_ns":5}]}]},"growth":[{"functions":[{}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSearch(data)
		if err != nil {
			return
		}
		once := searchJSON(t, s)
		again, err := ReadSearch(once)
		if err != nil {
			t.Fatal(err)
		}
		if twice := searchJSON(t, again); !bytes.Equal(once, twice) {
			t.Errorf("%s\nthen\n%s", once, twice)
		}
		for i := range s.Found {
			k := &s.Found[i]
			if v := newKneeView("", k); len(v.Points) != min(len(k.Levels), kneeLevels) {
				t.Errorf("%d of %d levels", len(v.Points), len(k.Levels))
			}
		}
	})
}
