package drive

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/knee"
	"whet/internal/recording"
	"whet/internal/search"
	"whet/internal/underload"
)

// sampled returns a CPU profile of stacks, leaf first, with as many samples of 10 ms each.
func sampled(stacks map[string]int64) *callstack.Frames {
	return weighed(stacks, "samples", "cpu")
}

// weighed is likewise a profile of other columns.
func weighed(stacks map[string]int64, count, column string) *callstack.Frames {
	b := callstack.NewBuilder(callstack.ValueType{Type: count, Unit: "count"}, callstack.ValueType{Type: column, Unit: "nanoseconds"})
	for stack, n := range stacks {
		var frames []callstack.Frame
		for name := range strings.FieldsSeq(stack) {
			frames = append(frames, callstack.Frame{Function: name})
		}
		b.AddFrames(frames, nil, n, n*10e6)
	}
	return b.Frames()
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
	low := newCosts(sampled(map[string]int64{work: 1000, wait: 500, profiler: 20, served: 10, marked: 100}), "cpu", 1000)
	high := newCosts(sampled(map[string]int64{work: 4000, wait: 6000, profiler: 20, served: 10, marked: 400}), "cpu", 4000)
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
	stretch := &underload.Stretch{Requests: map[string]int64{recording.KindMutex: 10}}
	var files [2][]byte
	for i, stacks := range []map[string]int64{{work: 10, profiler: 20}, {work: 30, profiler: 50}} {
		var b bytes.Buffer
		if err := profile.Write(&b, weighed(stacks, "contentions", "delay").Profile); err != nil {
			t.Fatal(err)
		}
		files[i] = b.Bytes()
	}
	delta, _, err := profile.Delta(files[0], files[1])
	if err != nil {
		t.Fatal(err)
	}
	stretch.Profiles.Add(recording.KindMutex, delta, 0, 1)
	side, warnings := newSide(stretch)
	if since := side[recording.KindMutex]; since == nil || since.requests != 10 || since.total != 20*10e6 || since.functions["main.handle"].Cum != 20*10e6 {
		t.Errorf("%+v %q", since, warnings)
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
	k = &knee.Knee{Open: true, Invalid: "the generator was the bottleneck", Levels: []search.Level[knee.Point]{{Level: 1}}}
	if err := kneeOutcome(t.Context(), []*knee.Knee{k}, nil); err == nil || exitOf(err) != cli.ExitFailed {
		t.Error(err)
	}
	k.Invalid = ""
	if err := kneeOutcome(t.Context(), []*knee.Knee{k}, nil); err == nil || exitOf(err) != cli.ExitFound {
		t.Error(err)
	}
}
