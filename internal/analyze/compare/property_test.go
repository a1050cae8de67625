package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// draw makes a few benchmarks with effects of all sizes.
func draw(rt *rapid.T) ([]Series, Options) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
	planned := rapid.IntRange(4, 40).Draw(rt, "planned")
	o := Options{Alpha: rapid.SampledFrom([]float64{0.005, 0.05, 0.4}).Draw(rt, "alpha"), Margin: rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(rt, "margin")}
	units := []string{NsPerOp, MBPerSecond, AllocsPerOp, BytesPerOp}[:rapid.IntRange(1, 4).Draw(rt, "metrics")]
	series := make([]Series, rapid.IntRange(1, 4).Draw(rt, "benchmarks"))
	for i := range series {
		s := Series{Name: fmt.Sprint("Benchmark", i), Run: rapid.IntRange(1, 2).Draw(rt, "run")}
		for _, u := range units {
			s.Metrics = append(s.Metrics, MetricOf(u))
		}
		if s.Run == 2 {
			s.Earlier = rapid.IntRange(0, 20).Draw(rt, "earlier")
		}
		effect := rapid.SampledFrom([]float64{0, 0, 0.003, 0.01, 0.03, 0.3}).Draw(rt, "effect") * float64(1-2*rng.IntN(2))
		noise := rapid.SampledFrom([]float64{0, 0.002, 0.02, 0.1}).Draw(rt, "noise")
		size := rapid.SampledFrom([]float64{1, 20, 1000}).Draw(rt, "size") // small ones are tied
		slice := func(w Side) Slice {
			out := Slice{}
			for _, u := range units {
				v := size * math.Exp(effect*float64(w)+noise*rng.NormFloat64())
				switch u {
				case NsPerOp:
					v = math.Round(10*v) / 10
				case AllocsPerOp, BytesPerOp:
					v = math.Floor(v)
				}
				out[u] = v
			}
			return out
		}
		turn := func() Turn {
			t := Turn{Old: slice(Old), New: slice(New), AgainOf: Side(rng.IntN(2))}
			t.Again = slice(t.AgainOf)
			return t
		}
		more := rapid.IntRange(0, 3).Draw(rt, "further turns")
		for range s.Earlier + planned {
			r := Round{Turn: turn()}
			for range rng.IntN(more + 1) { // the last of a run may have fewer
				r.More = append(r.More, turn())
			}
			s.Rounds = append(s.Rounds, r)
		}
		series[i] = s
	}
	o.Hypotheses = len(series) * len(units)
	o.Looks = Looks(planned, o.Hypotheses, o.Alpha)
	return series, o
}

// upTo returns the first rounds of a series.
func upTo(series []Series, rounds int, ended bool) []Series {
	out := make([]Series, len(series))
	for i, s := range series {
		s.Rounds, s.Ended = s.Rounds[:s.Earlier+rounds], ended
		out[i] = s
	}
	return out
}

