package service

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// Run compares the two services. The error is not nil if there is nothing to report,
// for example because neither can be reached. The result has the failure of one side,
// and the measurements before an interrupt.
func Run(ctx context.Context, o Options) (*compare.Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &runner{o: &o, rate: o.Rate, span: o.Span}
	p := prove.Begin(&o.Options, compare.KindService)
	if !o.commands() {
		// The user of an address may be a token.
		p.Result.Old.Operand, p.Result.New.Operand = recording.Redacted(o.Old), recording.Redacted(o.New)
	}
	if err := r.run(ctx, p); err != nil && ctx.Err() == nil {
		return nil, err
	}
	r.conclude(p)
	return p.End(ctx), nil
}

// run compares answers, finds the rate and measures.
func (r *runner) run(ctx context.Context, p *prove.Proof) error {
	if r.o.SameAnswers {
		answers, side, err := r.sameAnswers(ctx)
		if err != nil {
			return fmt.Errorf("%v side: %w", side, err)
		}
		p.Result.Answers = answers
		if answers.Differing > 0 || r.o.AnswersOnly {
			return nil
		}
	}
	sample, took, err := r.calibrate(ctx, p)
	if err != nil || len(p.Result.Failures) > 0 {
		return err
	}
	for side := range r.seen {
		r.seen[side].slices, r.seen[side].late = 0, 0 // these were no rounds
	}
	subject := rounds.Benchmark{Name: r.o.label(r.rate), Metrics: metricsOf(sample), Slice: took}
	return p.Measure(ctx, subject, r)
}

// metricsOf returns the metrics that both sides reported, in their order.
func metricsOf(sample [2]compare.Slice) []compare.Metric {
	var out []compare.Metric
	for _, unit := range []string{compare.P50Ns, compare.P90Ns, compare.P99Ns, compare.RequestsPerSecond, compare.CPUNsPerRequest, compare.AllocBytesPerRequest} {
		_, old := sample[compare.Old][unit]
		_, new := sample[compare.New][unit]
		if !old || !new {
			continue
		}
		m := compare.MetricOf(unit)
		// The tail is shown with the median but does not count: it has the noise of a
		// few requests.
		m.Gates = unit == compare.P50Ns
		out = append(out, m)
	}
	return out
}

// calibrate finds the rate, and measures a slice of each side at it. A side
// that fails is entered in the result where the other one does not; the error is
// of both.
func (r *runner) calibrate(ctx context.Context, p *prove.Proof) (sample [2]compare.Slice, took [2]time.Duration, err error) {
	var rate [2]float64
	var errs [2]error
	for side := range compare.Sides {
		r.tell("measuring the throughput of %v", side)
		if rate[side], errs[side] = r.throughput(ctx, side); ctx.Err() != nil {
			return sample, took, ctx.Err()
		}
	}
	if failed, err := p.OneFailed(r.o.label(r.rate), "side", errs); failed {
		return sample, took, err
	}
	if a, b := r.seen[compare.Old].usual(), r.seen[compare.New].usual(); a != b {
		p.Fail(r.o.label(r.rate), compare.New, fmt.Errorf("the new side answers %d, the old side %d: the sides do different work", b, a))
		return sample, took, nil
	}
	if r.rate == 0 {
		r.rate = roundRate(min(rate[compare.Old], rate[compare.New]) / 2)
	}
	if least := min(rate[compare.Old], rate[compare.New]); r.rate > 0.8*least {
		p.Warn("%.4g requests per second are %s of the slower side's throughput: queueing dominates response times, and every disturbance adds to them; lower -rate", r.rate, quantity.Percent(r.rate/least))
	}
	if r.span == 0 {
		if r.span, err = spanOf(r.rate); err != nil {
			return sample, took, err
		}
	}
	if n := r.rate * r.span.Seconds(); n < 2*beyond {
		return sample, took, fmt.Errorf("a slice of %v has %.0f requests at %.4g per second, but a median needs %d: raise -slice or leave it out", r.span, n, r.rate, 2*beyond)
	}
	for side := range compare.Sides {
		r.tell("trying %.4g requests per second on %v", r.rate, side)
		for range tries {
			began := r.o.Now()
			sample[side], errs[side] = r.Slice(ctx, rounds.SliceRequest{Side: side})
			took[side] = r.o.Now().Sub(began)
			if ctx.Err() != nil {
				return sample, took, ctx.Err()
			}
			if _, ok := sample[side][compare.P50Ns]; ok || errs[side] != nil {
				break
			}
		}
	}
	if failed, err := p.OneFailed(r.o.label(r.rate), "side", errs); failed {
		return sample, took, err
	}
	for side := range compare.Sides {
		if _, ok := sample[side][compare.P50Ns]; !ok {
			return sample, took, fmt.Errorf("%v side: %w", side, r.tooLate())
		}
	}
	return sample, took, nil
}

