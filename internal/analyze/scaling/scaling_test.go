package scaling

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*max(1, math.Abs(b)) }

// A power is found exactly, and what does not grow is flat.
func TestPowers(t *testing.T) {
	for _, power := range []float64{0, 0.5, 1, 1.5, 2, 3} {
		var all []Measured
		for _, n := range []float64{10, 100, 1000, 10000} {
			all = append(all, Measured{fmt.Sprintf("BenchmarkSort/n=%g/random", n), 7 * math.Pow(n, power), 16 * n, 1})
		}
		all = append(all, Measured{"BenchmarkOther", 1, 1, 1})
		got := Families(all)
		if len(got) != 1 {
			t.Fatalf("%v", got)
		}
		f := got[0]
		if f.Name != "BenchmarkSort/n=…/random" || f.Parameter != "n" || len(f.Points) != 4 {
			t.Errorf("%+v", f)
		}
		if g := f.Time; !near(g.Exponent, power) || !near(g.Low, power) || !near(g.High, power) || !near(g.Last, power) || g.Bends() || g.Flat() != (power == 0) {
			t.Errorf("power %v: %+v", power, g)
		}
		if !near(f.Bytes.Exponent, 1) || !f.Allocs.Flat() {
			t.Errorf("bytes %+v, allocations %+v", f.Bytes, f.Allocs)
		}
	}
}

// The slope and its interval of three points, by hand. With x = −h, 0, h about the
// middle and y = 0, d, 2s about theirs, b = s/h; the distances to the line are
// (−e, 2e, −e)/… with e = (d − s)/3, their squares sum to 6e². One degree of
// freedom: t = tan(0.475·π) = 12.7062…
func TestByHand(t *testing.T) {
	h := math.Log(10.0)
	s, d := 1.1*h, 1.1*h+0.03
	all := []Measured{{Name: "BenchmarkX/10", Ns: 1}, {Name: "BenchmarkX/100", Ns: math.Exp(d)}, {Name: "BenchmarkX/1000", Ns: math.Exp(2 * s)}}
	g := Families(all)[0].Time
	e := (d - s) / 3
	half := math.Tan(0.475*math.Pi) * math.Sqrt(6*e*e/(2*h*h))
	if !near(g.Exponent, 1.1) || math.Abs(g.High-g.Exponent-half) > 1e-9 || math.Abs(g.Exponent-g.Low-half) > 1e-9 {
		t.Errorf("%+v, want 1.1 ± %v", g, half)
	}
}

// Of a cost with a fixed part the slope of the largest sizes differs from that of all:
// log10(1005000/105000).
func TestFixedPart(t *testing.T) {
	var all []Measured
	for _, n := range []float64{1, 10, 100, 1000, 10000, 100000, 1000000} {
		all = append(all, Measured{Name: fmt.Sprintf("BenchmarkRead/%gB", n), Ns: 5000 + n})
	}
	g := Families(all)[0].Time
	if !g.Bends() || !near(g.Last, math.Log10(1005000.0/105000)) {
		t.Errorf("%+v", g)
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		names     string
		want      string
		parameter string
		last      float64
	}{
		{"Sort/1k Sort/10k Sort/1M", "Sort/…", "n", 1e6},
		{"Sort/1KiB Sort/64KiB Sort/1MiB", "Sort/…", "n", 1 << 20},
		{"Sort/size=1e2 Sort/size=1e3 Sort/size=1e4", "Sort/size=…", "size", 1e4},
		{"BenchmarkFib10 BenchmarkFib20 BenchmarkFib40", "BenchmarkFib…", "n", 40},
		{"BenchmarkBatch10 BenchmarkBatch100 BenchmarkBatch1000", "BenchmarkBatch…", "n", 1000},
		{"Walk/depth10 Walk/depth100 Walk/depth1_000", "Walk/depth…", "depth", 1000},
		{"Walk/nodes-10 Walk/nodes-100 Walk/nodes-1000", "Walk/nodes-…", "nodes", 1000},
		{"BenchmarkPrint10 BenchmarkPrint100 BenchmarkPrint1000", "BenchmarkPrint…", "n", 1000},
		{"BenchmarkPutInt8 BenchmarkPutInt16 BenchmarkPutInt64", "", "", 0},
		{"BenchmarkSHA1 BenchmarkSHA256 BenchmarkSHA512", "", "", 0},
		{"Hash/sha1 Hash/sha256 Hash/sha512", "", "", 0},
		{"Put/int8 Put/int16 Put/int64", "", "", 0},
		{"Wait/1ms Wait/10ms Wait/100ms", "", "", 0},
		{"Two/10 Two/100", "", "", 0},
		{"Near/10 Near/11 Near/12", "", "", 0},
		{"Zero/0 Zero/10 Zero/100", "", "", 0},
		{"Get/len-10/a Get/len-100/a Get/len-1000/b", "", "", 0},
	} {
		var all []Measured
		for i, name := range strings.Fields(test.names) {
			all = append(all, Measured{name, float64(i + 1), math.NaN(), math.NaN()})
		}
		got := Families(all)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s: %+v", test.names, got)
		case test.want != "" && (len(got) != 1 || got[0].Name != test.want || got[0].Parameter != test.parameter || got[0].Points[len(got[0].Points)-1].Size != test.last):
			t.Errorf("%s: %+v", test.names, got)
		}
	}
}

func FuzzFamilies(f *testing.F) {
	f.Add("Sort/n=1k Sort/n=2k Sort/n=9999k", 3.0)
	f.Add("1e999 1e-9 é9Ki", math.Inf(1))
	f.Fuzz(func(t *testing.T, names string, cost float64) {
		var all []Measured
		for i, name := range strings.Fields(names) {
			all = append(all, Measured{name, cost * float64(i), cost, -cost})
		}
		for _, f := range Families(all) {
			for _, g := range []*Growth{f.Time, f.Bytes, f.Allocs} {
				if g != nil && !(g.Low <= g.Exponent && g.Exponent <= g.High) && !math.IsInf(cost, 0) {
					t.Errorf("%+v", g)
				}
			}
		}
	})
}
