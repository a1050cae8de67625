package havlaktest

import (
	"testing"

	"whet/casebook/havlak"
)

// Find measures a stage's analysis of the small graph.
func Find(b *testing.B, stage havlak.New) {
	g := Small()
	f := stage(g)
	want := ByArithmetic(1, 10)
	var last havlak.Forest
	b.ReportAllocs()
	for b.Loop() {
		last = f.Find()
		if last.Len() != len(want.Loops) {
			b.Fatalf("%d loops, want %d", last.Len(), len(want.Loops))
		}
	}
	if got, err := See(last, g.Blocks()); err != nil || !got.Equal(want) {
		b.Fatalf("what was found last is wrong, %v", err)
	}
}

// Allocs returns a stage's allocations per call on the small graph.
func Allocs(stage havlak.New) float64 {
	f := stage(Small())
	return testing.AllocsPerRun(20, func() { f.Find() })
}