// tries is how often a slice is tried before the rounds whose generator is too
// late: a disturbance passes, too high a rate does not.
const tries = 3

// throughput returns the throughput of a side in a closed loop. It lasts as long as the
// open loop of a slice usually does, and longer for a slow service.
func (r *runner) throughput(ctx context.Context, side compare.Side) (float64, error) {
	s, err := r.open(ctx, side)
	if err != nil {
		return 0, err
	}
	defer s.close()
	span := usualSpan
	if r.o.Span > 0 {
		span = min(span, r.o.Span)
	}
	for {
		res, err := r.closed(ctx, side, s, span/2, span)
		longer := min(4*span, mostSpan)
		switch {
		case longer > span && (errors.Is(err, errNone) || err == nil && float64(res.Requests) < enoughForHalf):
			span = longer
		case err != nil:
			return 0, err
		default:
			return res.Throughput(), nil
		}
	}
}

// roundRate leaves a rate three digits: it is printed, and may be typed again.
func roundRate(rate float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(rate, 'e', 2, 64), 64)
	if err != nil {
		return rate
	}
	return rounded
}

// The open loop of a slice lasts a second, or up to two where that brings the
// requests that the 99th percentile needs, and longer where even the median
// would have too few.
const (
	usualSpan     = time.Second
	longerSpan    = 2 * time.Second
	mostSpan      = 30 * time.Second
	enoughForTail = 500.0 // five beyond the 99th percentile
	enoughForHalf = 20.0
)

func spanOf(rate float64) (time.Duration, error) {
	lasting := func(requests float64) time.Duration {
		return time.Duration(math.Ceil(requests / rate * float64(time.Second)))
	}
	switch {
	case rate*mostSpan.Seconds() < enoughForHalf:
		return 0, fmt.Errorf("%.3g requests per second are too few to measure in slices: the longest slice of %v has %.0f of them; try -rate and a longer -slice", rate, mostSpan, rate*mostSpan.Seconds())
	case rate*longerSpan.Seconds() < enoughForHalf:
		return lasting(enoughForHalf), nil
	}
	return min(max(usualSpan, lasting(enoughForTail)), longerSpan), nil
}

func (r *runner) tooLate() error {
	return fmt.Errorf("at %.4g requests per second the generator's lateness exceeds half of the response times, so the figures would describe the generator; lower -rate, or run the services on another machine", r.rate)
}

// conclude adds the warnings about the figures.
func (r *runner) conclude(p *prove.Proof) {
	name := r.o.label(r.rate)
	late, all := r.seen[0].late+r.seen[1].late, r.seen[0].slices+r.seen[1].slices
	gates := false
	for i := range p.Result.Benchmarks {
		gates = gates || p.Result.Benchmarks[i].Gates
	}
	if len(p.Result.Benchmarks) > 0 && !gates && len(p.Result.Failures) == 0 {
		for side := range compare.Sides {
			if r.seen[side].late > 0 {
				p.Fail(name, side, r.tooLate())
			}
		}
	} else if late > 0 {
		p.Warn("the generator's lateness exceeds half of the response times in %d of %d slices: their rounds are left out of the response times; lower -rate, or run the services on another machine", late, all)
	}
	if a, b := r.seen[compare.Old].statuses(), r.seen[compare.New].statuses(); a != b && a != "" && b != "" {
		p.Warn("the statuses of the answers differ: old %s; new %s", a, b)
	}
	for side := range compare.Sides {
		t := &r.seen[side]
		if len(t.errors) > 0 && len(p.Result.Failures) == 0 {
			p.Warn("some requests to the %v side failed: %s", side, kinds(t.errors, t.example))
		}
		if s := t.usual(); s/100 == 3 {
			p.Warn("the %v side answers %d: whet does not follow redirects, so the figures describe the redirect; use the address it leads to", side, s)
		}
	}
	if all > 0 && !r.o.commands() {
		p.Warn("each side is one running process: the ratio includes differences between two starts of one program, which cannot be told from the change; give two commands instead, which are restarted for every slice (-url http://127.0.0.1:{port}/ 'OLD COMMAND' 'NEW COMMAND')")
	}
}
