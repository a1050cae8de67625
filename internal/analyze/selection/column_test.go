package selection

import (
	"slices"
	"testing"

	"whet/internal/callstack"
)

// Sums of one column of several profiles are those that all columns would give.
func TestInColumn(t *testing.T) {
	types := []callstack.ValueType{{Type: "n", Unit: "count"}, {Type: "space", Unit: "bytes"}}
	profile := func(rows ...[2]int64) *callstack.Profile {
		b := callstack.NewBuilder(types...)
		for i, row := range rows {
			b.AddFrames([]callstack.Frame{{Function: string(rune('a' + i))}, {Function: "main"}}, nil, row[0], row[1])
		}
		b.Profile().DefaultType = 1
		return b.Profile()
	}
	sources := []Source{
		{profile([2]int64{1, 10}, [2]int64{2, 0}, [2]int64{3, 5}), Measured},
		{profile([2]int64{4, 7}, [2]int64{0, 9}, [2]int64{3, 5}), Base},
	}
	for _, o := range []Options{{}, {SampleIndex: "n"}, {SampleIndex: "1"}, {Mean: true}} {
		var got [2][]int64
		var totals [2]int64
		for i, sums := range []bool{false, true} {
			o.SumsOnly = sums
			s, err := New(slices.Clone(sources), o)
			if err != nil {
				t.Fatal(err)
			}
			if sums && s.Samples != 6 {
				t.Errorf("%+v: %d samples of the files, want 6", o, s.Samples)
			}
			for w := s.Walk(); w.Next(); {
				got[i] = append(got[i], int64(s.Nodes[w.Path[len(w.Path)-1].Node].Name[0]), w.Value, w.Divisor)
			}
			totals[i] = s.Total
		}
		if !slices.Equal(got[0], got[1]) || totals[0] != totals[1] {
			t.Errorf("%+v: %v of %d, all columns give %v of %d", o, got[1], totals[1], got[0], totals[0])
		}
	}
}
