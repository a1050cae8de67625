package compare

import (
	"strings"
	"testing"
)

func rowsOf(verdicts ...Verdict) []Row {
	var rows []Row
	for _, v := range verdicts {
		rows = append(rows, Row{Name: "BenchmarkX", Metric: NsPerOp, Gates: true, Verdict: v, Ratio: map[Verdict]float64{Faster: 2, Slower: 0.5, NoChange: 1, CannotTell: 1.1}[v]})
	}
	return rows
}

func TestExitCodeAndSummary(t *testing.T) {
	bytesOnly := Row{Name: "BenchmarkX", Metric: BytesPerOp, Verdict: Slower, Ratio: 0.5}
	allocs := Row{Name: "BenchmarkX", Metric: AllocsPerOp, Gates: true, Verdict: Slower, Ratio: 0.5}
	for _, c := range []struct {
		name string
		r    Result
		code int
		kind string
		text string
	}{
		{"faster", Result{Benchmarks: rowsOf(Faster)}, 0, "faster", "time: faster (2.00x)"},
		{"no change", Result{Benchmarks: rowsOf(NoChange, NoChange)}, 0, "no change", "time: no change in 2 of 2"},
		{"slower", Result{Benchmarks: rowsOf(Slower, NoChange)}, 1, "slower", "time: slower in 1 of 2 (0.500x), no change in 1 of 2"},
		{"mixed", Result{Benchmarks: rowsOf(Slower, Faster)}, 1, "mixed", "time: slower in 1 of 2 (0.500x), faster in 1 of 2 (2.00x)"},
		{"slower beside cannot tell", Result{Benchmarks: rowsOf(Slower, CannotTell)}, 1, "slower", ""},
		{"cannot tell", Result{Benchmarks: rowsOf(CannotTell, Faster)}, 4, "cannot tell", ""},
		{"more bytes do not decide", Result{Benchmarks: append(rowsOf(Faster), bytesOnly)}, 0, "faster", "time: faster (2.00x); bytes: more (0.500x)"},
		{"bytes of two", Result{Benchmarks: append(rowsOf(Faster), bytesOnly, Row{Metric: BytesPerOp, Verdict: Faster, Ratio: 3})}, 0, "faster", "time: faster (2.00x); bytes: more in 1 of 2 (0.500x), fewer in 1 of 2 (3.00x)"},
		{"bytes that are the same", Result{Benchmarks: append(rowsOf(Faster), Row{Metric: BytesPerOp, Verdict: NoChange, Ratio: 1}, Row{Metric: BytesPerOp, Verdict: CannotTell})}, 0, "faster", "time: faster (2.00x)"},
		{"more allocations decide", Result{Benchmarks: append(rowsOf(Faster), allocs)}, 1, "mixed", "time: faster (2.00x); allocations: more (0.500x)"},
		{"a failure", Result{Benchmarks: rowsOf(Slower), Failures: []Failure{{"BenchmarkY", "new", "it panicked"}}}, 3, "failed", "time: slower (0.500x); 1 benchmark failed: BenchmarkY of new: it panicked"},
		{"nothing", Result{}, 3, "failed", "nothing was compared"},
		{"interrupted", Result{Benchmarks: rowsOf(Slower), Interrupted: true}, 130, "interrupted", "interrupted: time: slower (0.500x)"},
		{"interrupted, and where", Result{Benchmarks: rowsOf(Faster), Interrupted: true, Partial: "interrupted after 12 of 40 rounds"}, 130, "interrupted", "interrupted after 12 of 40 rounds: time: faster (2.00x)"},
		{"trouble", Result{Benchmarks: rowsOf(Faster), Trouble: "the disk is full"}, 3, "faster", "time: faster (2.00x); the disk is full"},
		{"to none", Result{Benchmarks: []Row{{Metric: AllocsPerOp, Gates: true, Verdict: Faster, Ratio: MaxRatio}}}, 0, "faster", "allocations: fewer (to none)"},
		{"required, and there", Result{Require: Faster, Benchmarks: rowsOf(Faster, NoChange)}, 0, "faster", "time: faster in 1 of 2 (2.00x), no change in 1 of 2"},
		{"required, and not there", Result{Require: Faster, Benchmarks: rowsOf(NoChange)}, 1, "no change", "time: no change; no benchmark is faster, and -require faster was given"},
		{"required, and perhaps there", Result{Require: Faster, Benchmarks: rowsOf(CannotTell, NoChange)}, 4, "cannot tell", ""},
		{"required, there, and slower elsewhere", Result{Require: Faster, Benchmarks: rowsOf(Faster, Slower)}, 1, "mixed", ""},
		{"required, and only bytes are fewer", Result{Require: Faster, Benchmarks: append(rowsOf(NoChange), Row{Metric: BytesPerOp, Verdict: Faster, Ratio: 2})}, 1, "no change", ""},
		{"cpu time does not decide", Result{Benchmarks: append(rowsOf(Faster), Row{Metric: CPUNsPerOp, Verdict: CannotTell})}, 0, "faster", "time: faster (2.00x)"},
		{"a service", Result{Benchmarks: []Row{
			{Metric: P50Ns, Gates: true, Verdict: NoChange, Ratio: 1}, {Metric: P99Ns, Gates: true, Verdict: Slower, Ratio: 0.5}, {Metric: RequestsPerSecond, Verdict: Slower, Ratio: 0.5},
		}}, 1, "slower", "response time p50: no change; response time p99: slower (0.500x)"},
		{"a command", Result{Benchmarks: []Row{{Metric: WallNs, Gates: true, Verdict: Faster, Ratio: 2}}}, 0, "faster", "wall time: faster (2.00x)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.Summarize()
			if got := c.r.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			if c.r.Verdict.Kind != c.kind || c.text != "" && c.r.Verdict.Text != c.text {
				t.Errorf("verdict %+v, want %s: %s", c.r.Verdict, c.kind, c.text)
			}
			if strings.ContainsAny(c.r.Verdict.Text, "\n") {
				t.Error("the verdict is more than a line")
			}
		})
	}
}