// Verdict and interval say the same, whatever else was found in the run.
func TestVerdictAndIntervalAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	seen := make(map[string]int)
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		ended := rapid.Bool().Draw(rt, "ended")
		rounds := o.Looks[rapid.IntRange(0, len(o.Looks)-1).Draw(rt, "look")]
		if ended {
			rounds = rapid.IntRange(1, o.Looks[len(o.Looks)-1]).Draw(rt, "rounds")
		}
		for _, r := range Judge(upTo(series, rounds, ended), o) {
			if !(r.RatioLow <= r.Ratio && r.Ratio <= r.RatioHigh) || r.PHolm < r.PValue || r.PHolm > 1 || r.Look < 1 {
				rt.Fatalf("%+v", r)
			}
			if r.Exact || r.Verdict == NoChange && r.RatioHigh == MaxRatio {
				continue // the other count may settle it, or it stays below one
			}
			seen[fmt.Sprint(r.Verdict, r.WithinMargin)]++
			excludes := r.RatioLow > 1 || r.RatioHigh < 1
			within := func(slack float64) bool { // but for rounding, at the margin itself
				return r.RatioLow >= (1-slack)/(1+o.Margin) && r.RatioHigh <= (1+o.Margin)*(1+slack)
			}
			ok := r.WithinMargin && within(1e-12) || !r.WithinMargin && !within(-1e-12)
			switch r.Verdict {
			case Faster:
				ok = ok && r.RatioLow > 1 && r.PHolm <= o.Alpha*(1+1e-12)
			case Slower:
				ok = ok && r.RatioHigh < 1 && r.PHolm <= o.Alpha*(1+1e-12)
			case NoChange:
				ok = ok && r.WithinMargin && (!excludes || r.PHolm <= o.Alpha*(1+1e-12))
			case CannotTell:
				ok = ok && !r.WithinMargin && !excludes && r.PHolm > o.Alpha*(1-1e-12)
			}
			if !ok {
				rt.Fatalf("alpha %v, margin %v: %+v", o.Alpha, o.Margin, r)
			}
		}
	})
	for _, what := range []string{"fastertrue", "fasterfalse", "slowerfalse", "no changetrue", "cannot tellfalse"} {
		if seen[what] == 0 && what != "fastertrue" {
			t.Errorf("never %s: %v", what, seen)
		}
	}
	t.Log(seen)
}

// The verdict of a look stays at all later ones, and after an early end.
func TestVerdictsStay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		if rapid.Bool().Draw(rt, "changes") { // the second half is another effect
			for _, s := range series {
				for i := s.Earlier + o.Looks[0]; i < len(s.Rounds); i++ {
					for u := range s.Rounds[i].New {
						for _, t := range s.Rounds[i].Turns() {
							t.New[u] *= 1.02
						}
					}
				}
			}
		}
		var before []Row
		check := func(rows []Row) {
			for i, b := range before {
				if b.Verdict != CannotTell && rows[i].Verdict != b.Verdict {
					rt.Fatalf("%+v became %+v", b, rows[i])
				}
			}
			before = rows
		}
		for _, look := range o.Looks {
			check(Judge(upTo(series, look, false), o))
			if rapid.IntRange(0, 3).Draw(rt, "ends") == 0 {
				check(Judge(upTo(series, look, true), o))
				return
			}
		}
	})
}

// Old and new exchanged give reciprocal rows.
func TestExchange(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	turned := map[Verdict]Verdict{Faster: Slower, Slower: Faster, NoChange: NoChange, CannotTell: CannotTell}
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		series = upTo(series, o.Looks[len(o.Looks)-1], true)
		swapped := make([]Series, len(series))
		for i, s := range series {
			swapped[i] = s
			swapped[i].Rounds = nil
			for _, r := range s.Rounds {
				swapped[i].Rounds = append(swapped[i].Rounds, r.Exchanged())
			}
		}
		a, b := Judge(series, o), Judge(swapped, o)
		same := func(x, y float64) bool { return math.Abs(x/y-1) < 1e-9 }
		for i := range a {
			x, y := a[i], b[i]
			if y.Verdict != turned[x.Verdict] || x.PValue != y.PValue || x.Look != y.Look || x.WithinMargin != y.WithinMargin ||
				!same(x.Ratio, 1/y.Ratio) || !same(x.RatioLow, 1/y.RatioHigh) || !same(x.RatioHigh, 1/y.RatioLow) {
				rt.Fatalf("%+v\nthe other way round %+v", x, y)
			}
		}
	})
}

// A thing compared with its own figures does not differ, whatever they are.
func TestIdenticalData(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many comparisons")
	}
	rapid.Check(t, func(rt *rapid.T) {
		series, o := draw(rt)
		for _, s := range series {
			for i := range s.Rounds {
				r := &s.Rounds[i]
				r.New, r.Again = r.Old, r.Old
				for k := range r.More {
					r.More[k] = r.Turn
				}
			}
		}
		for _, r := range Judge(upTo(series, o.Looks[len(o.Looks)-1], true), o) {
			if r.Verdict == Faster || r.Verdict == Slower || r.Ratio != 1 || r.PValue != 1 {
				rt.Fatalf("%+v", r)
			}
		}
	})
}
