package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/hist"
	"whet/internal/load"
	"whet/internal/loadresult"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
	"whet/internal/schedule"
	"whet/internal/stat"
)

// parts are the periods of load in a slice before its open loop of a span.
type parts struct {
	warmUp     time.Duration // closed loop, not counted
	closed     time.Duration // closed loop: throughput
	openWarmUp time.Duration // at the rate, not counted
}

// partsOf keeps the parts in proportion: a long span is for a low rate, which
// takes long to show in a closed loop too.
func partsOf(span time.Duration) parts {
	return parts{warmUp: span / 5, closed: span / 2, openWarmUp: span / 10}
}

// failing is the share of failed requests at which a slice is invalid: failures do
// other work than responses, often in less time.
const failing = 0.01

// runner puts load on the two services.
type runner struct {
	o    *Options
	rate float64
	span time.Duration
	seen [2]tally
}

// tally has the counts of a side's responses over all slices.
type tally struct {
	slices  int
	late    int // slices whose generator was too late for the median
	answers map[int]int64
	errors  map[string]int64
	example map[string]string
}

func (r *runner) tell(format string, args ...any) {
	r.o.Tell(prove.Event{Stage: fmt.Sprintf(format, args...)})
}

// loadOptions returns those of any request to a side.
func (r *runner) loadOptions(s *endpoint) load.Options {
	o := r.o.Load
	o.URL, o.Schedule, o.Now, o.Progress = s.url, schedule.Schedule{}, r.o.Now, nil
	return o
}

// Prepare has nothing to do: sides are opened for each slice.
func (r *runner) Prepare(context.Context, int, uint64, []int) error { return nil }

// Slice puts load on one side.
func (r *runner) Slice(ctx context.Context, q rounds.SliceRequest) (compare.Slice, error) {
	s, err := r.open(ctx, q.Side)
	if err != nil {
		return nil, err
	}
	defer s.close()
	slice := compare.Slice{}
	closed, err := r.closed(ctx, q.Side, s, partsOf(r.span).warmUp, partsOf(r.span).closed)
	switch {
	case err == nil:
		slice[compare.RequestsPerSecond] = closed.Throughput()
	case !errors.Is(err, errNone): // the open loop waits for its answers, and shows a side that hangs
		return nil, err
	}
	if err := r.paced(ctx, q.Side, s, slice); err != nil {
		return nil, err
	}
	return slice, nil
}

// closed puts a closed loop on a side.
func (r *runner) closed(ctx context.Context, side compare.Side, s *endpoint, warmup, span time.Duration) (*loadresult.Result, error) {
	o := r.loadOptions(s)
	o.Warmup, o.Duration = warmup, span
	res, _, err := r.drive(ctx, side, s, o)
	return res, err
}

// paced drives an open loop on a side and enters its figures.
func (r *runner) paced(ctx context.Context, side compare.Side, s *endpoint, slice compare.Slice) error {
	u, err := r.usage(ctx, s)
	if err != nil {
		return s.explain(err)
	}
	defer u.close()
	o := r.loadOptions(s)
	o.Warmup, o.Duration, o.Schedule = partsOf(r.span).openWarmUp, r.span, schedule.Constant(r.rate)
	o.KeepResponses = true
	before := u.read(ctx)
	res, answered, err := r.drive(ctx, side, s, o)
	if err != nil {
		return err
	}
	after := u.read(ctx)
	cpu, alloc := before.since(after, u.read(ctx))
	r.seen[side].slices++
	if !reportable(&res.Response, &res.Lateness, 0.5) {
		r.seen[side].late++
	}
	maps.Copy(slice, quantiles(res))
	if cpu != nil && answered > 0 {
		slice[compare.CPUNsPerRequest] = float64(*cpu) / float64(answered)
	}
	if alloc != nil && answered > 0 {
		slice[compare.AllocBytesPerRequest] = float64(*alloc) / float64(answered)
	}
	return nil
}

