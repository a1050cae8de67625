package knee

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"whet/internal/hist"
	"whet/internal/load/slo"
	"whet/internal/loadresult"
)

// What a load showed, written out: ten seconds, 100 answers a second of which a
// tenth failed, in bins of 10 ms. 30 of them came after the end, and 50 to requests
// of the warm-up in the time: 102 a second.
func TestPointOf(t *testing.T) {
	start := time.Unix(100, 0)
	r := &loadresult.Result{
		Began: start.Add(-2 * time.Second), Start: start, End: start.Add(10 * time.Second), Drain: 2500 * time.Millisecond,
		Requests: 1000, Status: map[int]int64{200: 900, 503: 100}, Errors: map[string]int64{loadresult.Status5xx: 100},
		Open: true, Behind: 30, Leftover: 50, Invalid: "late",
	}
	for i := range 1000 {
		r.Answers = append(r.Answers, 1)
		r.Response.Record(int64(50+i%10) * 1e6)
	}
	for i := range 10 {
		at := start.Add(time.Duration(i) * time.Second)
		r.Seconds = append(r.Seconds, loadresult.Second{Start: at, Length: time.Second, Response: loadresult.Quantiles{P50: time.Duration(40+i) * time.Millisecond}})
	}
	r.Seconds[0].Response.P50 = 0
	bounds, err := slo.Parse("p99<1s,errors<1%")
	if err != nil {
		t.Fatal(err)
	}
	p := PointOf(r, 100, bounds)
	if p.Level != 100 || math.Abs(p.Throughput-91.8) > 1e-9 || p.Errors != 0.1 || p.Span != 10*time.Second || p.Took != 14500*time.Millisecond || p.Invalid != "late" {
		t.Errorf("%+v", p)
	}
	if p.Meets || !strings.HasPrefix(p.Broken, "errors<1% is broken: 10.0 %") || p.Growth != 10*time.Millisecond { // 8 ms from the second second to the last
		t.Errorf("%v %q %v", p.Meets, p.Broken, p.Growth)
	}
	// 100 arrivals a second that stay for 54.5 ms on average.
	if math.Abs(p.Concurrency-5.45) > 0.001 || len(p.Blocks) != 10 || math.Abs(p.Blocks[9]-90) > 1e-9 {
		t.Errorf("%v %v", p.Concurrency, p.Blocks)
	}
	if p.P50 < 54*time.Millisecond || p.P50 > 55*time.Millisecond || p.P99 < 59*time.Millisecond {
		t.Errorf("%v %v", p.P50, p.P99)
	}
	// A rate cannot answer more than it asks; it can answer too much.
	for text, meets := range map[string]bool{"throughput>1000/s": true, "throughput>=1000/s,p99<1ms": false, "throughput<50/s": false} {
		if bounds, err = slo.Parse(text); err != nil {
			t.Fatal(err)
		}
		if p := PointOf(r, 100, bounds); p.Meets != meets || len(bounds) != strings.Count(text, ",")+1 {
			t.Errorf("%s: %+v", text, p)
		}
	}
	r.Open, r.Service, r.Response = false, r.Response, hist.Histogram{}
	if bounds, err = slo.Parse("p99<1s,errors<1%"); err != nil {
		t.Fatal(err)
	}
	if c := PointOf(r, 100, bounds); c.P50 != p.P50 || c.P99 != p.P99 {
		t.Errorf("closed: %v %v", c.P50, c.P99)
	}
	if p := PointOf(r, 100, slo.Bounds{{Metric: slo.Metric{Kind: slo.Throughput}, Op: slo.More, Value: 1000}}); p.Meets {
		t.Error("a closed loop keeps a throughput that it does not reach")
	}
	// No bounds are all kept; nothing that was answered is not.
	if p := PointOf(r, 100, nil); !p.Meets || p.Broken != "" {
		t.Errorf("%+v", p)
	}
	if p := PointOf(&loadresult.Result{}, 1, bounds); p.Meets || p.Broken == "" || p.Throughput != 0 {
		t.Errorf("%+v", p)
	}
}

