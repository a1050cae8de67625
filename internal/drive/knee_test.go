package drive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whet/internal/analyze/capacity"
	"whet/internal/cli"
	"whet/internal/knee"
	"whet/internal/load"
	"whet/internal/loadresult"
	loadreport "whet/internal/report/load"
	"whet/internal/schedule"
	"whet/internal/stat"
)

// Whatever the best throughput is and however many clients it took, the search for a
// rate asks for none, and for no number of connections, that a load refuses.
func TestRatesBehindTheKnee(t *testing.T) {
	for _, best := range []float64{0.3, 100, 70_000, 600_000, 2e6, 2e7} {
		o := knee.Rates(&knee.Knee{Plateau: capacity.Plateau{Throughput: stat.Interval{Center: best}}})
		if err := o.Validate(); err != nil {
			t.Errorf("%v/s: %v", best, err)
		}
		l := load.DefaultOptions()
		l.URL, l.Schedule = "http://127.0.0.1:1/", schedule.Constant(o.Most)
		if err := l.Validate(); err != nil {
			t.Errorf("%v/s: %v", best, err)
		}
	}
	for at, want := range map[float64]int{1: 64, 100: 400, 4096: load.MaxConcurrency} {
		s := &kneeSearch{l: newLoadFlags(loadFlagSet()), plan: &loadPlan{options: load.DefaultOptions()}}
		s.connections(&knee.Knee{At: at})
		if got := s.plan.options.Concurrency; got != want {
			t.Errorf("%v clients: %d connections, want %d", at, got, want)
		}
	}
}

// What -o names is written with all levels of what was looked for, also where no
// rate keeps the bounds and where no knee was found at all; for a recording there is
// then no run.
func TestKneeWritesWhatItDidNotFind(t *testing.T) {
	dir := t.TempDir()
	best := loadreport.Run{Name: "best throughput", Result: &loadresult.Result{Requests: 1, Status: map[int]int64{200: 1}}}
	lost := func() *loadreport.Search {
		s := missedSearch()
		s.Found = s.Found[1:]
		return s
	}
	for name, c := range map[string]struct {
		out     string
		runs    []loadreport.Run
		page    *loadreport.Search
		written bool
		warned  int
	}{
		"no rate":  {"rate.html", []loadreport.Run{best}, missedSearch(), true, 1},
		"nothing":  {"nothing.html", nil, lost(), true, 1},
		"no run":   {"run.whet", nil, lost(), false, 2},
		"no level": {"level.html", nil, &loadreport.Search{Found: []loadreport.KneeSearch{{Headline: "no level was measured"}}}, false, 0},
	} {
		l := newLoadFlags(loadFlagSet())
		l.out = filepath.Join(dir, c.out)
		s := &kneeSearch{l: l, plan: &loadPlan{options: load.DefaultOptions()}, runs: c.runs}
		files, err := s.write(t.Context(), &cli.Env{}, c.page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		html, _ := os.ReadFile(l.out)
		if (files.Report == l.out) != c.written || files.Recording != "" || len(html) > 0 != c.written {
			t.Errorf("%s: %+v, %d bytes", name, files, len(html))
		}
		if len(c.page.Warnings) != c.warned || c.warned > 1 && !strings.HasPrefix(c.page.Warnings[1], l.out+" is not written: ") {
			t.Errorf("%s: it warns of %q", name, c.page.Warnings)
		}
		for _, want := range []string{"No rate from 1/s to 1,600/s keeps the bounds.", "few answers", "the generator was busy", "that keeps p99&lt;1ns"} {
			if c.written && !strings.Contains(string(html), want) {
				t.Errorf("%s: the page has no %q", name, want)
			}
		}
	}
}
