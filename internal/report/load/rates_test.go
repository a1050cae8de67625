package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/load/record"
	"whet/internal/loadresult"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
	"whet/internal/schedule"
)

// ramped returns a load of a plan on a service that takes 2 ms for each request, one
// after the other, and so 500 a second.
func ramped(rate string, length time.Duration) Run {
	plan, err := schedule.Parse(rate, length)
	if err != nil {
		panic(err)
	}
	r := record.New(record.Plan{Origin: loadStart, Duration: length, Open: true})
	s := r.Shard()
	var free int64
	a := plan.Arrivals(0, 1)
	for due := a.Next(); due < length; due = a.Next() {
		o := record.Outcome{Due: int64(due), Free: free, Sent: max(int64(due), free), Status: 200, Bytes: 100}
		o.End = o.Sent + 2e6
		free = o.End
		s.Record(&o)
	}
	s.Done()
	res := r.Finish(max(free, int64(length)), false)
	res.Rate = plan.Planned(length) / length.Seconds()
	res.Generator = loadresult.Generator{Engine: "epoll", CPU: -1, Share: -1}
	return Run{Result: res, Plan: loadresult.Plan{URL: "http://127.0.0.1:8080/", Targets: 1, Method: "GET", Protocol: "HTTP/1.1", Connections: 1, Streams: 1, Rate: rate, KeepAlive: true, Duration: length}}
}

