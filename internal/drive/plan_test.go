package drive

import (
	"flag"
	"strings"
	"testing"
	"time"

	"whet/internal/cli"
	"whet/internal/schedule"
)

func loadFlagSet() *flag.FlagSet { return flag.NewFlagSet("load", flag.ContinueOnError) }

// The rate as it is told, with the load's duration, is the plan that is driven:
// also that of a ramp whose end is a number of requests.
func TestToldRate(t *testing.T) {
	for args, want := range map[string]string{
		"-n 60 -rate 100/s..200/s":             "100/s..200/s:10s",
		"-n 60 -rate 100/s..200/s -d 3s":       "100/s..200/s",
		"-n 60 -rate 300/m -poisson":           "300/m",
		"-n 60 -rate 9/s:1s,9/s..7/s -poisson": "9/s:1s,9/s..7/s:10s",
		"-rate 100/s..200/s":                   "100/s..200/s",
	} {
		fs := loadFlagSet()
		l := newLoadFlags(fs)
		if err := fs.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		p, err := l.plan(new(cli.Env), []string{"http://127.0.0.1:1/"})
		if err != nil {
			t.Fatal(err)
		}
		told, err := schedule.Parse(p.told.Rate, p.told.Duration)
		if err != nil || p.told.Rate != want || told.Rate(2*time.Second) != p.options.Schedule.Rate(2*time.Second) {
			t.Errorf("%s: %s, %v after 2 s, driven are %v; %v", args, p.told.Rate, told.Rate(2*time.Second), p.options.Schedule.Rate(2*time.Second), err)
		}
	}
}
