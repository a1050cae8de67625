package page

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var unit1 = Scale{Low: 0, High: 1}

// A path worked out by hand: 1440 by 200 units for 10 s and values up to 100.
func TestPath(t *testing.T) {
	sec := func(s ...float64) []int64 {
		var out []int64
		for _, v := range s {
			out = append(out, int64(v*1e9))
		}
		return out
	}
	nan := math.NaN()
	for name, c := range map[string]struct {
		times  []int64
		values []float64
		want   string
	}{
		"a line":                    {sec(0, 5, 10), []float64{0, 50, 100}, "M0 200h0L720 100L1440 0"},
		"an unknown value is a gap": {sec(0, 1, 2, 3, 4), []float64{0, 0, nan, 100, 100}, "M0 200h0L144 200M432 0h0L576 0"},
		"infinity is unknown":       {sec(0, 1, 2), []float64{0, math.Inf(1), 0}, "M0 200h0M288 200h0"},
		"a hole is a gap":           {sec(0, 1, 2, 3, 9, 10), []float64{0, 0, 0, 0, 0, 0}, "M0 200h0L144 200L288 200L432 200M1296 200h0L1440 200"},
		"one late row is none":      {sec(0, 1, 2, 3, 7), []float64{0, 0, 0, 0, 0}, "M0 200h0L144 200L288 200L432 200L1008 200"},
		"order of time":             {sec(10, 0, 5), []float64{100, 0, 50}, "M0 200h0L720 100L1440 0"},
		"nothing":                   {nil, nil, ""},
		"nothing known":             {sec(1, 2), []float64{nan, nan}, ""},
		"a value alone":             {sec(5), []float64{100}, "M720 0h0"},
		"fewer values than times":   {sec(0, 5, 10), []float64{0}, "M0 200h0"},
		"outside the scale":         {sec(0, 10), []float64{-5, 500}, "M0 200h0L1440 0"},
	} {
		if got := path(&Line{Samples: Pairs(c.times, c.values)}, Axis{0, 10e9}, Scale{0, 100, false}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

var pathNumber = regexp.MustCompile(`[ML](\d+) (\d+)`)

// Thinning keeps every column's least and greatest value, in at most two points
// a column, whatever the samples are; checked against a second way to get them.
func TestThinningKeepsExtremes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(r, "n")
		unknown := rapid.IntRange(0, 3).Draw(r, "unknown")
		values := rapid.SliceOfN(rapid.IntRange(0, 200), n, n).Draw(r, "values")
		x := Axis{0, float64(n)}
		var samples []Sample
		type extremes struct{ least, most int }
		want := make(map[int]extremes)
		for i, v := range values {
			s := Sample{int64(i), float64(v)}
			if unknown > 0 && v%7 < unknown {
				s.V = math.NaN()
			} else {
				column := int(float64(i) / float64(n) * chartColumns)
				e, ok := want[column]
				if !ok {
					e = extremes{v, v}
				}
				want[column] = extremes{min(e.least, v), max(e.most, v)}
			}
			samples = append(samples, s)
		}
		got := make(map[int]extremes)
		points := pathNumber.FindAllStringSubmatch(path(&Line{Samples: samples}, x, Scale{0, 200, false}), -1)
		if len(points) > 2*chartColumns {
			r.Fatalf("%d points", len(points))
		}
		last := 0
		for _, m := range points {
			px, _ := strconv.Atoi(m[1])
			py, _ := strconv.Atoi(m[2])
			if px < last {
				r.Fatalf("the line goes back from %d to %d", last, px)
			}
			last = px
			// A point is drawn to half a column: find the sample it came from.
			v, found := ChartY-py, false
			for _, column := range []int{px / 2, px/2 - 1} {
				if e, ok := want[column]; ok && (e.least == v || e.most == v) {
					g, seen := got[column]
					if !seen {
						g = extremes{v, v}
					}
					got[column], found = extremes{min(g.least, v), max(g.most, v)}, true
				}
			}
			if !found {
				r.Fatalf("a point at %d of value %d is no column's least or greatest", px, v)
			}
		}
		for column, e := range want {
			if g, ok := got[column]; !ok || g.least > e.least || g.most < e.most {
				r.Fatalf("column %d holds %v, drawn %v", column, e, g)
			}
		}
	})
}

// A gap wider than a column is never bridged, and one inside a column never
// breaks the line.
func TestThinnedGaps(t *testing.T) {
	var samples []Sample
	for i := range 100_000 {
		s := Sample{int64(i), 1}
		if i >= 30_000 && i < 31_000 || i == 60_010 {
			s.V = math.NaN()
		}
		samples = append(samples, s)
	}
	got := path(&Line{Samples: samples}, Axis{0, 100_000}, unit1)
	if n := strings.Count(got, "M"); n != 2 {
		t.Errorf("%d pieces, want 2: 1,000 unknown of 100,000 are 7 of %d columns, one is none", n, chartColumns)
	}
	if !strings.Contains(got, "M446 0") { // 31,000 of 100,000 of 1440
		t.Error("the line does not begin again where values are known again")
	}
}

