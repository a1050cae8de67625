package load

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/capacity"
	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/quantity"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
	"whet/internal/stat"
)

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func textOf(t *testing.T, p *Page, o page.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	for _, name := range []string{"open", "closed", "several", "mixed", "hostile", "nothing"} {
		pagetest.Golden(t, "load-"+name+".txt", []byte(textOf(t, loadPages()[name], page.TextOptions{})))
	}
	plain := textOf(t, loadPages()["open"], page.TextOptions{Width: 100})
	colored := textOf(t, loadPages()["open"], page.TextOptions{Width: 100, Color: true})
	if stripped := sgr.ReplaceAllString(colored, ""); stripped != plain || colored == plain {
		t.Error("colours change more than colours")
	}
	for name, p := range loadPages() {
		if len(p.Runs) == 0 {
			continue
		}
		for _, width := range []int{60, 80, 160} {
			for line := range strings.Lines(textOf(t, p, page.TextOptions{Width: width})) {
				if n := page.Cells(strings.TrimSuffix(line, "\n")); n > width && name != "hostile" { // whose words are wider than a line
					t.Errorf("%s at %d columns: %d in %q", name, width, n, line)
				}
			}
		}
	}
}

// The generator was the bottleneck: that warning comes first.
func TestInvalidFirst(t *testing.T) {
	run := closed("", 2, 1)
	run.Result.Invalid = "the generator was the bottleneck"
	run.Result.Warnings = []string{run.Result.Invalid, "something else"}
	text := textOf(t, &Page{Runs: []Run{run}}, page.TextOptions{})
	if !strings.HasPrefix(text, "! not valid: the generator was the bottleneck\n") {
		t.Errorf("it begins %.100q", text)
	}
	if strings.Count(text, run.Result.Invalid) != 1 || !strings.Contains(text, "  ! something else\n") {
		t.Errorf("the reason stands there not once, or the other warning does not:\n%s", text)
	}
}

func jsonOf(t *testing.T, p *Page, files Files) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, p, files); err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatalf("%v in %s", err, &b)
	}
	return d
}

// The figures that scripts rely on are those of the result.
func TestJSON(t *testing.T) {
	p := loadPages()["open"]
	r := p.Runs[0].Result
	d := jsonOf(t, p, Files{Recording: "x.whet"})
	times := func(key string) map[string]any { return d[key].(map[string]any) }
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"schema", d["schema"], "whet/load/1"},
		{"loop", d["loop"], "open"},
		{"rate", d["rate"], "1000/s"},
		{"requests", d["requests"], 30_000.},
		{"answered", d["answered"], 29_999.},
		{"throughput_per_s", d["throughput_per_s"], r.Throughput()},
		{"planned_per_s", d["planned_per_s"], 1000.},
		{"errors", d["errors"].(map[string]any)[loadresult.Status5xx], 3.},
		{"resets", d["errors"].(map[string]any)[loadresult.Reset], 1.},
		{"status", d["status"].(map[string]any)["200"], 29_996.},
		{"service p99", times("service_time_ns")["p99"], float64(r.Service.Quantile(0.99))},
		{"service mean", times("service_time_ns")["mean"], r.Service.Mean()},
		{"response p999", times("response_time_ns")["p999"], float64(r.Response.Quantile(0.999))},
		{"response max", times("response_time_ns")["max"], float64(r.Response.Max())},
		{"response min", times("response_time_ns")["min"], float64(r.Response.Min())},
		{"cpu", times("generator")["cpu_ns"], 9e8},
		{"late", times("generator")["late_sends"], float64(r.LateSends)},
		{"valid", times("generator")["valid"], true},
		{"seconds", len(d["seconds"].([]any)), 30},
		{"duration", d["duration_ns"], 30e9},
		{"recording", d["recording"], "x.whet"},
		{"slo", d["slo"].([]any)[0].(map[string]any)["broken"], true},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	if _, there := d["report"]; there {
		t.Error("a report is named that was not written")
	}
	// What there is not is null, lists are lists.
	d = jsonOf(t, loadPages()["nothing"], Files{})
	for _, key := range []string{"service_time_ns", "response_time_ns", "lateness_ns", "rate", "planned_per_s", "start"} {
		if v, there := d[key]; !there || v != nil {
			t.Errorf("of nothing %s is %v (%v)", key, v, there)
		}
	}
	for _, key := range []string{"slo", "per_target", "seconds", "warnings"} {
		if _, ok := d[key].([]any); !ok {
			t.Errorf("of nothing %s is %v and no list", key, d[key])
		}
	}
	d = jsonOf(t, loadPages()["several"], Files{})
	if d["schema"] != "whet/loads/1" || len(d["runs"].([]any)) != 3 || d["runs"].([]any)[1].(map[string]any)["name"] != "after" {
		t.Errorf("several are %v", d["schema"])
	}
	var line bytes.Buffer
	if err := WriteLine(&line, p, Files{}); err != nil || strings.Count(line.String(), "\n") != 1 {
		t.Errorf("the last line of a stream has %d lines, %v", strings.Count(line.String(), "\n"), err)
	}
}

