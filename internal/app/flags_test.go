package app

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"whet/internal/cli"
)

// A time is written alike in every verb: 5 is 5s. A flag of one says `time` in its
// help, which is how a new one comes into this table.
func TestTimesAlike(t *testing.T) {
	var seen []string
	for _, c := range commands() {
		first, _ := c.Flags()
		first.VisitAll(func(f *flag.Flag) {
			if what, _ := flag.UnquoteUsage(f); what != "time" {
				if _, is := f.Value.(cli.DurationFlag); is {
					t.Errorf("%s -%s: its help does not call it a time", c.Name, f.Name)
				}
				return
			}
			seen = append(seen, f.Name)
			if f.Name == "think" {
				return // a text that is read later: its tests are in package message
			}
			value := func(text string) string {
				fs, _ := c.Flags()
				if err := fs.Set(f.Name, text); err != nil {
					t.Errorf("%s -%s %s: %v", c.Name, f.Name, text, err)
				}
				return fs.Lookup(f.Name).Value.String()
			}
			if a, b, other := value("5"), value("5s"), value("1m"); a != b || a == other {
				t.Errorf("%s -%s: 5 is %s, 5s %s, 1m %s", c.Name, f.Name, a, b, other)
			}
			fs, _ := c.Flags()
			if err := fs.Set(f.Name, "soon"); err == nil && f.Name != "benchtime" { // which package testing reads
				t.Errorf("%s -%s: soon is a time", c.Name, f.Name)
			}
		})
	}
	slices.Sort(seen)
	if got := strings.Join(slices.Compact(seen), " "); got != "benchtime budget d from ready seconds slice think timeout to warmup" {
		t.Errorf("flags of a time: %s", got)
	}
}

// HOST:PORT is http:// in the verbs that take a URL: nobody listens, and the
// error says so in place of asking for a scheme.
func TestLocalAddress(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{
		"load -d 1 127.0.0.1:1/x", "load -knee -budget 5 127.0.0.1:1/x",
		"tune -d 3 -ready 0.3s 127.0.0.1:1/x", "record -d 3 -ready 0.3s 127.0.0.1:1/x",
		"prove -ready 0.3s -url 127.0.0.1:1/x 127.0.0.1:1/y",
		"top 127.0.0.1:1/debug/pprof/heap", "flame 127.0.0.1:1/debug/pprof/heap", "diagnose 127.0.0.1:1/debug/pprof/heap",
		"diff 127.0.0.1:1/debug/pprof/heap 127.0.0.1:1/debug/pprof/heap",
	} {
		var out, errs strings.Builder
		code := Run(t.Context(), strings.Fields(args), nil, &out, &errs)
		if code == cli.ExitDone || !strings.Contains(errs.String(), "connection refused") {
			t.Errorf("%s: %d, %q", args, code, errs.String())
		}
	}
}
