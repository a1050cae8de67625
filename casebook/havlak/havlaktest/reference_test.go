package havlaktest

import (
	"iter"
	"slices"
	"testing"

	"whet/casebook/havlak"
)

// The references find what is written out, and what arithmetic says.
func TestReferences(t *testing.T) {
	for _, r := range table {
		g, want := Graph(r.blocks, r.edges), r.want()
		if got := ByDefinition(g); !got.Equal(want) {
			t.Errorf("%s: by definition %+v, written out %+v", r.what, got, want)
		}
		reducible := !slices.ContainsFunc(want.Loops, func(l havlak.Loop) bool { return l.Irreducible })
		if got, ok := ByDominators(g); ok != reducible || ok && !got.Equal(want) {
			t.Errorf("%s: by dominators %+v, %v; written out %+v", r.what, got, ok, want)
		}
	}
	g, err := havlak.Nested(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := ByArithmetic(2, 1)
	if got := ByDefinition(g); !got.Equal(want) {
		t.Errorf("the graph of the case is %+v by definition, %+v by arithmetic", got, want)
	}
	if got, ok := ByDominators(g); !ok || !got.Equal(want) {
		t.Errorf("the graph of the case is %+v, %v by dominators, %+v by arithmetic", got, ok, want)
	}
}

// fake is a forest made up.
type fake struct {
	havlak.Forest
	loops  []havlak.Loop
	blocks [][2]int
	len    int
}

func (f fake) Len() int { return f.len }

func (f fake) Loops() iter.Seq[havlak.Loop] { return slices.Values(f.loops) }

func (f fake) Blocks() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, b := range f.blocks {
			if !yield(b[0], b[1]) {
				return
			}
		}
	}
}

// See sees what a map of loops would hide.
func TestSeeRefuses(t *testing.T) {
	top, one := havlak.Loop{Header: root, Parent: root, Level: 1}, havlak.Loop{Header: 1, Parent: root, Depth: 1}
	for _, tt := range []struct {
		f    fake
		want string
	}{
		{fake{loops: []havlak.Loop{top, one}, len: 2, blocks: [][2]int{{1, 1}, {0, 1}}}, ""},
		{fake{loops: []havlak.Loop{top, one}, len: 3}, "2 loops are there, Len is 3"},
		{fake{loops: []havlak.Loop{one, top, one}, len: 3}, "the loop of 1 is there twice"},
		{fake{loops: []havlak.Loop{top, one}, len: 2, blocks: [][2]int{{1, 1}, {1, 1}}}, "block 1 is there twice: in the loops of 1 and of 1"},
		{fake{loops: []havlak.Loop{top, one}, len: 2, blocks: [][2]int{{2, 1}}}, "block 2 is in the loop of 1: there are 2 blocks"},
		{fake{loops: []havlak.Loop{top, one}, len: 2, blocks: [][2]int{{-1, 1}}}, "block -1 is in the loop of 1: there are 2 blocks"},
		{fake{loops: []havlak.Loop{top, one}, len: 2, blocks: [][2]int{{1, 0}}}, "block 1 is in the loop of 0, which is not there"},
		{fake{loops: []havlak.Loop{top, one}, len: 2, blocks: [][2]int{{1, root}}}, "block 1 is in the loop of -1, which is not there"},
	} {
		got := ""
		if _, err := See(tt.f, 2); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.f, got, tt.want)
		}
	}
}
