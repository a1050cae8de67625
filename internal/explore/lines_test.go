package explore

import (
	"path/filepath"
	"regexp"
	"testing"

	"whet/internal/analyze/lines"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/parcel"
	"whet/internal/profiles"
	"whet/internal/recording"
	"whet/internal/report/view"
	"whet/internal/symbolname"
)

// lineKinds are the kinds of cost by the profile that list reads them from.
var lineKinds = map[lines.Kind]struct{ artifact, column string }{
	lines.CPU:        {recording.KindCPU, "cpu"},
	lines.AllocBytes: {recording.KindAllocs, "alloc_space"}, lines.AllocObjects: {recording.KindAllocs, "alloc_objects"},
	lines.InUseBytes: {recording.KindHeap, "inuse_space"}, lines.InUseObjects: {recording.KindHeap, "inuse_objects"},
	lines.Mutex: {recording.KindMutex, "delay"}, lines.Block: {recording.KindBlock, "delay"},
}

// TestLinesConserve: of each kind, what lines hold and what has no line is all that
// the recording's profile has, and each line has what whet list, which is equal to
// go tool pprof -list, has for it.
func TestLinesConserve(t *testing.T) {
	compared := 0
	for _, name := range []string{"visits-service", "visits-benchmark"} {
		path := parcel.Unpack(t, filepath.Join("..", "read", "testdata", "visits.tar.zst"), name+".whet")
		m, set, err := new(profiles.Options).OpenLines(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		for kind, from := range lineKinds {
			if len(set.Recordings[0].Find(from.artifact, "")) == 0 {
				if m.Accounts[kind].Known && kind != lines.InUseBytes && kind != lines.InUseObjects { // of benchmarks at their end
					t.Errorf("%s: %v is known, and there is no profile of it", name, kind)
				}
				continue
			}
			compared++
			want := listed(t, path, from.artifact, from.column)
			got := make(map[callstack.Line]callstack.Cost)
			sum := m.Accounts[kind].Unplaced
			for _, f := range m.Functions {
				for _, l := range f.Lines {
					sum += l.Costs[kind].Flat
					if l.Costs[kind] != (callstack.Cost{}) {
						got[callstack.Line{Function: f.Name, File: f.File, Line: l.Number}] = l.Costs[kind]
					}
				}
			}
			if total := m.Accounts[kind].Total; sum != total || total != want.total || total == 0 {
				t.Errorf("%s, %v: lines and what has none sum to %d, the total is %d, list's is %d", name, kind, sum, total, want.total)
			}
			for at, cost := range want.lines {
				if got[at] != cost {
					t.Errorf("%s, %v: %v has %v, in list %v", name, kind, at, got[at], cost)
				}
			}
			if len(got) != len(want.lines) {
				t.Errorf("%s, %v: %d lines, list has %d", name, kind, len(got), len(want.lines))
			}
			for _, f := range m.Functions {
				k := callstack.Line{Function: f.Name, File: f.File}
				if f.Costs[kind] != want.functions[k] {
					t.Errorf("%s, %v: %s has %v, in list %v", name, kind, f.Name, f.Costs[kind], want.functions[k])
				}
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d kinds were compared", compared)
	}
}

// wholeList is what whet list says of a whole profile.
type wholeList struct {
	total            int64
	lines, functions map[callstack.Line]callstack.Cost
}

func listed(t *testing.T, path, kind, column string) wholeList {
	t.Helper()
	set, err := (&profiles.Options{Kind: kind}).Open(t.Context(), []string{path}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	sel, err := selection.New(set.Sources, view.ForList(selection.Options{Unit: "minimum", DivideBy: 1, SampleIndex: column}))
	if err != nil {
		t.Fatal(err)
	}
	l, err := view.NewList(sel, view.CodeOptions{Match: regexp.MustCompile("")}, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := wholeList{sel.Total, make(map[callstack.Line]callstack.Cost), make(map[callstack.Line]callstack.Cost)}
	add := func(to map[callstack.Line]callstack.Cost, at callstack.Line, flat, cum int64) {
		if flat != 0 || cum != 0 {
			to[at] = callstack.Cost{Flat: to[at].Flat + flat, Cum: to[at].Cum + cum}
		}
	}
	for _, r := range l.Routines {
		at := callstack.Line{Function: symbolname.Elide(r.Function), File: r.File} // instantiations are one function
		add(out.functions, at, r.Flat, r.Cum)
		for _, line := range r.Lines {
			at.Line = line.Number
			add(out.lines, at, line.Flat, line.Cum)
		}
	}
	return out
}
