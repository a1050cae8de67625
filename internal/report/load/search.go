package load

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"whet/internal/analyze/capacity"
	"whet/internal/document"
	"whet/internal/loadresult"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/stat"
)

// Search is the result of a search for the knee: the best throughput, and with bounds
// the highest rate that keeps them.
type Search struct {
	Name     string // tells it from others on a page; "" where it is alone
	Plan     loadresult.Plan
	SLO      string // the bounds; "": none
	Found    []KneeSearch
	Growth   []KneeGrowth // what grew in the profiles; none without them
	Warnings []string
}

// name returns what the search is called on a page; "" where it is alone.
func (s *Search) name() string { return printable.Line(s.Name) }

// nameOf returns what one of its searches is called there; likewise.
func (s *Search) nameOf(k *KneeSearch) string {
	var parts []string
	if s.Name != "" {
		parts = append(parts, s.name())
	}
	if len(s.Found) > 1 {
		what := "best throughput"
		if k.Open {
			what = "highest rate"
		}
		parts = append(parts, what)
	}
	return strings.Join(parts, ": ")
}

// KneeSearch is a search.
type KneeSearch struct {
	Open      bool   // over rates; else over connections
	Headline  string // what was found, in one line
	Procedure string // how it was looked for
	Found     bool
	At        float64
	// Low and High are the bracket, see search.Knee; High may be +Inf.
	Low, High  float64
	Throughput float64 // at the knee, of good answers per second
	Plateau    *capacity.Plateau
	Law        *capacity.Fit
	Unstable   *[2]float64 // rates that were met once and broke once
	Levels     []KneeLevel
	Complete   bool
	Spent      time.Duration
	Invalid    string
	Warnings   []string
}

// KneeLevel is a level with its runs.
type KneeLevel struct {
	Level      float64                 `json:"level"`
	Throughput float64                 `json:"throughput_per_s"` // the estimate of all runs
	Good       bool                    `json:"good"`             // it belongs to the plateau, or keeps the bounds
	Runs       document.Array[KneeRun] `json:"runs"`
}

// KneeRun is a run of a level.
type KneeRun struct {
	Throughput  float64       `json:"throughput_per_s"`
	Concurrency float64       `json:"concurrency"`
	Errors      float64       `json:"error_ratio"`
	Answers     int64         `json:"answers"` // that the times are of
	P50         time.Duration `json:"p50_ns"`
	P99         time.Duration `json:"p99_ns"`
	Span        time.Duration `json:"span_ns"`
	Broken      string        `json:"broken"` // the bound that it broke
}

// last returns the run that a row shows: the one of the median throughput would be
// fairer, and has the times of one run as well.
func (l *KneeLevel) last() *KneeRun { return &l.Runs[len(l.Runs)-1] }

func (k *KneeSearch) over() string {
	if k.Open {
		return "requests per second"
	}
	return "connections"
}

// law says what the fitted law is and what it means.
func law(f *capacity.Fit) []string {
	within := func(iv stat.Interval, print func(float64) string) string {
		return fmt.Sprintf("%s (%s to %s)", print(iv.Center), print(iv.Low), print(iv.High))
	}
	small := func(v float64) string { return fmt.Sprintf("%.3g", v) }
	out := []string{fmt.Sprintf("The scalability law X(N) = λN/(1 + σ(N−1) + κN(N−1)) fits with λ = %s a second, σ = %s, κ = %s; it is off by %s on average.",
		within(f.LambdaInterval, quantity.Count), within(f.SigmaInterval, small), within(f.KappaInterval, small), quantity.Percent(f.Deviation))}
	if n, ok := f.Law.Peak(); ok {
		out = append(out, fmt.Sprintf("By the law, throughput peaks at %s connections (%s to %s) and falls beyond.",
			quantity.Count(math.Round(n)), quantity.Count(math.Round(f.Peak.Low)), quantity.Count(math.Round(f.Peak.High))))
	}
	return append(out, f.Warnings...)
}

// WriteSearchText writes what was found for a terminal.
func WriteSearchText(w io.Writer, s *Search, o page.TextOptions) error {
	t := writer{page.NewText(o)}
	for i := range s.Found {
		if k := &s.Found[i]; k.Invalid != "" {
			t.Invalid(k.Invalid)
		}
	}
	t.Line(t.Paint(page.Bold, page.Shorten(target(&s.Plan), t.Width)))
	t.Warnings(s.Warnings)
	for i := range s.Found {
		t.knee(&s.Found[i], s.SLO)
	}
	for i := range s.Growth {
		t.growth(&s.Growth[i])
	}
	return t.Flush(w, "load")
}

func (t *writer) knee(k *KneeSearch, slo string) {
	if k.Open {
		t.Heading("The highest rate that keeps the bounds", printable.Line(slo))
	} else {
		t.Heading("The best throughput", "")
	}
	t.Wrapped(2, page.Strong, printable.Line(k.Headline))
	t.Warnings(k.Warnings)
	t.Line()
	first, good := "connections", "plateau"
	if k.Open {
		first, good = "rate", "kept"
	}
	rows := [][]string{{first, "a second", "under way", "p50", "p99", "errors", "runs", "", ""}}
	for i := range k.Levels {
		l := &k.Levels[i]
		r := l.last()
		name, note := "", ""
		if l.Good {
			name = good
		} else if k.Open {
			name, note = "broken", printable.Line(strings.Replace(r.Broken, " is broken: ", ": ", 1))
		}
		if k.Found && l.Level == k.At {
			name += ", the knee"
		}
		rows = append(rows, []string{quantity.Count(l.Level), quantity.Count(l.Throughput), quantity.Count(r.Concurrency),
			quantity.Nanoseconds(float64(r.P50)), quantity.Nanoseconds(float64(r.P99)), quantity.Percent(r.Errors), fmt.Sprint(len(l.Runs)), name, note})
	}
	t.Table(rows)
	t.Line()
	if k.Law != nil {
		for _, l := range law(k.Law) {
			t.Hang(2, "", 0, printable.Line(l))
		}
	}
	if k.Procedure != "" { // a search without a good level says no more
		t.Hang(2, "", 0, fmt.Sprintf("Search procedure, in %v: %s.", k.Spent.Round(100*time.Millisecond), printable.Line(k.Procedure)))
	}
}
