package compare

import (
	"math"
	"testing"

	"whet/internal/stat"
)

// A round's difference is the median of the averages of its turns' differences: of .1,
// .2 and .6 the averages are .1, .15, .2, .35, .4 and .6, whose median is .275.
func TestCenterOfTurns(t *testing.T) {
	j := &judge{nulls: map[int]*stat.SignedRanks{}}
	center := func(turns []float64) float64 { return stat.NewDifferences(turns, j.null(len(turns))).Center() }
	if got := center([]float64{0.6, 0.1, 0.2}); math.Abs(got-0.275) > 1e-15 {
		t.Errorf("%v, want 0.275", got)
	}
	if got := center([]float64{-0.6, -0.1, -0.2}); got != -center([]float64{0.6, 0.1, 0.2}) {
		t.Errorf("%v of the negated differences", got)
	}
	turn := func(old, new, again float64, of Side) Turn {
		return Turn{Old: Slice{"x": old}, New: Slice{"x": new}, Again: Slice{"x": again}, AgainOf: of}
	}
	// What is common to a turn cancels: old is twice as slow in each, by one of its slices
	// and by the mean of the logarithms of two.
	r := Round{Turn: turn(2, 1, 2, Old), More: []Turn{turn(200, 50, 200, New), turn(14, 7, 14, Old)}}
	for i, d := range r.observe("x").turns {
		if math.Abs(d-math.Log(2)) > 1e-15 {
			t.Errorf("turn %d: %v, want log 2", i, d)
		}
	}
}
