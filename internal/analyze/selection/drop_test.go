package selection

import (
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// TestDropFrames has what the recorder asked to drop worked out by hand, on
// stacks written leaf first; an inlined frame ends in "!".
func TestDropFrames(t *testing.T) {
	for _, c := range []struct{ stack, want string }{
		{"drop.b<drop.a<user<main", "user<main"},
		{"x<drop.a<y<drop.b<main", "main"},      // the match nearest to the root decides
		{"drop.a<drop.b", "drop.a<drop.b"},      // at the root: spared
		{"x<drop.a<drop.b", "x<drop.a<drop.b"},  // no user frame before it: spared
		{"keep.a<main", "keep.a<main"},          // drop.* matches keep.* by (drop|keep), KeepFrames saves it
		{"x!<drop.a!<user<main", "user<main"},   // inside a location: its outer frames stay
		{"x!<drop.a!<user", "user"},             // also at the root
		{"y<x!<drop.a!<user", "y<user"},         // where nothing under it goes
		{"y<x!<drop.a!<user<main", "user<main"}, // but otherwise does
		{"drop.a(int)<main", "main"},            // arguments are not part of the name
		{"plain<main", "plain<main"},            //
		{"(anonymous namespace).x<main", "(anonymous namespace).x<main"},
	} {
		b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"})
		var stack []callstack.LocationID
		var lines []callstack.SourceLine // of a location, innermost first
		for name := range strings.SplitSeq(c.stack, "<") {
			name, inlined := strings.CutSuffix(name, "!")
			lines = append(lines, callstack.SourceLine{Function: b.Function(callstack.Function{Name: name})})
			if !inlined {
				stack = append(stack, b.Location(callstack.NoMapping, 0, false, lines...))
				lines = nil
			}
		}
		b.Add(stack, nil, 5)
		p := b.Profile()
		p.DropFrames, p.KeepFrames = `(drop|keep)\..*`, `keep\..*`
		s, err := New([]Source{{Profile: p}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := s.Walk()
		if !w.Next() || w.Value != 5 {
			t.Errorf("%s: value %d, want 5", c.stack, w.Value)
		}
		want := strings.Split(strings.ReplaceAll(c.want, "!", ""), "<")
		slices.Reverse(want)
		var got []string
		for _, step := range w.Path {
			got = append(got, s.Nodes[step.Node].Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: root first %q, want %q", c.stack, got, want)
		}
		if s, err = New([]Source{{Profile: p}}, Options{AllFrames: true}); err != nil {
			t.Fatal(err)
		}
		if w = s.Walk(); !w.Next() || len(w.Path) != strings.Count(c.stack, "<")+1 {
			t.Errorf("%s: %d of its frames with all asked for", c.stack, len(w.Path))
		}
	}
}

// TestDropsWhatPprofDrops has lists that drop something of real profiles, and
// not all of it.
func TestDropsWhatPprofDrops(t *testing.T) {
	dropped := 0
	for name, every := range map[string]int{"httpsrv_labels.cpu.pb.gz": 7, "http.allocs.pb.gz": 1} {
		_, g := thinned(t, name, every)
		for _, c := range []struct{ drop, keep string }{
			{`runtime\..*`, ""},
			{`runtime\..*`, `runtime\.(main|mallocgc.*)`},
			{`.*\.mallocgc|.*\.nextFreeFast|runtime\.newobject`, ""},
			{`net/http\.|encoding/json\..*`, `encoding/json\.`}, // cut at "(": receivers are no part of the name
			{`.*`, `runtime\.goexit`},
		} {
			g.DropFrames, g.KeepFrames = c.drop, c.keep
			p := read(t, g)
			all, err := New([]Source{{Profile: p}}, Options{AllFrames: true})
			if err != nil {
				t.Fatal(err)
			}
			some, err := New([]Source{{Profile: p}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if steps(some) < steps(all) {
				dropped++
			}
			for _, o := range []Options{{}, {Granularity: "lines"}, {AllFrames: true}} {
				same(t, map[string]*google.Profile{"p": g}, map[string]Role{"p": Measured}, []Source{{Profile: p}}, o)
			}
		}
	}
	if dropped < 5 {
		t.Errorf("only %d lists dropped anything", dropped)
	}
}

// steps counts the frames of all stacks.
func steps(s *Selection) (n int) {
	for w := s.Walk(); w.Next(); {
		n += len(w.Path)
	}
	return n
}
