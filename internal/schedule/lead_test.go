package schedule

import (
	"testing"
	"time"
)

// Behind the lead, which goes at the first rate, the plan is the same.
func TestLed(t *testing.T) {
	ramp := Ramp(100, 300, 10*time.Second)
	led := ramp.Led(3 * time.Second)
	if n := led.Before(3 * time.Second); n != 300 {
		t.Errorf("%d arrivals in the lead", n)
	}
	for _, n := range []int64{0, 1, 1999, 2000, 5000} {
		if got, want := led.At(300+n)-3*time.Second, ramp.At(n); got-want > 1 || want-got > 1 {
			t.Errorf("arrival %d at %v, want %v", n, got, want)
		}
	}
	if led.Peak() != 300 || led.Rate(20*time.Second) != 300 || led.Rate(2*time.Second) != 100 {
		t.Errorf("peak %v, rates %v and %v", led.Peak(), led.Rate(20*time.Second), led.Rate(2*time.Second))
	}
	// 10 s at a mean of 200, and 2 s more at 300.
	if got := ramp.Planned(12 * time.Second); got != 2600 {
		t.Errorf("%v planned", got)
	}
	steps := Steps([]Step{{50, time.Second}, {20, 2 * time.Second}}).Poisson(7).Led(time.Second)
	if !steps.Random() || steps.Rate(1500*time.Millisecond) != 50 || steps.Rate(2500*time.Millisecond) != 20 || steps.Rate(time.Hour) != 20 {
		t.Error("steps are not what they were")
	}
	// The rate that goes on may be another than the last piece's.
	open, err := Parse("100/s:2s,300/s", 0)
	if err != nil {
		t.Fatal(err)
	}
	if open = open.Led(time.Second); open.Rate(2*time.Second) != 100 || open.Rate(3*time.Second) != 300 || open.Peak() != 300 || open.Before(4*time.Second) != 600 {
		t.Errorf("rates %v and %v, %d arrivals", open.Rate(2*time.Second), open.Rate(3*time.Second), open.Before(4*time.Second))
	}
	constant := Constant(10)
	if got := constant.Led(time.Second); got.At(7) != constant.At(7) || got.Span() != 0 {
		t.Error("a constant plan changed")
	}
	if (Schedule{}).Led(time.Second).Open() || (Schedule{}).Peak() != 0 || (Schedule{}).Planned(time.Second) != 0 {
		t.Error("no plan became one")
	}
}