// TestEnded: what is left of a budget is explained, unless that is next to nothing or
// something else explains it.
func TestEnded(t *testing.T) {
	of := func(elapsed int64, change func(*Result)) string {
		r := Result{BudgetNs: 100, ElapsedNs: elapsed, RoundsPlanned: 40, RoundsMeasured: 40, Benchmarks: []Row{{Rounds: 40, Verdict: Faster}}}
		if change != nil {
			change(&r)
		}
		return r.Ended()
	}
	const certain, planned = "every verdict was certain", "no rounds were left to measure"
	open := func(r *Result) { r.Benchmarks[0].Verdict = CannotTell }
	for _, c := range []struct{ got, want string }{
		{of(40, nil), certain}, {of(90, nil), certain}, {of(91, nil), ""}, {of(130, nil), ""}, {of(40, open), planned},
		{of(40, func(r *Result) { open(r); r.RoundsMeasured = 39 }), ""},
		{of(40, func(r *Result) { r.Partial = "the budget ended after 3 of 40 rounds" }), ""},
		{of(40, func(r *Result) { r.Trouble = "the disk is full" }), ""},
		// Of 100, 30 found the rate and 45 went into 3 rounds, 15 each: with 25 left a fourth
		// would have fitted, with 12 it would not, and with 8 nobody asks.
		{of(45, func(r *Result) { open(r); r.CalibratedNs, r.RoundsPlanned, r.RoundsMeasured = 30, 3, 3 }), planned},
		{of(45, func(r *Result) { open(r); r.CalibratedNs, r.RoundsPlanned, r.RoundsMeasured = 43, 3, 3 }), "another round takes 15.0 ns"},
		{of(45, func(r *Result) { open(r); r.CalibratedNs, r.RoundsPlanned, r.RoundsMeasured = 47, 3, 3 }), ""},
		{of(40, func(r *Result) { r.RoundsPlanned = 0 }), ""}, {of(40, func(r *Result) { r.BudgetNs = 0 }), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestPrintRatio(t *testing.T) {
	for x, want := range map[float64]string{
		MaxRatio: "to none", 1 / MaxRatio: "from none", 1: "1.000x", 1.004: "1.004x", 0.995: "0.995x", 1.25: "1.25x", 9.214: "9.21x", 0.5: "0.500x",
	} {
		if got := PrintRatio(x); got != want {
			t.Errorf("PrintRatio(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestPrintInterval(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.5, 2, "0.500x to 2.00x"}, {1, 1, "1.000x"}, {12.5, MaxRatio, "12.5x or more"}, {1 / MaxRatio, 0.25, "0.250x or less"},
		{1 / MaxRatio, MaxRatio, "any"}, {MaxRatio, MaxRatio, "to none"}, {1 / MaxRatio, 1 / MaxRatio, "from none"},
	} {
		if got := PrintInterval(c.low, c.high); got != c.want {
			t.Errorf("%v to %v is printed %q, want %q", c.low, c.high, got, c.want)
		}
	}
}
