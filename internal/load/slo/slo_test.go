package slo

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whet/internal/loadresult"
)

func TestParse(t *testing.T) {
	got, err := Parse(" p99 < 50ms, errors<0.1% ,throughput>1000/s,p99.90<=1.5s,service.p50<2ms,response.max<1s,mean>=10us,errors>=0.00")
	if err == nil {
		t.Fatalf("errors>=0 holds always: %v", got)
	}
	got, err = Parse(" p99 < 50ms, errors<0.1% ,throughput>1000/s,p99.90<=1.5s,service.p50<2ms,response.max<1s,mean>=10us")
	if err != nil {
		t.Fatal(err)
	}
	want := Bounds{
		{Metric{Quantile, 99, Usual}, Less, 50e6},
		{Metric{Errors, 0, Usual}, Less, 0.001},
		{Metric{Throughput, 0, Usual}, More, 1000},
		{Metric{Quantile, 99.9, Usual}, AtMost, 1.5e9},
		{Metric{Quantile, 50, Service}, Less, 2e6},
		{Metric{Max, 0, Response}, Less, 1e9},
		{Metric{Mean, 0, Usual}, AtLeast, 1e4},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s, want := got.String(), "p99<50ms,errors<0.1%,throughput>1000/s,p99.9<=1.5s,service.p50<2ms,response.max<1s,mean>=10µs"; s != want {
		t.Errorf("%s, want %s", s, want)
	}
	// Both sides of one metric, none at all, and shares that are not written in
	// percent.
	for s, want := range map[string]string{
		"p50>1ms,p50<2ms": "p50>1ms,p50<2ms", "errors<=0%": "errors<=0%", "errors<0.001": "errors<0.1%",
		"throughput>=0.5": "throughput>=0.5/s", "max<1h0m0.5s": "max<1h0m0.5s", "errors < 5 %": "errors<5%", "errors>0.5": "errors>50%",
		"errors<0.007": "errors<0.007", // a hundredth of 100 times 0.007 is not 0.007
	} {
		if b, err := Parse(s); err != nil || b.String() != want {
			t.Errorf("%s: %v, %v, want %s", s, b, err, want)
		}
	}
}

// Every refusal says where it is and what to write instead.
func TestParseRefuses(t *testing.T) {
	for s, want := range map[string]string{
		"":                            "no bounds; write bounds like p99<50ms",
		"p99<50ms,":                   "bound 2, \"\": empty",
		"p99":                         "no operator (< <= > >=)",
		"p99=50ms":                    `"=" is not an operator`,
		"p99==50ms":                   `"==" is not an operator`,
		"p99<50":                      `"50" is not a time: write it like 50ms`,
		"p99<":                        `"" is not a time`,
		"p99<-5ms":                    "negative",
		"p99<0s":                      "above 0",
		"p99<100000h":                 "longer than",
		"p0<1ms":                      "between p0 and p100",
		"p100<1ms":                    "for the largest time write max",
		"p9e1<1ms":                    `unknown metric "p9e1"`,
		"p<1ms":                       `unknown metric "p"`,
		"latency<1ms":                 "use p50, p99, p99.9",
		"service.errors<1%":           `omit "service."`,
		"errors<5ms":                  "is not a share: write it like 0.1%",
		"errors<101%":                 "more than all",
		"errors<2":                    "more than all",
		"errors<0%":                   "write errors<=0%",
		"errors<=100%":                "every share",
		"errors<-1%":                  "is not a share",
		"throughput>1000ms":           "is not a rate: write it like 1000/s",
		"throughput>1e3/s":            "is not a rate",
		"throughput>0/s":              "above 0",
		"p99<1ms,p99<=2ms":            `bounded on this side already, by "p99<1ms"`,
		"p99<1ms,p99.0<2ms":           "bounded on this side already",
		strings.Repeat("p", 5000):     "5000 bytes are too many",
		strings.Repeat("max<1s,", 64): "too many",
	} {
		if b, err := Parse(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v; want %q", s, b, err, want)
		}
	}
}

// What Parse accepts reads the same when it is printed and read again, and
// describes values that exist.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"p99<50ms,errors<0.1%,throughput>1000/s", "service.p99.99<=1.5s, response.mean>2us", "errors<=0", "errors<7%", "max<1h2m3.000000004s", "p33.333333333<1ms", "throughput>0.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := Parse(s)
		if err != nil {
			if b != nil {
				t.Errorf("%q: bounds and %v", s, err)
			}
			return
		}
		again, err := Parse(b.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", s, b, err)
		}
		if diff := cmp.Diff(b, again); diff != "" {
			t.Fatalf("%q prints as %q:\n%s", s, b, diff)
		}
		for _, one := range b {
			if !(one.Value >= 0) || math.IsInf(one.Value, 0) || one.Metric.Kind == Errors && one.Value > 1 ||
				one.Metric.Kind == Quantile != (one.Metric.Percent > 0 && one.Metric.Percent < 100) {
				t.Errorf("%q: %+v", s, one)
			}
			// A bound parts the values in two.
			if above, below := one.Holds(one.Value+1), one.Holds(one.Value-1); above == below && one.Value < 1e15 {
				t.Errorf("%v holds above and below alike", one)
			}
		}
	})
}

