package prove

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/prove/rounds"
)

func TestOptions(t *testing.T) {
	s := DefaultOptions()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Options){
		"-budget 10ms": func(s *Options) { s.Budget = 10 * time.Millisecond },
		"-rounds -1":   func(s *Options) { s.Rounds = -1 },
		"-alpha 0:":    func(s *Options) { s.Alpha = 0 },
		"-alpha NaN":   func(s *Options) { s.Alpha = math.NaN() },
		"-margin 1:":   func(s *Options) { s.Margin = 1 },
		"-margin NaN":  func(s *Options) { s.Margin = math.NaN() },
		"no clock":     func(s *Options) { s.Now = nil },
	} {
		s := DefaultOptions()
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestEnv(t *testing.T) {
	o := DefaultOptions()
	o.Env = [2][]string{{"A=b", "C="}, {"D=e=f"}}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "A", "=b", "A=\x00"} {
		o.Env = [2][]string{nil, {bad}}
		if err := o.Validate(); err == nil || !strings.HasPrefix(err.Error(), "-new-env ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestLastWords(t *testing.T) {
	for output, want := range map[string]string{
		"":        "",
		" \n\n":   "",
		"one\n":   `; it said "one"`,
		"a\nb\n ": `; it said "b"`,
		"starting\npanic: no\n\ngoroutine 1 [running]:\nmain.main()\n": `; it said "panic: no"`,
		"fatal error: all goroutines are asleep\n\ngoroutine 1":        `; it said "fatal error: all goroutines are asleep"`,
		"\x1b[31mred\xff": `; it said "\x1b[31mred\xff"`,
	} {
		if got := lastWords([]byte(output)); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	if got := lastWords([]byte(strings.Repeat("é", 1000))); len(got) > 250 || !strings.HasSuffix(got, "é\"…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// What went wrong stands on stderr; stdout speaks where that is silent.
func TestPrinted(t *testing.T) {
	var passed bytes.Buffer
	p := Keep(&passed)
	if got := p.LastWords(); got != "" {
		t.Errorf("%q", got)
	}
	fmt.Fprintln(p.Stdout(), "out")
	if got := p.LastWords(); got != `; it said "out"` {
		t.Errorf("%q", got)
	}
	fmt.Fprintln(p.Stderr(), "err")
	fmt.Fprintln(p.Stdout(), "more")
	if got := p.LastWords(); got != `; it said "err"` || passed.String() != "out\nerr\nmore\n" {
		t.Errorf("%q, passed on %q", got, passed.String())
	}
	fmt.Fprint(Keep(nil).Stdout(), "nobody listens")
}

// A proof begins with every list there and none of them filled, and an
// interrupt before the rounds says so.
func TestBegin(t *testing.T) {
	s := DefaultOptions()
	s.Old, s.New, s.Env = "a", "b", [2][]string{{"X=1"}, nil}
	p := Begin(&s, compare.KindCommands)
	if r := p.Result; r.Schema != document.Prove || r.Kind != compare.KindCommands || r.Seed == 0 || r.Run != 1 ||
		r.Old.Operand != "a" || len(r.Old.Env) != 1 || r.New.Operand != "b" || r.New.Env == nil || r.Failures == nil || r.Disturbances == nil || r.Why == nil {
		t.Errorf("%+v", r)
	}
	p.Warn("%d", 1)
	p.Warn("1")
	if len(p.Result.Warnings) != 1 {
		t.Errorf("%q", p.Result.Warnings)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := p.End(ctx); r.ExitCode() != 130 || r.Verdict.Kind != "interrupted" || r.Partial != "interrupted before the first round" {
		t.Errorf("exit %d, %+v", r.ExitCode(), r.Verdict)
	}
}

// turns is a runner that takes its time by a clock that stands still otherwise.
type turns struct {
	now  time.Time
	took time.Duration
}

func (r *turns) Prepare(context.Context, int, uint64, []int) error { return nil }

func (r *turns) Slice(context.Context, rounds.SliceRequest) (compare.Slice, error) {
	r.now = r.now.Add(r.took)
	return compare.Slice{compare.NsPerOp: 1}, nil
}

// A budget of a minute holds two rounds of three slices of 8 s. What would do is
// said: nine of them, for 2·2⁻⁹ is the first below 0.8 of 0.005, 216 s, after the 5
// s that went before; a tenth more is 243.1 s, and in steps of 5 s 245.
func TestBudgetThatWouldDo(t *testing.T) {
	r := &turns{now: time.Unix(0, 0), took: 8 * time.Second}
	s := DefaultOptions()
	s.Budget, s.Now = time.Minute, func() time.Time { return r.now }
	p := Begin(&s, compare.KindService)
	r.now = r.now.Add(5 * time.Second)
	subject := rounds.Benchmark{Name: "x", Metrics: []compare.Metric{compare.MetricOf(compare.NsPerOp)}, Slice: [2]time.Duration{r.took, r.took}}
	if err := p.Measure(t.Context(), subject, r); err != nil {
		t.Fatal(err)
	}
	const want = "the budget of 1m0s allows 2 rounds, and a difference in what varies takes 9 to be found: -budget 4m5s would suffice"
	if !slices.Contains(p.Result.Warnings, want) {
		t.Errorf("%q, want %q", p.Result.Warnings, want)
	}
}
