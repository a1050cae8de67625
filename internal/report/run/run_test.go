package run

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"whet/internal/document"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

// A program is "the program" and a service "the service": what they are not is
// not said of them anywhere.
func TestNoBenchmarkOfProgramsAndServices(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	word := regexp.MustCompile(`(?i)\bbenchmarks?\b`)
	for _, name := range []string{"service", "program", "bare"} {
		p := pages()[name]
		for _, o := range []page.TextOptions{{}, {Width: 60}, {All: true}} {
			if m := word.FindIndex(text(t, p, o)); m != nil {
				got := text(t, p, o)
				t.Errorf("%s, %+v: %q", name, o, got[max(m[0]-80, 0):min(m[1]+20, len(got))])
			}
		}
		doc := pagetest.Bare(html(t, p))
		if m := word.FindIndex(doc); m != nil {
			t.Errorf("%s, HTML: %q", name, doc[max(m[0]-80, 0):m[1]+20])
		}
	}
	for name, want := range map[string]string{"service": "2 rules examined the service", "program": "1 rule examined the program", "bare": "no rule examined the service", "quiet": "examined 2 of 4 benchmarks"} {
		if got := unexplained(pages()[name]); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The parts of a run stand in their order, on the terminal after the result.
func TestRunOrder(t *testing.T) {
	inOrder := func(name, got string, parts ...string) {
		t.Helper()
		at := 0
		for _, part := range parts {
			i := strings.Index(got[at:], part)
			if i < 0 {
				t.Fatalf("%s: %q is not after %q", name, part, got[max(at-200, 0):at])
			}
			at += i
		}
	}
	inOrder("service", string(text(t, servicePage(), page.TextOptions{Tables: true})),
		"Verdict", "4,211 requests a second, p99 of the service time 88.1 ms, 15 errors", "61.2 % lock in", "6.00–26.00 s: goroutines rose", "13.98–15.02 s: no request", "Findings", "  1  A log record", "Under load", "84,213, 4,211 a second", "p99 88.1 ms", "1.56 cores, 370 µs a request", "12 status 503: 503 Service Unavailable", "3 timeout",
		"Where the time goes", "8,400 requests  11.9 ms  main.(*Server).Hello", "61.2 % lock, 21.0 % running", "Waiting for each other", "612 s", "Events", "13.98–15.02 s  no request",
		"Unknown", "flight recorder", "Samples", "Functions · CPU time", "Source",
		"More with -all, and in the HTML report: functions by blocked time, live heap, goroutines' time.")
	inOrder("program", string(text(t, programPage(), page.TextOptions{Tables: true})),
		"none: 1 rule examined the program; 1 finding below 5.0 %", "Program  ./cmd/convert -in a.json -out b.csv, 3 runs", "2.31 s", "31 MiB  exit status 0", "unknown  signal: killed", "no profiles: it was killed", "goroutines of main.main: 98.0 % running")
	inOrder("service", string(html(t, servicePage())), `id="findings"`, `id="flamegraph"`, `id="source"`, `id="load"`, `id="wall"`, `id="waiting"`, `id="samples"`, `id="functions"`,
		"CPU time <span", "<summary>Other profiles: Blocked time, Live heap, Goroutines&#39; time</summary>", `id="time"`, `id="events"`, `id="machine"`, `id="unknown"`)
}

// Functions of block, heap and wall profiles are asked for.
func TestAsideProfiles(t *testing.T) {
	few, all := string(text(t, servicePage(), page.TextOptions{Tables: true})), string(text(t, servicePage(), page.TextOptions{Tables: true, All: true}))
	for _, heading := range []string{"Functions · blocked time", "Functions · live heap", "Functions · goroutines' time", "Source · blocked time"} {
		if strings.Contains(few, heading) || !strings.Contains(all, heading) {
			t.Errorf("%q: without -all %v, with it %v", heading, strings.Contains(few, heading), strings.Contains(all, heading))
		}
	}
	for _, heading := range []string{"Functions · CPU time", "Functions · allocated bytes", "Functions · lock delay"} {
		if !strings.Contains(few, heading) {
			t.Errorf("no %q", heading)
		}
	}
	// A profile that does not count its samples has not none.
	if !strings.Contains(all, "–        –           –  stretches of goroutines") {
		t.Error("the wall profile's samples are not said to be unknown")
	}
}

// Lines fit a terminal of 60 columns too, but for code to be copied and the
// line that ends what the profiler found.
func TestRunTextWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for _, name := range []string{"service", "program", "bare", "courses"} {
		for _, width := range []int{60, 80, 100, 160} {
			for _, all := range []bool{false, true} {
				for i, line := range strings.Split(string(text(t, pages()[name], page.TextOptions{Width: width, All: all})), "\n") {
					if page.Cells(line) > width && !strings.Contains(line, `.Msg("visited")`) {
						t.Errorf("%s at %d columns, line %d has %d: %s", name, width, i+1, page.Cells(line), line)
					}
				}
			}
		}
	}
}

// A group's shares are of its whole time: the parts of a bar lie beside each
// other from 0 to 100 percent, and what is printed adds up to the same within
// its rounding.
func TestWallConserves(t *testing.T) {
	for _, name := range []string{"service", "program"} {
		p := pages()[name]
		for i := range p.Wall.Groups {
			g := &p.Wall.Groups[i]
			v := newGroupView(p.Wall, g)
			at, printed := 0.0, 0.0
			for _, b := range v.Bar {
				x, w := number(t, b.X), number(t, b.Width)
				if math.Abs(x-at) > 1e-3 {
					t.Errorf("%s: %s begins at %g, the one before ends at %g", g.Name, b.State, x, at)
				}
				at = x + w
				if share, ok := strings.CutSuffix(b.Share, " %"); ok {
					printed += number(t, strings.TrimLeft(share, "<>"))
				}
			}
			if math.Abs(at-100) > 1e-3 {
				t.Errorf("%s: the bar ends at %g", g.Name, at)
			}
			if tolerance := 0.1 * float64(len(v.Bar)); math.Abs(printed-100) > tolerance {
				t.Errorf("%s: the shares add up to %g", g.Name, printed)
			}
			if len(v.Shares) != len(v.Bar) {
				t.Errorf("%s: %d parts of the bar, %d shares", g.Name, len(v.Bar), len(v.Shares))
			}
			for j := 1; j < len(v.Shares); j++ {
				if number(t, strings.Trim(v.Shares[j].Share, "<> %")) > number(t, strings.Trim(v.Shares[j-1].Share, "<> %")) {
					t.Errorf("%s: shares are not in order: %v", g.Name, v.Shares)
				}
			}
		}
	}
	// Where the states are less than the whole, the bar stays short; where they
	// are more, the whole is what they are.
	w := &Wall{States: []string{"running", "lock"}}
	for _, c := range []struct {
		total int64
		want  string
	}{{400, "[{running 0.25} {lock 0.5}]"}, {200, "[{running 0.3333333333333333} {lock 0.6666666666666666}]"}} {
		if got := fmt.Sprint(w.parts(&WallGroup{Ns: []int64{100, 200, 300}, TotalNs: c.total})); got != c.want {
			t.Errorf("parts %s, want %s", got, c.want)
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every state that goroutines can be in has its own colour.
func TestStateClasses(t *testing.T) {
	css, seen := page.KitStyle(), make(map[string]bool)
	for _, state := range wallStates {
		class := stateClass(state)
		if seen[class] {
			t.Errorf("%s shares a colour", state)
		}
		seen[class] = true
		if !strings.Contains(css, "."+class+" {") {
			t.Errorf("no style for %s", class)
		}
	}
	if stateClass(pagetest.Tag) != "st-other" {
		t.Error("a state without a name of ours has no colour")
	}
}

// Unknown is neither zero nor a number, in all three renderings.
func TestRunUnknown(t *testing.T) {
	p := barePage()
	p.Program = &Program{Runs: []Run{{Ending: "exit status 0"}}}
	p.Service.ThroughputPerS, p.Service.MeanNs = math.NaN(), math.Inf(1)
	p.Contention = []Waiting{{PerS: document.Number(math.Inf(1))}}
	var doc struct {
		Program struct{ Runs []map[string]any }
		Service map[string]any
		Wall    map[string]any
		Series  []struct{ Values []*float64 }
		Wait    []map[string]any `json:"contention"`
	}
	if err := json.Unmarshal(jsonOf(t, p, JSONOptions{}), &doc); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"throughput_per_s", "cpu_ns", "cpu_per_request_ns", "peak_bytes"} {
		if v, there := doc.Service[key]; !there || v != nil {
			t.Errorf("%s is %v", key, v)
		}
	}
	if v := doc.Service["service_time_ns"].(map[string]any)["mean"]; v != nil {
		t.Errorf("mean is %v", v)
	}
	if doc.Program.Runs[0]["peak_bytes"] != nil || doc.Wait[0]["delay_per_s"] != nil {
		t.Error("unknown figures are not null")
	}
	if len(doc.Series) != 1 || len(doc.Series[0].Values) != 2 || doc.Series[0].Values[0] != nil {
		t.Errorf("series %+v", doc.Series)
	}
	page := string(pagetest.Bare(html(t, barePage())))
	for _, want := range []string{
		"<b>To get it:</b> import net/http/pprof",
		`<td>unknown</td><td>unknown</td><td>unknown</td><td>unknown</td><td>2</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("HTML without %q", want)
		}
	}
	for _, tile := range []string{"CPU a request", "peak memory", "generator", "CPU over time"} {
		if strings.Contains(page, tile) {
			t.Errorf("HTML with a tile %q of what is not known", tile)
		}
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Error("HTML holds a number that is none")
	}
}

// Numbers in SVG are numbers, whatever the recording holds.
func TestChartNumbers(t *testing.T) {
	ok := regexp.MustCompile(`^-?\d+(\.\d+)?%?$`)
	d := regexp.MustCompile(`^(M\d+ \d+h0(L\d+ \d+)*)*$`)
	for name, p := range pages() {
		all, err := pagetest.Walk(html(t, p))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			for _, a := range []string{"x", "y", "x1", "x2", "y1", "y2", "width", "height"} {
				v, there := e.Attrs[a]
				if there && !ok.MatchString(v) {
					t.Errorf("%s: <%s %s=%q>", name, e.Name, a, v)
				}
				if n, err := strconv.ParseFloat(strings.TrimSuffix(v, "%"), 64); there && strings.HasSuffix(v, "%") && (err != nil || n < 0 || n > 100) {
					t.Errorf("%s: <%s %s=%q> lies outside", name, e.Name, a, v)
				}
			}
			if v, there := e.Attrs["d"]; there && !d.MatchString(v) {
				t.Errorf("%s: path %.100q", name, v)
			}
		}
	}
}

// What a chart says to those who do not see it.
func TestChartWords(t *testing.T) {
	all, err := pagetest.Walk(html(t, servicePage()))
	if err != nil {
		t.Fatal(err)
	}
	labels := make(map[string]bool)
	for _, e := range all {
		if e.Attrs["role"] == "img" {
			if e.Attrs["aria-label"] == "" {
				t.Errorf("<%s class=%q> is a picture without words", e.Name, e.Attrs["class"])
			}
			labels[e.Attrs["aria-label"]] = true
		}
	}
	for _, want := range []string{
		"requests, ended over time: 0 to 4,322/s; requests, failed over time: 0 to 15/s",
		"live heap over time: 20 to 41 MiB, unknown at 10 of 201 moments",
		"goroutines over time: 70 to 280",
		"main.(*Server).Hello: 61.2 % lock, 21.0 % running, 12.6 % runnable, 4.1 % network, 1.1 % gc assist, <0.1 % other",
	} {
		if !labels[want] {
			t.Errorf("no picture says %q: %v", want, labels)
		}
	}
}

// A page does not grow without bound with what was recorded.
func TestHugePage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	p := hugePage()
	doc := html(t, p)
	if len(doc) > 6<<20 {
		t.Errorf("the page has %d bytes", len(doc))
	}
	got := string(doc)
	for _, want := range []string{"36 more in the JSON report.", "460 more in the JSON report.", "404 more in the JSON report.", "4,900 more in the JSON report.", "99,900 more in the JSON report."} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(got, `<li><p class="who">`); n != htmlGroups+htmlMoreWalls {
		t.Errorf("%d groups", n)
	}
	if lines := strings.Count(string(text(t, p, page.TextOptions{})), "\n"); lines > 250 {
		t.Errorf("%d lines on the terminal", lines)
	}
}

// Of 1,000 requests in 10 s, 900 were refused: the throughput is that of the 100
// answers, and says so.
func TestThroughputIsOfAnswers(t *testing.T) {
	s := &Service{Requests: 1000, DurationNs: 10e9, ThroughputPerS: 10, Errors: []ErrorKind{{Kind: "connection refused", Count: 900}}}
	if got := s.rate(""); got != "10 answered a second" {
		t.Errorf("rate %q", got)
	}
	if got := s.short(); !strings.HasPrefix(got, "10 requests answered a second") {
		t.Errorf("short %q", got)
	}
	s.ThroughputPerS, s.Errors[0].Kind = 100, "status 5xx"
	if got := s.rate(" requests"); got != "100 requests a second" {
		t.Errorf("rate %q", got)
	}
}
