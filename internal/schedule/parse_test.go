package schedule

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		text string
		want string // as String prints it
		span time.Duration
	}{
		{"5000/s", "5000/s", 0},
		{"5000", "5000/s", 0},
		{" 5000 / s ", "5000/s", 0},
		{"300/m", "5/s", 0},
		{"1/m", "1/m", 0},
		{"7/h", "7/h", 0},
		{"50/1s", "50/s", 0},
		{"50/100ms", "500/s", 0},
		{"5/ms", "5000/s", 0},
		{"20k/s", "20000/s", 0},
		{"0.5M", "500000/s", 0},
		{"0.25/s", "15/m", 0},
		{"100/s..20000/s", "100/s..20000/s:1m", time.Minute},
		{"0..10", "0/s..10/s:1m", time.Minute},
		{"10..0:2s", "10/s..0/s:2s", 2 * time.Second},
		{"100/s:10s,200/s:20s", "100/s:10s,200/s:20s", 30 * time.Second},
		{"100/s:10,200/s", "100/s:10s,200/s", 10 * time.Second},
		{"100/s:10s,200/s", "100/s:10s,200/s", 10 * time.Second},
		{"100/s:10s,100/s", "100/s:10s", 10 * time.Second},
		{"10/s..100/s:10s, 100/s:50s, 100/s..0:1h", "10/s..100/s:10s,100/s:50s,100/s..0/s:1h", time.Hour + time.Minute},
		{"10:1s,0:1s,10", "10/s:1s,0/s:1s,10/s", 2 * time.Second},
	} {
		s, err := Parse(tc.text, time.Minute)
		if err != nil {
			t.Errorf("Parse(%q): %v", tc.text, err)
			continue
		}
		if s.String() != tc.want || s.Span() != tc.span || !s.Open() || s.Random() {
			t.Errorf("Parse(%q) = %q over %s, want %q over %s", tc.text, s, s.Span(), tc.want, tc.span)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct {
		text string
		d    time.Duration
		want string
	}{
		{"", time.Minute, `rate "": is empty; write one like "5000/s"`},
		{"fast", time.Minute, `"fast" is not a rate; write one like "5000/s", "300/m"`},
		{"-5/s", time.Minute, `"-5/s" is not a rate`},
		{"inf/s", time.Minute, `"inf/s" is not a rate`},
		{"NaN", time.Minute, `"NaN" is not a rate`},
		{"0x10/s", time.Minute, `"0x10/s" is not a rate`},
		{"1e3/s", time.Minute, `"1e3/s" is not a rate`},
		{".", time.Minute, `"." is not a rate`},
		{"5/x", time.Minute, `"x" is not a unit of time`},
		{"5/", time.Minute, `"" is not a unit of time`},
		{"5/-1s", time.Minute, `"-1s" is not a unit of time`},
		{"2000M/s", time.Minute, `is more than 1e+09/s, one per nanosecond`},
		{"0/s", time.Minute, `plans no arrivals`},
		{"0..0:1s", time.Minute, `plans no arrivals`},
		{"1..2", 0, `ramp "1..2" needs a duration: 1..2:30s`},
		{"1,2:3s", time.Minute, `piece "1" needs a duration because more follow: 1:10s`},
		{"1:x", time.Minute, `"x" is not a duration`},
		{"1:-1s", time.Minute, `has no duration`},
		{"1:0s,2", time.Minute, `has no duration`},
		{"1..2..3", time.Minute, `"2..3" is not a rate`},
		{"1:9999h,1:2h", time.Minute, `lasts more than 10000h`},
		{"0." + strings.Repeat("0", 322) + "1/1000h", time.Minute, `is too low`},
		{strings.Repeat("1:1s,", 1000) + "1", time.Minute, `has 1001 pieces`},
	} {
		s, err := Parse(tc.text, tc.d)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Parse(%q): error %v, want %q", tc.text, err, tc.want)
		}
		if s.Open() {
			t.Errorf("Parse(%q): gives arrivals beside its error", tc.text)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("Parse(%q): an error of %d bytes", tc.text, len(err.Error()))
		}
	}
}

// TestString: rates next to a whole number of arrivals a minute are no such
// number.
func TestString(t *testing.T) {
	rates := []float64{0.1, 1e-9, MaxRate, 1.0 / 3}
	for n := range 1000 {
		minute := float64(n+1) / 60
		rates = append(rates, minute, math.Nextafter(minute, 0), math.Nextafter(minute, 1e3), minute/60)
	}
	for _, rate := range rates {
		again, err := Parse(Constant(rate).String(), 0)
		if err != nil || again.Rate(0) != rate {
			t.Errorf("%g is printed as %s, and read again %g, %v", rate, Constant(rate), again.Rate(0), err)
		}
	}
	if got, want := Constant(5000).Poisson(7).String(), "5000/s, Poisson arrivals, seed 7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzParse: what is read and printed is read again as the same plan.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"5000/s", "300/m", "1/m", "100/s..20000/s", "100/s:10s,200/s:20s", "0..10:1s,0:1s,3", "0.3/7ms", "1000M/s",
		"10..0", "1:1ns,2", "00001.50k/h", "1:1h0m0s", "9/µs",
	} {
		f.Add(seed, int64(time.Minute))
	}
	f.Fuzz(func(t *testing.T, text string, d int64) {
		s, err := Parse(text, time.Duration(d))
		if err != nil {
			return
		}
		again, err := Parse(s.String(), 0)
		if err != nil {
			t.Fatalf("%q is printed as %q, which is refused: %v", text, s, err)
		}
		if again.String() != s.String() || again.Span() != s.Span() {
			t.Fatalf("%q is %q, and read again %q", text, s, again)
		}
		for _, at := range []time.Duration{0, 1, s.Span() / 3, s.Span(), s.Span() + time.Second} {
			if again.Rate(at) != s.Rate(at) {
				t.Fatalf("%q at %s: rate %g, and read again %g", text, at, s.Rate(at), again.Rate(at))
			}
		}
		last := time.Duration(0)
		for n := range int64(50) {
			at := s.At(n)
			if at < last || again.At(n) != at {
				t.Fatalf("%q: arrival %d at %d after %d, read again %d", text, n, at, last, again.At(n))
			}
			last = at
		}
	})
}
