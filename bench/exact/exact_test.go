package main

import (
	"slices"
	"strings"
	"testing"

	"whet/bench/ledger"
)

func heapAndDelay() *testProfile {
	return &testProfile{
		types: []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space", "delay"},
		names: []string{"main.main", "runtime.mallocgc", "net/http.Serve", "main.a", "main.b", "main.c", "main.d", "main.e"},
		keys:  []string{"endpoint", "method"}, values: map[string]string{"endpoint": "/a", "method": "POST"},
		numKeys: []string{"bytes"}, numbers: map[string]int64{"bytes": 16}, base: "BASE",
	}
}

// TestEveryPairIsInTheDeck, once, and every option that is promised at least
// twice.
func TestEveryPairIsInTheDeck(t *testing.T) {
	s := heapAndDelay()
	options := table(s)
	want := 1 // no option at all
	for i, a := range options {
		for _, b := range options[i+1:] {
			if a.name != b.name && !exclude(a.name, b.name) {
				want++
			}
		}
	}
	seen, times := make(map[string]bool), make(map[string]int)
	for _, pair := range deck(s, 1) {
		key := ""
		for _, o := range pair {
			key += strings.Join(o.args, " ") + "|"
			times[o.name]++
		}
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
	}
	if len(seen) != want {
		t.Errorf("%d pairs, want %d", len(seen), want)
	}
	for _, name := range strings.Fields("cum sample_index alloc_space alloc_objects inuse_space inuse_objects mean_delay focus ignore hide show show_from prune_from tagfocus tagignore tagshow taghide tagroot tagleaf granularity nodecount nodefraction edgefraction call_tree trim unit divide_by base diff_base normalize relative_percentages noinlines symbolize source_path trim_path buildid") {
		if times[name] < 2 {
			t.Errorf("-%s is tried %d times", name, times[name])
		}
	}
	if slices.EqualFunc(deck(s, 1), deck(s, 2), func(a, b []option) bool {
		return slices.EqualFunc(a, b, func(a, b option) bool { return slices.Equal(a.args, b.args) })
	}) {
		t.Error("the seed changes nothing")
	}
}

func TestSettledKeepsFigures(t *testing.T) {
	const text = `      flat  flat%   sum%        cum   cum%
     0.10s    10%    10%      0.20s    20%  a
     0.10s    10%    20%      0.20s    20%  b
`
	const other = `      flat  flat%   sum%        cum   cum%
     0.10s    10%    10%      0.20s    20%  b
     0.10s    10%    20%      0.20s    20%  a
`
	if settled(text) != settled(other) {
		t.Error("the order of equals counts")
	}
	for _, wrong := range []string{strings.Replace(text, "0.20s", "0.21s", 1), strings.Replace(text, "  b", "  c", 1), strings.Replace(text, "0.10s    10%    20%", "0.11s    11%    21%", 1)} {
		if settled(text) == settled(wrong) {
			t.Errorf("no difference:\n%s", wrong)
		}
	}
	const graph = "digraph \"x\" {\nN1 [label=\"a\" id=\"node1\"]\nN2 [label=\"b\" id=\"node2\"]\nN1 -> N2 [label=\" 3\"]\n}\n"
	const renumbered = "digraph \"x\" {\nN1 [label=\"b\" id=\"node1\"]\nN2 [label=\"a\" id=\"node2\"]\nN2 -> N1 [label=\" 3\"]\n}\n"
	if settled(graph) != settled(renumbered) {
		t.Error("the numbers of nodes count")
	}
	for _, wrong := range []string{strings.Replace(graph, "N1 -> N2", "N2 -> N1", 1), strings.Replace(graph, " 3", " 4", 1), strings.Replace(graph, `"b"`, `"c"`, 1)} {
		if settled(graph) == settled(wrong) {
			t.Errorf("no difference:\n%s", wrong)
		}
	}
}

func TestCleanLeavesFigures(t *testing.T) {
	const theirs = "(pprof) (pprof) Type: cpu\nN1 -> N0 [label=\"1\"]\nN1 -> N2 [label=\"1\"]\n"
	if got := clean(theirs, true); got != "Type: cpu\nN1 -> N2 [label=\"1\"]\n" {
		t.Errorf("%q", got)
	}
	if got := clean("Warning: few samples\nType: cpu\n\n", false); got != "Type: cpu\n" {
		t.Errorf("%q", got)
	}
}

func TestUnnumberedKeepsStacks(t *testing.T) {
	const text = "Samples:\ncount\n          1: 1 2 2 \n          2: 3 2 \nLocations\n     1: 0x10 M=1 a\n     2: 0x20 M=1 b\n     3: 0x30 M=1 c\nMappings\n1: 0x0/0x1/0x0  \n"
	const other = "Samples:\ncount\n          1: 7 9 9 \n          2: 8 9 \nLocations\n     7: 0x10 M=1 a\n     8: 0x30 M=1 c\n     9: 0x20 M=1 b\nMappings\n1: 0x0/0x1/0x0  \n"
	if unnumbered(text) != unnumbered(other) {
		t.Errorf("the numbers count:\n%s\n%s", unnumbered(text), unnumbered(other))
	}
	for _, wrong := range []string{strings.Replace(other, "7 9 9 ", "7 9 ", 1), strings.Replace(other, "7 9 9 ", "7 8 9 ", 1), strings.Replace(other, "          2:", "          3:", 1), strings.Replace(other, "0x30", "0x31", 1), strings.Replace(other, "M=1 c", "M=2 c", 1)} {
		if unnumbered(text) == unnumbered(wrong) {
			t.Errorf("no difference:\n%s", wrong)
		}
	}
}

func TestEarlierPartsAreKept(t *testing.T) {
	dir := t.TempDir()
	part := func(cells ...Cell) {
		t.Helper()
		e := ledger.Begin[[]Cell]("bench/exact")
		e.Samples = cells
		if err := save(e, dir); err != nil {
			t.Fatal(err)
		}
	}
	part(Cell{Profile: "a", View: "top", Samples: 1}, Cell{Profile: "b", View: "top", Samples: 2})
	part(Cell{Profile: "b", View: "top", Samples: 3}, Cell{Profile: "a", View: "dot", Samples: 4})
	e, err := ledger.Load[[]Cell](dir, "exact")
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, c := range e.Samples {
		got = append(got, c.Samples)
	}
	if !slices.Equal(got, []int{4, 1, 3}) { // a's dot, a's top, b's top
		t.Errorf("%v", got)
	}
}