// Answers that come later by 100 ms each second come later by 150 ms at the end of a
// span of 1.5 s, by the medians of its first second and of the half that follows:
// these are those of the moments 0.5 s and 1.25 s. One second has nothing to be
// compared with.
func TestGrowthOfAShortSpan(t *testing.T) {
	start := time.Unix(100, 0)
	seconds := []loadresult.Second{
		{Start: start, Length: time.Second, Response: loadresult.Quantiles{P50: 60 * time.Millisecond}},
		{Start: start.Add(time.Second), Length: 500 * time.Millisecond, Response: loadresult.Quantiles{P50: 135 * time.Millisecond}},
	}
	if got := growth(seconds, 1500*time.Millisecond); got != 150*time.Millisecond {
		t.Errorf("%v", got)
	}
	if got := growth(seconds[:1], time.Second); got != 0 {
		t.Errorf("one second: %v", got)
	}
}

// Of 71,770 requests a second 43,968 come back, over 200 ms: 28 of a bin's 718
// in place of all of them, and the rest after the end, which the last bin holds.
// Arrivals at random and a service that only takes its time are not behind.
func TestFewerComeBack(t *testing.T) {
	start := time.Unix(100, 0)
	load := func(bins, each int, errors int64) *loadresult.Result {
		r := &loadresult.Result{Start: start, End: start.Add(time.Duration(bins) * loadresult.Bin), Open: true, Errors: map[string]int64{loadresult.TimedOut: errors}}
		for range bins {
			r.Answers = append(r.Answers, int32(each))
		}
		r.Requests = int64(bins*each) + errors
		r.Status = map[int]int64{200: int64(bins * each)}
		r.Response.Record(1e6)
		return r
	}
	behind := load(20, 440, 0)
	behind.Answers[19] += 20 * (718 - 440)
	behind.Requests, behind.Status[200] = 20*718, 20*718
	for _, c := range []struct {
		name     string
		r        *loadresult.Result
		from, to time.Duration
	}{
		{"behind", behind, 77 * time.Millisecond, 78 * time.Millisecond}, // 200 ms · (1 − 440/718)
		{"level", load(20, 718, 0), 0, 0},
		{"timeouts", load(100, 80, 2000), 199 * time.Millisecond, 201 * time.Millisecond},
		{"one bin", load(1, 100, 0), 0, 0},
		{"nothing", load(0, 0, 0), 0, 0},
	} {
		if p := PointOf(c.r, 1, nil); p.Growth < c.from || p.Growth > c.to {
			t.Errorf("%s: %v, want %v to %v", c.name, p.Growth, c.from, c.to)
		}
	}
	refused := load(100, 80, 0)
	refused.Errors[loadresult.Refused], refused.Requests = 2000, 10000
	if p := PointOf(refused, 1, nil); p.Growth != 0 {
		t.Errorf("refused at once: %v", p.Growth)
	}
	// A pause of 30 ms in the second half whose requests come back within it.
	paused := load(50, 100, 0)
	paused.Answers[30], paused.Answers[31], paused.Answers[32], paused.Answers[33] = 0, 0, 0, 400
	if p := PointOf(paused, 1, nil); p.Growth != 0 {
		t.Errorf("a pause: %v", p.Growth)
	}
	random, wrong := rand.New(rand.NewPCG(1, 2)), 0
	for range 100 {
		r := load(200, 0, 0)
		for at := 0.0; at < 200; at += random.ExpFloat64() / 2 {
			r.Answers[int(at)]++
			r.Requests++
		}
		r.Status[200] = r.Requests
		if p := PointOf(r, 1, nil); p.Growth > p.Span/25 {
			wrong++
		}
	}
	if wrong > 5 {
		t.Errorf("%d of 100 loads of random arrivals are behind", wrong)
	}
}
