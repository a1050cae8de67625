package knee

import (
	"math"
	"slices"
	"time"

	"whet/internal/load/slo"
	"whet/internal/loadresult"
	"whet/internal/stat"
)

// blocks is into how many slices a run is cut to see its noise.
const blocks = 10

// PointOf returns the result of a load at a level, judged by the bounds, which may be
// none. Its throughput is that of good responses within the span. In an open loop a
// bound on the least throughput is left out: a rate below it cannot meet it, and that
// is not the service's fault. Hold it against what was found.
func PointOf(r *loadresult.Result, level float64, bounds slo.Bounds) Point {
	times := r.Times()
	p := Point{
		Level: level, Span: r.End.Sub(r.Start), Took: r.End.Sub(r.Began) + r.Drain,
		P50: time.Duration(times.Quantile(0.5)), P99: time.Duration(times.Quantile(0.99)), Invalid: r.Invalid,
	}
	if r.Open {
		p.Growth = max(growth(r.Seconds, p.Span), lag(r, p.Span))
		bounds = slices.DeleteFunc(slices.Clone(bounds), func(b slo.Bound) bool {
			return b.Metric.Kind == slo.Throughput && (b.Op == slo.More || b.Op == slo.AtLeast)
		})
	}
	verdicts := bounds.Judge(r)
	p.Meets = slo.Met(verdicts)
	for _, v := range verdicts {
		if (v.Broken || v.Unknown) && p.Broken == "" {
			p.Broken = v.String()
		}
	}
	if broken, ok := slo.Broken(verdicts); ok {
		p.Broken = broken.String()
	}
	if r.Requests == 0 || p.Span <= 0 {
		return p
	}
	p.Answers, p.Needs = times.Count(), needs(verdicts, r)
	good := float64(r.Requests - r.Failed())
	p.Errors = float64(r.Failed()) / float64(r.Requests)
	if times.Count() > 0 {
		// Little's law: arrivals per second times the mean time that they stay.
		p.Concurrency = float64(r.Requests) / p.Span.Seconds() * times.Mean() / float64(time.Second)
	}
	if answered := r.Answered(); answered > 0 {
		share := good / float64(answered)
		p.Throughput, p.Blocks = r.Throughput()*share, sliced(r.Answers, share)
	}
	return p
}

// chance is with which probability a quantile may be taken for kept, or for broken,
// that is not.
const chance = 0.05

// Enough returns the number of responses that the bounds on quantiles need; 0: there are
// none. Of n responses all are below the quantile q of all there could be with the probability
// qⁿ: with fewer than
//
//	n = ln(0.05) / ln(q)
//
// of them the quantile has no upper limit with 95 % confidence, whatever they are
// (S. S. Wilks, Annals of Mathematical Statistics 12, 1941). For p99 that is 299.
func Enough(bounds slo.Bounds) int64 {
	most := int64(0)
	for _, b := range bounds {
		most = max(most, enough(b))
	}
	return most
}

func enough(b slo.Bound) int64 {
	if b.Metric.Kind != slo.Quantile || b.Op != slo.Less && b.Op != slo.AtMost {
		return 0
	}
	return int64(math.Ceil(math.Log(chance) / math.Log(b.Metric.Percent/100)))
}

// needs returns the number of answers that it takes to judge what there are too few for, 0 where
// chance decides nothing: a bound is broken that is on no quantile, or by so many
// answers that their share is above 1 − q beyond chance; or all have enough.
func needs(verdicts []slo.Verdict, r *loadresult.Result) int64 {
	most := int64(0)
	for _, v := range verdicts {
		n := enough(v.Bound)
		if v.Unknown || v.Broken && n == 0 {
			return 0
		}
		times := v.Bound.Metric.Histogram(r)
		if times.Count() >= n {
			if v.Broken {
				return 0
			}
			continue
		}
		if v.Broken {
			above := 0
			for b := range times.All() {
				if float64(b.First) > v.Bound.Value {
					above += int(b.Count)
				}
			}
			if stat.ClopperPearson(above, int(times.Count()), 1-2*chance).Low > 1-v.Bound.Metric.Percent/100 {
				return 0
			}
		}
		most = max(most, n)
	}
	return most
}

// sliced sums the bins up to equal slices, in good responses per second; bins after
// the last whole slice do not count.
func sliced(bins []int32, good float64) []float64 {
	k := min(blocks, len(bins))
	if k == 0 {
		return nil
	}
	width := len(bins) / k
	out := make([]float64, k)
	for i := range out {
		for _, n := range bins[i*width : (i+1)*width] {
			out[i] += float64(n) * good / (float64(width) * loadresult.Bin.Seconds())
		}
	}
	return out
}

// lag returns by how much later responses came at the end of an open loop than at its
// beginning, as far as their number tells, for a span too short to have two
// seconds that growth can compare, and for requests that all take the timeout: in
// the second half of the span the share of the requests that did not come back is
// the share of the time by which the rest came later. Twice the standard error of
// the number is left out, which arrivals at random have. Requests that failed at
// once do not lag.
func lag(r *loadresult.Result, span time.Duration) time.Duration {
	bins := r.Answers[:max(len(r.Answers)-1, 0)] // the last one has what came after the end
	slices := sliced(bins[len(bins)/2:], 1)
	sent := float64(r.Answered()+r.Errors[loadresult.TimedOut]) / span.Seconds()
	if len(slices) < 2 || !(sent > 0) {
		return 0
	}
	n := float64(len(slices))
	sum, squares := 0.0, 0.0
	for _, v := range slices {
		sum += v
	}
	for _, v := range slices {
		squares += (v - sum/n) * (v - sum/n)
	}
	back := sum/n + 2*math.Sqrt(squares/(n-1)/n)
	return time.Duration(max(1-back/sent, 0) * float64(span))
}

// growth compares the last second that had answers with the first, and tells by it
// how much later answers come at the end of a span than at its beginning: half of
// either second lies between them and those. One second alone tells nothing.
func growth(seconds []loadresult.Second, span time.Duration) time.Duration {
	var first, last *loadresult.Second
	for i := range seconds {
		if s := &seconds[i]; s.Response.P50 > 0 {
			if first == nil {
				first = s
			}
			last = s
		}
	}
	if first == last {
		return 0
	}
	apart := last.Start.Sub(first.Start) + (last.Length-first.Length)/2
	return time.Duration(float64(last.Response.P50-first.Response.P50) * float64(span) / float64(apart))
}
