package app

import (
	"flag"
	"io"
	"strings"
	"testing"
	"time"
)

// TestBudgetOfService: a budget is the time under load with the warm-up, which is a
// fifth of it at most: 5 s of 60, 2 of 10; and of 60 s, half a second and a fifth of the
// rest are for traces.
func TestBudgetOfService(t *testing.T) {
	for _, c := range []struct {
		args           string
		warmup, during time.Duration
		err            string
	}{
		{"", 5 * time.Second, 20 * time.Second, ""},
		{"-d 8s", 5 * time.Second, 8 * time.Second, ""},
		{"-budget 60s", 5 * time.Second, 43600 * time.Millisecond, ""},
		{"-budget 10s", 2 * time.Second, 8 * time.Second, ""},
		{"-budget 10s -warmup 4s", 4 * time.Second, 6 * time.Second, ""},
		{"-budget 10s -warmup 10s", 0, 0, "leaves no time after a warm-up of 10s"},
		{"-budget 10s -d 5s", 0, 0, "choose -budget or -d"},
	} {
		fs := flag.NewFlagSet("tune", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		f := newTargetFlags(fs)
		if err := fs.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		o := f.service
		err := f.divideBudget("tune", &o)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v", c.args, err)
		}
		if err == nil && (o.Load.Warmup != c.warmup || o.Load.Duration != c.during) {
			t.Errorf("%q: %v after %v, want %v after %v", c.args, o.Load.Duration, o.Load.Warmup, c.during, c.warmup)
		}
	}
}