// quantiles returns the quantiles of response time that can be reported, by unit. They are
// of the times themselves: a histogram gives the end of a bucket of 0.8 %, so
// that all slices of a steady service would show one number, and two services
// that lie on both sides of a bucket's end would differ by its width in every
// round.
func quantiles(res *loadresult.Result) map[string]float64 {
	times := make([]float64, len(res.Responses))
	for i, t := range res.Responses {
		times[i] = float64(t)
	}
	slices.Sort(times)
	out := make(map[string]float64)
	for unit, q := range map[string]float64{compare.P50Ns: 0.5, compare.P90Ns: 0.9, compare.P99Ns: 0.99} {
		if reportable(&res.Response, &res.Lateness, q) {
			out[unit] = stat.QuantileSorted(times, q)
		}
	}
	return out
}

// beyond is the number of requests that must lie beyond a quantile for it to be more than
// one of the largest values.
const beyond = 5

// reportable reports whether a quantile says something about the service:
// enough requests lie beyond it, and the generator's own lateness, which response
// times hold too, is less than half of it at the same quantile. A bound in
// milliseconds would refuse slow services on a busy machine and take quick ones
// whose times are nothing else.
func reportable(times, late *hist.Histogram, q float64) bool {
	const rounding = 1e-9 // of 1 - q
	return float64(times.Count())*(1-q+rounding) >= beyond && 2*late.Quantile(q) < times.Quantile(q)
}

// errNone is no verdict on a service: the load may have been too short.
var errNone = errors.New("no request ended")

// drive runs one load and checks its result. answered is the number of complete
// responses, including those of its warm-up.
func (r *runner) drive(ctx context.Context, side compare.Side, s *endpoint, o load.Options) (res *loadresult.Result, answered int64, err error) {
	alive, stop := s.whileAlive(ctx)
	defer stop()
	running, err := load.Start(alive, o)
	if err != nil {
		return nil, 0, err
	}
	res = running.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case res.Interrupted:
		return nil, 0, s.explain(errors.New("the server ended under load"))
	}
	r.seen[side].add(res)
	switch failed := res.Failed(); {
	case res.Requests == 0:
		return nil, 0, fmt.Errorf("%w within %v", errNone, o.Duration)
	case float64(failed) >= failing*float64(res.Requests):
		return nil, 0, s.explain(fmt.Errorf("%s of the requests failed: %s", quantity.Percent(float64(failed)/float64(res.Requests)), kinds(res.Errors, res.Examples)))
	}
	return res, running.Completed(), nil
}

func (t *tally) add(res *loadresult.Result) {
	if t.answers == nil {
		t.answers, t.errors, t.example = make(map[int]int64), make(map[string]int64), make(map[string]string)
	}
	for status, n := range res.Status {
		t.answers[status] += n
	}
	for kind, n := range res.Errors {
		if t.errors[kind] += n; t.example[kind] == "" {
			t.example[kind] = res.Examples[kind]
		}
	}
}

// usual returns the status of most answers.
func (t *tally) usual() int {
	best := 0
	for _, status := range slices.Sorted(maps.Keys(t.answers)) {
		if best == 0 || t.answers[status] > t.answers[best] {
			best = status
		}
	}
	return best
}

// statuses returns the statuses that were seen, as "200, 302".
func (t *tally) statuses() string {
	var out []string
	for _, status := range slices.Sorted(maps.Keys(t.answers)) {
		out = append(out, fmt.Sprint(status))
	}
	return strings.Join(out, ", ")
}

// kinds lists failed requests, most frequent kind first.
func kinds(errors map[string]int64, examples map[string]string) string {
	names := slices.SortedFunc(maps.Keys(errors), func(a, b string) int {
		if errors[a] != errors[b] {
			return int(min(max(errors[b]-errors[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, kind := range names {
		text := fmt.Sprintf("%s %s", kind, quantity.Count(float64(errors[kind])))
		if e := examples[kind]; e != "" {
			text += " (" + e + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}
