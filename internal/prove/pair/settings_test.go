package pair

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/compare"
)

func TestSettings(t *testing.T) {
	s := DefaultSettings()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Settings){
		"-budget 10ms": func(s *Settings) { s.Budget = 10 * time.Millisecond },
		"-rounds -1":   func(s *Settings) { s.Rounds = -1 },
		"-alpha 0:":    func(s *Settings) { s.Alpha = 0 },
		"-alpha NaN":   func(s *Settings) { s.Alpha = math.NaN() },
		"-margin 1:":   func(s *Settings) { s.Margin = 1 },
		"-margin NaN":  func(s *Settings) { s.Margin = math.NaN() },
		"the clock":    func(s *Settings) { s.Now = nil },
	} {
		s := DefaultSettings()
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestCheckEnv(t *testing.T) {
	if err := CheckEnv([2][]string{{"A=b", "C="}, {"D=e=f"}}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "A", "=b", "A=\x00"} {
		if err := CheckEnv([2][]string{nil, {bad}}); err == nil || !strings.HasPrefix(err.Error(), "-new-env ") {
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
	s := DefaultSettings()
	p := Begin(&s, compare.KindCommands, "a", "b", [2][]string{{"X=1"}, nil})
	if r := p.Result; r.Schema != compare.Schema || r.Kind != compare.KindCommands || r.Seed == 0 || r.Run != 1 ||
		r.Old.Operand != "a" || len(r.Old.Env) != 1 || r.New.Operand != "b" || r.New.Env == nil || r.Failures == nil || r.Disturbances == nil || r.Why == nil {
		t.Errorf("%+v", r)
	}
	p.Warn("%d", 1)
	p.Warn("1")
	if len(p.Result.Warnings) != 1 {
		t.Errorf("%q", p.Result.Warnings)
	}
	if r := p.Interrupted(); r.ExitCode() != 130 || r.Verdict.Kind != "interrupted" || r.Partial != "interrupted before the first round" {
		t.Errorf("exit %d, %+v", r.ExitCode(), r.Verdict)
	}
}