// result is ten seconds of a load: 1000 requests of 1 to 1000 ms, of which ten
// failed with an answer; in an open loop each was due a second before it was
// sent.
func result(open bool) *loadresult.Result {
	start := time.Unix(0, 0)
	r := &loadresult.Result{Start: start, End: start.Add(10 * time.Second), Open: open, Requests: 1000,
		Status: map[int]int64{200: 990, 500: 10}, Errors: map[string]int64{loadresult.Status5xx: 10}}
	for i := range int64(1000) {
		r.Service.Record((i + 1) * 1e6)
		if open {
			r.Response.Record((i+1)*1e6 + 1e9)
		}
	}
	return r
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		bounds string
		open   bool
		want   string
	}{
		{"p50<500ms", false, "p50<500ms is broken: 50"}, // a bucket's bound lies above
		{"p50<510ms", false, "p50<510ms is met: 50"},
		{"p50<510ms", true, "p50<510ms is broken: 1.50 s"},
		{"service.p50<510ms", true, "service.p50<510ms is met: 50"},
		{"response.p50<=1.6s", true, "response.p50<=1.6s is met: 1.50 s"},
		{"response.p50<1.6s", false, "response.p50<1.6s is unknown: a closed loop has no response times"},
		{"max<=1s", false, "max<=1s is met: 1 s"},
		{"max<1s", false, "max<1s is broken: 1"},
		{"mean>600ms", false, "mean>600ms is broken: 50"},
		{"mean<501ms", false, "mean<501ms is met: 500"}, // exactly 500.5 ms
		{"errors<1%", false, "errors<1% is broken: 1.0 %"},
		{"errors<=1%", false, "errors<=1% is met: 1.0 %"},
		{"throughput>100/s", false, "throughput>100/s is broken: 100/s"},
		{"throughput>=100/s", false, "throughput>=100/s is met: 100/s"},
		{"p99.99<2s", false, "p99.99<2s is met: 1.00 s (of 1,000 times: their maximum)"},
		{"p99.9<2s", false, "p99.9<2s is met: 1.00 s"},
		{"p99.95<2s", false, "p99.95<2s is met: 1.00 s (of 1,000 times: their maximum)"},
	} {
		b, err := Parse(c.bounds)
		if err != nil {
			t.Fatal(err)
		}
		got := b.Judge(result(c.open))
		if len(got) != 1 || !strings.HasPrefix(strings.ReplaceAll(got[0].String(), "1 s", "1.00 s"), strings.ReplaceAll(c.want, "1 s", "1.00 s")) {
			t.Errorf("open %v: %q, want %q", c.open, got, c.want)
		}
		if strings.Contains(got[0].Note, "the largest") != strings.Contains(c.want, "the largest") {
			t.Errorf("%s: note %q", c.bounds, got[0].Note)
		}
	}
}

// All bounds are judged, the first broken one is named, and what is unknown is
// not met.
func TestJudgeAll(t *testing.T) {
	b, err := Parse("p50<2s,errors<0.1%,max<1ms")
	if err != nil {
		t.Fatal(err)
	}
	v := b.Judge(result(false))
	first, ok := Broken(v)
	if !ok || first.Bound != b[1] || Met(v) || v[0].Broken || !v[2].Broken {
		t.Errorf("%v: %v", v, first)
	}
	if v := b[:1].Judge(result(false)); !Met(v) {
		t.Errorf("%v", v)
	}
	// Of a load without an answer nothing is known, and its errors least of all.
	empty := b.Judge(&loadresult.Result{})
	for i := range empty {
		if !empty[i].Unknown || empty[i].Broken || !math.IsNaN(empty[i].Value) || empty[i].Note == "" {
			t.Errorf("%+v", empty[i])
		}
	}
	if _, ok := Broken(empty); ok || Met(empty) {
		t.Error("a load without an answer was judged")
	}
	all, err := Parse("throughput>1/s")
	if err != nil {
		t.Fatal(err)
	}
	if v := all.Judge(&loadresult.Result{}); !v[0].Unknown {
		t.Errorf("%v", v)
	}
	// Every request failed without an answer: errors are known, times are not.
	refused := &loadresult.Result{Start: time.Unix(0, 0), End: time.Unix(1, 0), Requests: 5, Errors: map[string]int64{loadresult.Refused: 5}}
	v = b.Judge(refused)
	if !v[0].Unknown || !v[1].Broken || v[1].Value != 1 || !v[2].Unknown {
		t.Errorf("%v", v)
	}
}
