package drive

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/knee"
)

// sampled is a CPU profile of stacks, leaf first, with as many samples of 10 ms each.
func sampled(stacks map[string]int64) *callstack.Profile {
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for stack, n := range stacks {
		var frames []callstack.FrameID
		for name := range strings.FieldsSeq(stack) {
			frames = append(frames, b.Frame(callstack.Frame{Function: name}))
		}
		b.Sample(b.Stack(frames), b.LabelSet(nil), n, n*10e6)
	}
	return b.Profile()
}

// The same second of either level: the profiler's own 30 samples are those of 1,000
// requests at one and of 4,000 at the other, and belong to none. A lock in the
// service's code costs three times as much for each request; the functions of the
// runtime that it ends in follow it.
func TestGrowthIsOfTheService(t *testing.T) {
	const (
		work     = "example.com/shop.price main.handle net/http.(*conn).serve"
		wait     = "runtime.futex runtime.lock2 sync.(*Mutex).Lock main.(*cart).add main.handle net/http.(*conn).serve"
		profiler = "runtime.memmove compress/flate.(*compressor).deflate runtime/pprof.(*profileBuilder).build runtime/pprof.profileWriter"
		served   = "runtime.memmove bytes.(*Buffer).Write net/http/pprof.Profile net/http.HandlerFunc.ServeHTTP net/http.(*conn).serve"
		marked   = "main.handle runtime/pprof.Do net/http.(*conn).serve"
	)
	low := newCosts(sampled(map[string]int64{work: 1000, wait: 500, profiler: 20, served: 10, marked: 100}), nil, "cpu", 1000)
	high := newCosts(sampled(map[string]int64{work: 4000, wait: 6000, profiler: 20, served: 10, marked: 400}), nil, "cpu", 4000)
	if low.total != 1600*10e6 || high.total != 10400*10e6 {
		t.Errorf("in all %d and %d samples", low.total/10e6, high.total/10e6)
	}
	g := compareCosts("cpu", "cpu", &knee.Knee{Profile: knee.Range{Low: 4, High: 8}}, low, high)
	var names []string
	for _, r := range g.Rows {
		names = append(names, r.Function)
	}
	if want := []string{"main.(*cart).add", "main.handle", "runtime.futex", "net/http.(*conn).serve", "runtime.lock2", "sync.(*Mutex).Lock"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	// 500 samples of 10 ms for 1,000 requests, and 6,000 for 4,000.
	if r := g.Rows[0]; math.Abs(r.LowCum-5e6) > 1 || math.Abs(r.HighCum-15e6) > 1 || r.HighFlat != 0 {
		t.Errorf("%+v", r)
	}
	// What was there before is taken off, on either side of the profiler's.
	since := newCosts(sampled(map[string]int64{work: 30, profiler: 50}), sampled(map[string]int64{work: 10, profiler: 20}), "cpu", 10)
	if since.total != 20*10e6 || since.functions["main.handle"].Cum != 20*10e6 {
		t.Errorf("%+v", since)
	}
}

// A search whose budget was spent by the other one has found nothing out.
func TestKneeWithoutLevels(t *testing.T) {
	o := knee.Open()
	o.Budget = 1
	k, err := knee.Find(context.Background(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := kneeOutcome(t.Context(), []*knee.Knee{k}, nil); err == nil || exitOf(err) != cli.ExitFailed || !strings.Contains(err.Error(), "budget") {
		t.Error(err)
	}
	// The generator's fault comes before a bound that is broken.
	k = &knee.Knee{Open: true, Invalid: "the generator was the bottleneck", Levels: []knee.Level{{Level: 1}}}
	if err := kneeOutcome(t.Context(), []*knee.Knee{k}, nil); err == nil || exitOf(err) != cli.ExitFailed {
		t.Error(err)
	}
	k.Invalid = ""
	if err := kneeOutcome(t.Context(), []*knee.Knee{k}, nil); err == nil || exitOf(err) != cli.ExitFound {
		t.Error(err)
	}
}
