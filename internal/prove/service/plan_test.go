package service

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/hist"
	"whet/internal/loadresult"
)

func TestSpanOf(t *testing.T) {
	for _, c := range []struct {
		rate float64
		want time.Duration
	}{
		{1e6, time.Second}, {500, time.Second}, // 500 requests in it
		{400, 1250 * time.Millisecond}, {250, 2 * time.Second}, {100, 2 * time.Second}, {10, 2 * time.Second},
		{5, 4 * time.Second}, {1, 20 * time.Second}, // 20 requests
		{0.1, 0}, {0, 0},
	} {
		got, err := spanOf(c.rate)
		if got != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%v/s: %v, %v; want %v", c.rate, got, err, c.want)
		}
	}
}

func TestRoundRate(t *testing.T) {
	for rate, want := range map[float64]float64{12345.6: 12300, 999.9: 1000, 0.12345: 0.123, 29.2: 29.2, 7: 7, 0: 0, 1e6: 1e6} {
		if got := roundRate(rate); got != want {
			t.Errorf("%v: %v, want %v", rate, got, want)
		}
	}
}

// A quantile needs five requests beyond it, and a generator that is late by less
// than half of it there.
func TestReportable(t *testing.T) {
	for _, c := range []struct {
		n    int
		late int64 // of all sends, in parts of a response
		q    float64
		want bool
	}{
		{10, 0, 0.5, true}, {9, 0, 0.5, false}, {50, 0, 0.9, true}, {49, 0, 0.9, false}, {500, 0, 0.99, true}, {499, 0, 0.99, false},
		{1000, 490_000, 0.5, true}, {1000, 510_000, 0.5, false}, {1000, 510_000, 0.99, false},
	} {
		var h, late hist.Histogram
		for range c.n {
			h.Record(1_000_000)
			late.Record(c.late)
		}
		if got := reportable(&h, &late, c.q); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// A generator that is late now and then spoils the tail alone.
	var h, late hist.Histogram
	for i := range int64(1000) {
		h.Record(1_000_000)
		late.Record(i / 950 * 800_000)
	}
	for q, want := range map[float64]bool{0.5: true, 0.9: true, 0.99: false} {
		if got := reportable(&h, &late, q); got != want {
			t.Errorf("late with one in twenty, quantile %v: %v", q, got)
		}
	}
}

// Two services that differ by 0.4 % may lie in one bucket of the histogram, or
// on both sides of a bucket's end; their quantiles differ by 0.4 % in any case.
func TestQuantilesAreExact(t *testing.T) {
	of := func(median time.Duration) map[string]float64 {
		var res loadresult.Result
		for i := range 1001 {
			took := median + time.Duration(i-500)
			res.Responses = append(res.Responses, took)
			res.Response.Record(int64(took))
			res.Lateness.Record(0)
		}
		rand.Shuffle(len(res.Responses), func(i, j int) {
			res.Responses[i], res.Responses[j] = res.Responses[j], res.Responses[i]
		})
		return quantiles(&res)
	}
	for _, median := range []time.Duration{10_000_000, 10_027_007, 10_030_000, 10_080_000} {
		one, other := of(median), of(median+median/250)
		if got := other[compare.P50Ns] / one[compare.P50Ns]; math.Abs(got-1.004) > 1e-6 {
			t.Errorf("median %v: the other is %v of it", median, got)
		}
		// Of 1001 times the one with 900 below it, and with 990.
		if got, want := one[compare.P90Ns], float64(median+400); got != want {
			t.Errorf("quantile 0.9 of times about %v: %v, want %v", median, got, want)
		}
		if got, want := one[compare.P99Ns], float64(median+490); got != want {
			t.Errorf("quantile 0.99 of times about %v: %v, want %v", median, got, want)
		}
	}
}

func TestSince(t *testing.T) {
	at := func(cpu time.Duration, alloc, pid int64) counters { return counters{&cpu, &alloc, pid} }
	none := counters{}
	for name, c := range map[string]struct {
		before, after, again counters
		cpu                  time.Duration // < 0: unknown
		alloc                int64
	}{
		// 100 ms and 5,000 bytes, of which asking took 3 ms and 800 bytes.
		"plain":          {at(10e6, 1000, 1), at(110e6, 6000, 1), at(113e6, 6800, 1), 97e6, 4200},
		"nothing told":   {none, none, none, -1, -1},
		"once":           {at(1, 1, 0), at(2, 2, 0), none, -1, -1},
		"another one":    {at(1, 1, 1), at(2, 2, 2), at(3, 3, 2), 0, -1},
		"ran backwards":  {at(5, 5, 1), at(4, 4, 1), at(6, 6, 1), -1, -1},
		"asking is more": {at(1, 1, 1), at(2, 2, 1), at(9, 9, 1), -1, -1},
	} {
		cpu, alloc := c.before.since(c.after, c.again)
		if (cpu == nil) != (c.cpu < 0) || cpu != nil && *cpu != c.cpu || (alloc == nil) != (c.alloc < 0) || alloc != nil && *alloc != c.alloc {
			t.Errorf("%s: %v %v, want %v %v", name, cpu, alloc, c.cpu, c.alloc)
		}
	}
}

// Only what both sides report is planned for, and the median alone decides.
func TestMetricsOf(t *testing.T) {
	all := compare.Slice{compare.P50Ns: 1, compare.P90Ns: 1, compare.P99Ns: 1, compare.RequestsPerSecond: 1, compare.CPUNsPerRequest: 1, compare.AllocBytesPerRequest: 1}
	some := compare.Slice{compare.P50Ns: 1, compare.P90Ns: 1, compare.RequestsPerSecond: 1}
	var units []string
	for _, m := range metricsOf([2]compare.Slice{all, some}) {
		units = append(units, m.Unit)
		if m.Gates != (m.Unit == compare.P50Ns) || m.More != (m.Unit == compare.RequestsPerSecond) {
			t.Errorf("%+v", m)
		}
	}
	if got := strings.Join(units, " "); got != "p50-ns p90-ns requests/s" {
		t.Errorf("%s", got)
	}
	if n := len(metricsOf([2]compare.Slice{all, all})); n != 6 {
		t.Errorf("%d metrics", n)
	}
}

func TestValidate(t *testing.T) {
	urls := func(o *Options) { o.Old, o.New = "http://a/", "https://b:8443/x" }
	commands := func(o *Options) {
		o.URL, o.Old, o.New = "http://127.0.0.1:{port}/", "a {port}", "b -addr=:{port}"
	}
	for _, set := range []func(*Options){urls, commands} {
		o := DefaultOptions()
		set(&o)
		o.Pprof = []string{"http://127.0.0.1:{port}", "http://c:6060"}
		o.SameAnswers, o.AnswersOnly = true, true
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		set   func(*Options)
		spoil func(*Options)
		want  string
	}{
		{urls, func(o *Options) { o.New = "" }, "give two sides"},
		{urls, func(o *Options) { o.New = "ftp://x/" }, "the scheme must be http or https"},
		{urls, func(o *Options) { o.Rate = -1 }, "rate -1"},
		{urls, func(o *Options) { o.Load.Concurrency = 0 }, "concurrency 0"},
		{urls, func(o *Options) { o.Span = time.Millisecond }, "a slice of 1ms"},
		{urls, func(o *Options) { o.Ready = 0 }, "-ready 0s"},
		{urls, func(o *Options) { o.Pprof = make([]string, 3) }, "3 URLs for two sides"},
		{urls, func(o *Options) { o.Pprof = []string{"localhost:6060"} }, `-pprof "localhost:6060"`},
		{urls, func(o *Options) { o.AnswersOnly = true }, "choose measuring, comparing answers, or both"},
		{urls, func(o *Options) { o.Requests = "x" }, "needs -same-answers"},
		{urls, func(o *Options) { o.Ignore = []string{"a..b"} }, `-ignore-fields "a..b"`},
		{urls, func(o *Options) { o.Budget = 0 }, "-budget 0s"},
		{commands, func(o *Options) { o.Old = "a" }, "write it in the commands too"},
		{commands, func(o *Options) { o.Old = "a 'b" }, "is never closed"},
		{commands, func(o *Options) { o.URL, o.SameAnswers = "http://127.0.0.1:80/", true }, "needs both services at once"},
		{commands, func(o *Options) { o.Env[1] = []string{"="} }, "-new-env"},
	} {
		o := DefaultOptions()
		c.set(&o)
		c.spoil(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestPortOf(t *testing.T) {
	for address, want := range map[string]string{"http://a:81/x": "81", "http://a": "80", "https://a/": "443", "http://[::1]:9/": "9", ":": ""} {
		if got := portOf(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
