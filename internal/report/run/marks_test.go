package run

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/report/page"
)

// Labels of events never lie on each other, and together they count all.
func TestMarkLabels(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := &Page{}
		for range rapid.IntRange(0, 150).Draw(r, "events") {
			start := rapid.Int64Range(-10, 1010).Draw(r, "start")
			p.Events = append(p.Events, Event{StartNs: start, EndNs: start + rapid.Int64Range(-5, 300).Draw(r, "length")})
		}
		marks, labels := new(runView).marks(p, "", page.Axis{From: 0, To: 1000})
		if want := min(len(p.Events), htmlEvents); len(marks) != want {
			r.Fatalf("%d marks of %d", len(marks), want)
		}
		end := math.Inf(-1)
		for _, l := range labels {
			at, err := strconv.ParseFloat(l.X, 64)
			if err != nil {
				r.Fatal(err)
			}
			width := 100 * markChar * float64(len([]rune(l.Text)))
			from := at
			if l.Anchor == "end" {
				from = at - width
			}
			if from < end-0.02 {
				r.Fatalf("label %q at %g begins before %g", l.Text, from, end)
			}
			end = from + width
		}
		for _, m := range marks {
			x, err1 := strconv.ParseFloat(m.X, 64)
			w, err2 := strconv.ParseFloat(m.Width, 64)
			if err1 != nil || err2 != nil || x < 0 || w < 0 || x+w > 100.02 {
				r.Fatalf("mark %+v", m)
			}
		}
	})
}

func TestMarksAreWhereEventsAre(t *testing.T) {
	v := newRunView(servicePage())
	// The axis goes from 5.5 s to 26.5 s: 6 s is at 0.5/21 and 13.98 s at 8.48/21.
	want := []page.Mark{
		{X: "2.38", Width: "95.24", Long: true, Title: "1 · 6.00–26.00 s · goroutines rose steadily by 10.1 a second (95 % interval 9.9 to 10.3), from 70 to 272 over 20.0 s"},
		{X: "40.38", Width: "4.95", Long: true, Band: true, Title: "2 · 13.98–15.02 s · no request was answered for 1.04 s ± 10.0 ms, where 4,380 were expected"},
		{X: "46.19", Width: "0", Title: "3 · 15.20 s · the program forced a collection: 12.1 ms, of which 137 µs stopped it"},
		{X: "46.67", Width: "2.86", Long: true, Band: true, Title: "4 · 15.30–15.90 s · 15 of 4,200 requests failed (0.4 %) within 1.00 s, usually 0 %"},
	}
	for _, line := range []*page.Timeline{v.Load, v.Time} {
		for i := range want {
			if line.Marks[i] != want[i] {
				t.Errorf("mark %+v, want %+v", line.Marks[i], want[i])
			}
		}
	}
	if got := fmt.Sprint(v.Load.Labels); got != "[{2.38 1 start} {40.38 2 start} {46.19 3,4 start}]" {
		t.Errorf("labels %s", got)
	}
}

// A second may be shorter than one: what is drawn is per second, at its middle.
func TestLoadIsPerSecond(t *testing.T) {
	seconds := []Second{
		{TimeNs: 2e9, LengthNs: 2e9, Requests: 200, Errors: 50, P50Ns: 1e6, P99Ns: 1e7, MaxNs: 1e8},
		{TimeNs: 4e9, LengthNs: 5e8, Requests: 100, P50Ns: 1e7, P99Ns: 1e7, MaxNs: 1e7},
		{TimeNs: 45e8, LengthNs: 5e8, Requests: 100, P50Ns: 1e7, P99Ns: 1e7, MaxNs: 1e7},
		{TimeNs: 5e9, LengthNs: 0, Requests: 7},
	}
	v := newRunView(&Page{Service: &Service{Seconds: seconds}}).Load
	// From 2 s to 5 s; 3 s is at a third, 4.25 s at three quarters, 4.75 s at eleven twelfths. 100 and 200
	// requests and 25 errors a second on a scale to 200; what took no time has no
	// rate. 1, 10 and 100 ms stand at 0, 1/2 and 1 of two decades.
	want := []string{
		"ended M480 100h0L1080 0L1320 0", "failed M480 175h0L1080 200L1320 200",
		"max M480 0h0L1080 100L1320 100", "p99 M480 100h0L1080 100L1320 100", "p50 M480 200h0L1080 100L1320 100",
	}
	var got []string
	for _, c := range v.Charts {
		for _, l := range c.Lines {
			got = append(got, l.Name+" "+l.Path)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := fmt.Sprint(v.Seconds[:2]); got != "[{[2.00 s 100 25 1.00 ms 10.0 ms 100 ms]} {[4.00 s 200 0 10.0 ms 10.0 ms 10.0 ms]}]" {
		t.Errorf("table %s", got)
	}
}