// What comes from a target or a file does not move the cursor, and hides nothing.
func TestHostile(t *testing.T) {
	const evil = "a\x1b[2Jb\u202ec\nd"
	run := closed(evil, 2, 1)
	r := run.Result
	run.Plan.URL, run.Plan.Method, run.Plan.Rate, run.Plan.Think, run.Plan.Protocol, run.Plan.TargetsFrom, run.Plan.Targets = evil, evil, evil, evil, evil, evil, 2
	r.Invalid, r.Warnings, r.Generator.Engine = evil, []string{evil, evil}, evil
	r.Errors, r.Examples = map[string]int64{evil: 1}, map[string]string{evil: evil}
	r.Seconds[0].Kinds = r.Errors
	run.Bounds = []Bound{{Bound: evil, Value: evil, Note: evil}}
	several := &Page{Runs: []Run{run, run}, Warnings: []string{evil}}
	var b bytes.Buffer
	if err := WriteJSON(&b, several, Files{}); err != nil {
		t.Fatal(err)
	}
	merge := &Merge{Inputs: []MergeInput{{evil, 1}}, Times: map[string]*hist.Histogram{evil: new(hist.Histogram)}, Warnings: []string{evil}, Output: evil}
	merge.Add(r)
	if err := WriteMergeText(&b, merge, page.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	live := Live{Target: evil, Loop: Loop(&run.Plan), Failed: 1, Errors: map[string]int64{evil: 1}}
	text := b.String() + textOf(t, several, page.TextOptions{}) + strings.Join(live.Lines(100, false), "\n")
	for _, c := range text {
		if c < ' ' && c != '\n' || c == '\u202e' {
			t.Fatalf("%U reaches the terminal", c)
		}
	}
}

// Kinds of a recording that others made are no formulas, and nothing that a
// terminal obeys.
func TestCSVOfOthers(t *testing.T) {
	var b bytes.Buffer
	r := &loadresult.Result{Seconds: []loadresult.Second{{Kinds: map[string]int64{"=HYPERLINK(\"x\")\x1b[2J": 1}}, {Kinds: map[string]int64{"@x": 2}}, {Kinds: map[string]int64{"tls": 1}}}}
	if err := WriteCSV(&b, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`'=HYPERLINK("x")\x1b[2J=1`, "'@x=2", "tls=1"} {
		if row := rows[i+1]; row[len(row)-1] != want {
			t.Errorf("%q, want %q", row[len(row)-1], want)
		}
	}
}

// The rows of the CSV file add up to the result.
func TestCSV(t *testing.T) {
	for _, name := range []string{"open", "closed"} {
		r := loadPages()[name].Runs[0].Result
		var b bytes.Buffer
		if err := WriteCSV(&b, r); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != len(r.Seconds)+1 {
			t.Fatalf("%s: %d rows of %d seconds, %v", name, len(rows), len(r.Seconds), err)
		}
		sum := func(column string) (total int64) {
			at := -1
			for i, c := range rows[0] {
				if c == column {
					at = i
				}
			}
			for _, row := range rows[1:] {
				n, err := strconv.ParseInt(row[at], 10, 64)
				if err != nil {
					t.Fatalf("%s: %s: %v", name, column, err)
				}
				total += n
			}
			return total
		}
		if sum("requests") != r.Requests || sum("errors") != r.Failed() || sum("answered") != r.Answered() || sum("body_bytes") != r.Bytes || sum("length_ns") != int64(r.End.Sub(r.Start)) {
			t.Errorf("%s: the rows do not add up to %d requests", name, r.Requests)
		}
		switch name {
		case "open":
			if sum("due") != 30_000 || rows[21][len(rows[0])-1] != "status 5xx=3" {
				t.Errorf("%d due, kinds %q", sum("due"), rows[21][len(rows[0])-1])
			}
		default:
			if rows[1][2] != "" || rows[1][11] != "" {
				t.Errorf("a closed loop has due requests and response times: %q", rows[1])
			}
		}
	}
}

func interval(open bool, answered int64, times ...int64) *LoadInterval {
	iv := &LoadInterval{Interval: loadresult.Interval{Second: loadresult.Second{Length: 2 * time.Second, Requests: answered, Answered: answered}, Service: new(hist.Histogram), Response: new(hist.Histogram)}}
	for _, ns := range times {
		iv.Service.Record(ns)
		if open {
			iv.Response.Record(2 * ns)
		}
	}
	if open {
		rate := 600.
		iv.Planned = &rate
	}
	return iv
}

func TestLive(t *testing.T) {
	l := Live{Target: "http://127.0.0.1/", Loop: "open loop at 600/s, at most 64 connections", Open: true, WarmingUp: true, Elapsed: 300 * time.Millisecond, Of: time.Second}
	warming := l.Lines(100, false)
	if !strings.Contains(warming[1], "warming up, 300ms of 1s") {
		t.Errorf("%q", warming)
	}
	l.WarmingUp, l.Elapsed, l.Of, l.Requests = false, 3*time.Second, 10*time.Second, 1700
	l.Add(interval(true, 1000, 1e6, 2e6, 3e6))
	l.Add(interval(true, 700, 9e6))
	lines := l.Lines(100, false)
	for i, want := range []string{"http://127.0.0.1/  open loop", "3s of 10s, 7s left", "350 a second of 600 planned, 1,700 requests so far", "response time", "last second       18.0 ms", "so far            7.50 ms", "errors         none"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	failing := interval(true, 0)
	failing.Kinds = map[string]int64{"timeout": 3, "connection reset": 5}
	l.Add(failing)
	l.Failed = 8
	if got := l.Lines(100, false)[6]; got != "errors         8: 5 connection reset, 3 timeout" {
		t.Errorf("%q", got)
	}
	l.Failed = 10
	if got := l.Lines(100, false)[6]; got != "errors         10: 5 connection reset, 3 timeout, 2 just now" {
		t.Errorf("%q", got)
	}
	for width, want := range map[int]string{76: "mean p50 p90 p99 p99.9 max", 75: "p50 p90 p99 p99.9 max", 60: "p50 p99 p99.9 max", 40: "p99 max"} {
		if got := strings.Join(strings.Fields(l.Lines(width, false)[3])[2:], " "); got != want {
			t.Errorf("%d columns have room for %s, want %s", width, got, want)
		}
	}
	for _, width := range []int{1, 20, 60, 200} {
		for _, color := range []bool{false, true} {
			lines := l.Lines(width, color)
			if len(lines) != len(warming) {
				t.Errorf("%d lines at %d columns, else %d", len(lines), width, len(warming))
			}
			for _, line := range lines {
				if n := page.Cells(sgr.ReplaceAllString(line, "")); n >= max(width, 21) {
					t.Errorf("%d columns of %d: %q", n, width, line)
				}
			}
		}
	}
	counted := Live{Wanted: 400, Requests: 100, Elapsed: 2 * time.Second}
	if got := counted.Lines(100, false)[1]; !strings.Contains(got, "100 of 400 requests, about 6s left") {
		t.Errorf("%q", got)
	}
}

// A stream has a line for each second, with the figures of that second.
func TestSecond(t *testing.T) {
	for _, open := range []bool{false, true} {
		var b bytes.Buffer
		if err := WriteSecond(&b, interval(open, 1000, 1e6, 3e6)); err != nil {
			t.Fatal(err)
		}
		var d map[string]any
		if err := json.Unmarshal(b.Bytes(), &d); err != nil || strings.Count(b.String(), "\n") != 1 {
			t.Fatalf("%v in %s", err, &b)
		}
		if d["throughput_per_s"] != 500. || d["service_time_ns"].(map[string]any)["mean"] != 2e6 || (d["response_time_ns"] != nil) != open || (d["planned_per_s"] != nil) != open {
			t.Errorf("open %v: %s", open, &b)
		}
	}
}

func TestMerge(t *testing.T) {
	one, two := new(hist.Histogram), new(hist.Histogram)
	one.Record(1e6)
	two.Record(3e6)
	m := &Merge{Inputs: []MergeInput{{"a.whet/load/service.hlog", 1}, {"b.hlog", 12}}, Times: map[string]*hist.Histogram{"": one, "service": two}}
	m.Add(loadPages()["open"].Runs[0].Result)
	m.Add(loadPages()["closed"].Runs[0].Result)
	var b bytes.Buffer
	if err := WriteMergeText(&b, m, page.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "load-merge.txt", b.Bytes())
	b.Reset()
	if err := WriteMergeJSON(&b, m); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "load-merge.json", b.Bytes())
}

// searched returns a search over connections and one over rates.
func searched() *Search {
	iv := func(center, low, high float64) stat.Interval {
		return stat.Interval{Center: center, Low: low, High: high}
	}
	run := func(x, under float64, p99 time.Duration, broken string) []KneeRun {
		return []KneeRun{{Throughput: x, Concurrency: under, P50: p99 / 2, P99: p99, Span: 2 * time.Second, Broken: broken}}
	}
	return &Search{
		Plan: loadresult.Plan{URL: "http://127.0.0.1:8080/hello", Targets: 1, Method: "GET", Protocol: "HTTP/1.1"}, SLO: "p99<50ms", Warnings: []string{"a warning"},
		Found: []KneeSearch{{
			Headline: "the knee is at 4 clients: 800/s; the plateau is 805/s ± 1.0 %", Procedure: "closed loop: concurrency doubled", Found: true, At: 4, Low: 3, High: 4, Throughput: 800,
			Plateau: &capacity.Plateau{Throughput: iv(805, 797, 813), From: 4, To: 8, Runs: 4},
			Law: &capacity.Fit{Law: capacity.Law{Lambda: 210, Sigma: 0.01, Kappa: 0.0025}, LambdaInterval: iv(210, 200, 220), SigmaInterval: iv(0.01, 0, 0.02), KappaInterval: iv(0.0025, 0.002, 0.003),
				Peak: iv(19.9, 18, 22), R2: 0.99, Deviation: 0.02},
			Levels:   []KneeLevel{{Level: 1, Throughput: 200, Runs: run(200, 1, 10*time.Millisecond, "")}, {Level: 4, Throughput: 800, Good: true, Runs: run(800, 4, 11*time.Millisecond, "")}},
			Complete: true, Spent: 21 * time.Second,
		}, {
			Open: true, Headline: "the bounds hold up to 750/s, the highest rate tried", Procedure: "open loop: the rate doubled", Found: true, At: 750, Low: 750, High: math.Inf(1), Throughput: 749,
			Levels:   []KneeLevel{{Level: 750, Throughput: 749, Good: true, Runs: run(749, 4, 20*time.Millisecond, "")}, {Level: 900, Throughput: 805, Runs: run(805, 90, 200*time.Millisecond, "p99<50ms is broken: 200 ms")}},
			Unstable: &[2]float64{740, 760}, Spent: 9 * time.Second, Warnings: []string{"the budget ran out"},
		}},
		Growth: []KneeGrowth{{Kind: "cpu", Column: "cpu", Unit: "nanoseconds", LowLevel: 2, HighLevel: 4, LowRequests: 2000, HighRequests: 4000, LowTotal: 100e3, HighTotal: 150e3,
			Rows: []GrowthRow{{"main.handle", "main.go", 10e3, 40e3, 50e3, 90e3}, {"runtime.futex", "futex.go", 9e3, 5e3, 9e3, 5e3}}},
			{Kind: "mutex", Column: "delay", Unit: "nanoseconds", Open: true, LowLevel: 300, HighLevel: 750, LowRequests: 1, HighRequests: 2}},
	}
}

func TestSearch(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSearchText(&b, searched(), page.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "load-search.txt", b.Bytes())
	b.Reset()
	if err := WriteSearchJSON(&b, searched(), Files{Report: "knee.html"}); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "load-search.json", b.Bytes())
	for i := range searched().Found {
		s := searched().Found[i]
		v := newKneeView("", &s)
		if len(v.Points) != 2 || v.Points[1].Cells[0] != quantity.Count(s.Levels[1].Level) || v.Points[0].Cells[3] != page.Ns(int64(s.Levels[0].Runs[0].P99)) ||
			strings.Contains(fmt.Sprint(v.Charts[0].Band), "Inf") || v.Text[0] != sentence(s.Headline) {
			t.Errorf("search %d as a page has it: %+v", i, v)
		}
		drawn := slices.ContainsFunc(v.Charts[0].Lines, func(l page.Path) bool { return l.Class == "law" })
		if drawn != (s.Law != nil) || s.Law != nil && s.Law.At(1) != 210 {
			t.Errorf("search %d: its law is drawn: %v", i, drawn)
		}
	}
	invalid := searched()
	invalid.Found[0].Invalid = "the generator was the bottleneck"
	b.Reset()
	if err := WriteSearchText(&b, invalid, page.TextOptions{}); err != nil || !strings.HasPrefix(b.String(), "! not valid: the generator was the bottleneck\n") {
		t.Errorf("%v, it begins %.80q", err, b.String())
	}
}

// A load that was interrupted in its warm-up has no length.
func TestLengthOfNothing(t *testing.T) {
	run := &Run{Plan: loadresult.Plan{Warmup: time.Second}, Result: &loadresult.Result{Interrupted: true}}
	if got := run.length(); got != "interrupted before measuring began" {
		t.Error(got)
	}
	run.Result.End = run.Result.Start.Add(time.Second)
	if got := run.length(); got != "1.00 s, after a warm-up of 1.00 s, interrupted" {
		t.Error(got)
	}
}