// A ramp from 100/s to 1,000/s over 30 s, by 30/s each second, on a service that
// takes 500/s: that is what is due at 13.3 s. Parts are 3 s long. In the fifth, from
// 12 to 15 s, 505 a second are due; up to 13.3 s all is answered, (460 + 500)/2 ·
// 1.33 = 640, and then 500/s: 833, together 491 a second. Behind it there are 500/s.
func TestRamp(t *testing.T) {
	run := ramped("100/s..1000/s", 30*time.Second)
	got := run.rates()
	if len(got) != 10 {
		t.Fatalf("%d parts", len(got))
	}
	for i, s := range got {
		planned := 100 + 30*(3*float64(i)+1.5)
		answered := min(planned, 500)
		if i == 4 {
			answered = 491
		}
		if s.from != time.Duration(3*i)*time.Second || s.to-s.from != 3*time.Second || s.planned-planned > 1e-6 || planned-s.planned > 1e-6 || s.answered < answered-1 || s.answered > answered+1 || s.lagging != (i > 4) || s.errors != 0 {
			t.Errorf("part %d: %+v; want %v planned, %v answered", i, s, planned, answered)
		}
	}
	// Of the 16,500 that were due 4,000 are answered at 13.3 s, and the rest 25 s
	// later, the last 8.3 s after it was due. What came after the end is in the last
	// second's times.
	if last := got[9].times.Max; last < 8320*time.Millisecond || last > 8340*time.Millisecond || got[3].times.Max > 3*time.Millisecond {
		t.Errorf("longest times %v and %v", got[3].times.Max, last)
	}
	pagetest.Golden(t, "load-ramp.txt", []byte(textOf(t, &Page{Runs: []Run{run}}, page.TextOptions{})))
	var d struct {
		Rates []struct {
			TimeNs         int64   `json:"t_ns"`
			LengthNs       int64   `json:"length_ns"`
			PlannedPerS    float64 `json:"planned_per_s"`
			ThroughputPerS float64 `json:"throughput_per_s"`
			Behind         bool    `json:"behind"`
			Slowest        struct {
				Max int64 `json:"max"`
			} `json:"slowest_second_ns"`
		} `json:"rates"`
		ThroughputPerS float64 `json:"throughput_per_s"`
		DrainAnswered  int64   `json:"drain_answered"`
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, &Page{Runs: []Run{run}}, Files{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Rates) != 10 || d.Rates[5].TimeNs != 15e9 || d.Rates[5].LengthNs != 3e9 || d.Rates[5].PlannedPerS != got[5].planned || d.Rates[5].ThroughputPerS != got[5].answered || !d.Rates[5].Behind || d.Rates[4].Behind || d.Rates[9].Slowest.Max != int64(got[9].times.Max) {
		t.Errorf("%+v", d.Rates)
	}
	// By the end 4,000 + 500 · 16.7 = 12,333 were answered, 411 a second.
	if d.DrainAnswered < 4165 || d.DrainAnswered > 4169 || d.ThroughputPerS < 411 || d.ThroughputPerS > 411.2 {
		t.Errorf("%d after the end, %v/s", d.DrainAnswered, d.ThroughputPerS)
	}
}

// The page has the table, too, with the name of the run where there are several.
func TestRatesOnPage(t *testing.T) {
	run := ramped("100/s..1000/s", 30*time.Second)
	stretches := run.rates()
	v := newView(&Page{Runs: []Run{run}})
	if len(v.Rates) != 1 || v.Rates[0].Run != "" || len(v.Rates[0].Rows) != 10 {
		t.Fatalf("%+v", v.Rates)
	}
	for i, row := range v.Rates[0].Rows {
		s := stretches[i]
		note := ""
		if i > 4 {
			note = "behind"
		}
		if row.Name != fmt.Sprintf("%d to %d s", 3*i, 3*i+3) || row.Note != note || !slices.Equal(row.Cells, []string{
			quantity.Count(s.planned), quantity.Count(s.answered), "0 %", page.Ns(int64(s.times.P50)), page.Ns(int64(s.times.P99)), page.Ns(int64(s.times.Max))}) {
			t.Errorf("part %d: %+v of %+v", i, row, s)
		}
	}
	steady := ramped("300/s", 3*time.Second)
	run.Name, steady.Name = pagetest.Tag, "steady"
	doc := string(htmlOf(t, &Page{Runs: []Run{run, steady}}))
	_, table, _ := strings.Cut(doc, `<h2 id="rates">`)
	table, _, _ = strings.Cut(table, "</section>")
	if strings.Count(table, "<h3") != 1 || strings.Count(table, "<tr>") != 11 || strings.Contains(table, "<img") || !strings.Contains(table, "&lt;img") ||
		!strings.Contains(table, ratesNote) || !strings.Contains(table, `>15 to 18 s <span class="note">behind</span></th><td>595</td><td>500</td><td>0 %</td>`) {
		t.Errorf("the table is\n%s", table)
	}
	if doc := string(htmlOf(t, &Page{Runs: []Run{steady}})); strings.Contains(doc, `"rates"`) {
		t.Error("a rate that does not change has the table")
	}
	// Of a step in which no request ended no share of errors is known.
	silent := rateSegment{to: time.Second, planned: 5}
	if got := silent.cells(); !slices.Equal(got, []string{"5", "0", "–", "–", "–", "–"}) {
		t.Errorf("a silent step: %q", got)
	}
}

// Steps are parts of their own, however long they are, and the rate that goes on
// after the last.
func TestSteps(t *testing.T) {
	run := ramped("100/s:2s,600/s:1s,200/s:3s", 8*time.Second)
	var lengths []time.Duration
	var planned []float64
	var behind []bool
	for _, s := range run.rates() {
		lengths, planned, behind = append(lengths, s.to-s.from), append(planned, s.planned), append(behind, s.lagging)
	}
	if !slices.Equal(lengths, []time.Duration{2 * time.Second, time.Second, 5 * time.Second}) || !slices.Equal(planned, []float64{100, 600, 200}) || !slices.Equal(behind, []bool{false, true, false}) {
		t.Errorf("lengths %v, rates %v, behind %v", lengths, planned, behind)
	}
	for _, rate := range []string{"300/s", "", "no rate"} {
		run := run
		if run.Plan.Rate = rate; run.rates() != nil {
			t.Errorf("%q is said to change", rate)
		}
	}
}

// CPU time is by the requests that were sent: here two of four, 1.5 s each.
func TestCPUOfWhatWasSent(t *testing.T) {
	r := record.New(record.Plan{Origin: loadStart, Duration: time.Second, Open: true})
	s := r.Shard()
	for due := range int64(4) {
		o := record.Outcome{Due: due, Sent: due, End: due + 5, Status: 200}
		if due > 1 {
			o = record.Outcome{Due: due, Free: due, Sent: -1, End: due + 7, Kind: loadresult.TimedOut}
		}
		s.Record(&o)
	}
	res := r.Finish(2e9, false)
	res.Generator = loadresult.Generator{CPU: 3 * time.Second}
	if got := generator(res); !strings.Contains(got, "1.50 s of CPU a request") {
		t.Errorf("%q", got)
	}
}