func TestScales(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		unit        string
		log         bool
		labels      string
	}{
		{0.2, 1.9, "cores", false, "2@0 0@100"},
		{0, 0, "count", false, "1@0 0@100"},
		{10 << 20, 14 << 20, "bytes", false, "15 MiB@0 0@100"},
		{0, 1023, "bytes", false, "1 KiB@0 0@100"},
		{0, 3 << 30, "bytes per second", false, "3 GiB/s@0 0@100"},
		{-30, 60, "count", false, "60@0 0@66.67 -30@100"},
		{-5, -1, "count", false, "0@0 0@0 -5@100"},
		{2e6, 4e8, "nanoseconds", true, "1 s@0 100 ms@33.33 10 ms@66.67 1 ms@100"},
		{5e6, 5e6, "nanoseconds", true, "10 ms@0 1 ms@100"},
		{1e6, 1e6, "nanoseconds", true, "10 ms@0 1 ms@100"},
	} {
		y := Linear(c.least, c.most, c.unit)
		if c.log {
			y = Logarithmic(c.least, c.most)
		}
		var got []string
		for _, g := range y.Grid(c.unit) {
			got = append(got, g.Label+"@"+g.At)
		}
		if s := strings.Join(got, " "); s != c.labels {
			t.Errorf("%g to %g %s: %q, want %q", c.least, c.most, c.unit, s, c.labels)
		}
	}
	// Every scale holds its values, also at the ends of what numbers can be.
	for _, v := range []float64{5e-324, 1e-9, 0.1, 1, 1000, 1023, 1 << 40, 1e300, math.MaxFloat64} {
		for _, y := range []Scale{Linear(0, v, "count"), Linear(0, v, "bytes"), Linear(-v, 0, "count"), Linear(v, v, "bytes per second")} {
			for _, at := range []float64{y.At(0), y.At(v), y.At(-v)} {
				if !(at >= 0 && at <= 1) {
					t.Errorf("scale %+v of %g: %g", y, v, at)
				}
			}
			if y.High < v && y.Low > -v {
				t.Errorf("scale %+v does not hold %g", y, v)
			}
		}
	}
	if at := Logarithmic(1, 1000).At(10); math.Abs(at-1.0/3) > 1e-12 {
		t.Errorf("10 between 1 and 1000 stands at %g", at)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{
		{5.5e9, 26.5e9, "10 s@21.43 15 s@45.24 20 s@69.05 25 s@92.86"},
		{0, 2.3e9, "0 s@0 0.5 s@21.74 1 s@43.48 1.5 s@65.22 2 s@86.96"},
		{0, 3600e9, "0 s@0 1000 s@27.78 2000 s@55.56 3000 s@83.33"},
		{0, 1e6, "0 s@0 0.0002 s@20 0.0004 s@40 0.0006 s@60 0.0008 s@80 0.001 s@100"},
		{7, 7, ""},
		{math.Inf(1), math.Inf(-1), ""},
	} {
		var got []string
		for _, k := range (Axis{c.from, c.to}).Ticks() {
			got = append(got, k.Label+"@"+k.At)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%g to %g: %q, want %q", c.from, c.to, s, c.want)
		}
	}
	if n := len((Axis{math.MinInt64, math.MaxInt64}).Ticks()); n == 0 || n > 2*ChartTicks {
		t.Errorf("%d ticks for all of time", n)
	}
}

// Two values are no course: a sentence says them, and three are one.
func TestFewValuesAreASentence(t *testing.T) {
	x := Axis{0, 10e9}
	samples := func(n int) []Line {
		var out []Sample
		for i := range n {
			out = append(out, Sample{int64(i) * 1e9, float64(i + 2)})
		}
		return []Line{{Samples: out}}
	}
	for n, want := range []struct{ charts, few int }{{0, 0}, {0, 1}, {0, 1}, {1, 0}} {
		var v Timeline
		v.Draw("goroutines", "count", "", "low", false, x, samples(n))
		if len(v.Charts) != want.charts || len(v.Few) != want.few || len(v.Figures) != 1 {
			t.Errorf("%d values: %d charts, %q", n, len(v.Charts), v.Few)
		}
		if n == 2 && v.Few[0] != "Goroutines over time: 2 to 3: 2 values, too few for a chart." {
			t.Errorf("%q", v.Few[0])
		}
	}
}
