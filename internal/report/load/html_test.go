package load

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"whet/internal/hist"
	"whet/internal/load/record"
	"whet/internal/loadresult"
	"whet/internal/printable"
	"whet/internal/report/page"
	"whet/internal/report/pagetest"
)

func htmlOf(t *testing.T, p *Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHTMLGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for name, p := range loadPages() {
		doc := pagetest.Bare(htmlOf(t, p))
		doc = regexp.MustCompile(`(Security-Policy" content=")[^"]*`).ReplaceAll(doc, []byte("$1"))
		if !bytes.Equal(htmlOf(t, p), htmlOf(t, p)) {
			t.Errorf("%s: two writings differ", name)
		}
		pagetest.Golden(t, "load-"+name+".html", doc)
	}
	if err := WriteHTML(io.Discard, &Page{}); err == nil {
		t.Error("a page of no load was written")
	}
}

func TestHTMLHoldsOnlyItsOwnMarkup(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	for name, p := range loadPages() {
		doc := htmlOf(t, p)
		pagetest.CheckMarkup(t, name, doc)
		pagetest.CheckPolicy(t, name, doc, 1000)
	}
}

// A row begins at 10 ns · 10^(row/12), and every time is in the row that it
// belongs to.
func TestCourseRows(t *testing.T) {
	for ns, row := range map[int64]int{0: 0, 10: 0, 100: 12, 1_000_000: 60, 1_211_000: 60, 1_212_000: 61, 999_999_999_999: 131, math.MaxInt64: 131} {
		if got := courseRow(ns); got != row {
			t.Errorf("%d ns is in row %d, want %d", ns, got, row)
		}
	}
	for ns := int64(11); ns < 900e9; ns += ns/7 + 1 {
		row := courseRow(ns)
		if float64(ns) < rowStart(row)*(1-1e-9) || float64(ns) >= rowStart(row+1)*(1+1e-9) {
			t.Fatalf("%d ns is in row %d, from %g to %g", ns, row, rowStart(row), rowStart(row+1))
		}
	}
}

// The course of a day, here in steps of ten seconds, has as little to it as that
// of minutes, and loses no request; columns follow each other without a gap.
func TestCourseOfADay(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	c := NewCourse(false)
	h := new(hist.Histogram)
	const step, steps = 10 * time.Second, 24 * 360
	want := int64(0)
	for k := range int64(steps) {
		h.Reset()
		for i := range k%3 + 1 {
			h.Record(1e6 << i)
		}
		want += k%3 + 1
		c.Add(loadresult.Interval{Second: loadresult.Second{Start: loadStart.Add(time.Duration(k) * step), Length: step}, Service: h, Response: new(hist.Histogram)})
	}
	if n := len(c.columns); n > courseColumns || n < courseColumns/2 {
		t.Errorf("%d columns", n)
	}
	got, at := int64(0), time.Duration(0)
	for i := range c.columns {
		col := &c.columns[i]
		if col.from != at {
			t.Fatalf("column %d begins at %v, the one before ends at %v", i, col.from, at)
		}
		if length := col.to - col.from; length != c.columns[0].to-c.columns[0].from && i < len(c.columns)-1 {
			t.Errorf("column %d is %v long, the first %v", i, length, c.columns[0].to-c.columns[0].from)
		}
		at = col.to
		for _, n := range col.counts {
			got += n
		}
	}
	if got != want || at != steps*step {
		t.Errorf("%d requests until %v, want %d until a day", got, at, want)
	}
}

// A recorder's own intervals make a course, which counts what its histogram
// does.
func TestCourseOfARecorder(t *testing.T) {
	for _, open := range []bool{false, true} {
		r := record.New(record.Plan{Origin: loadStart, Duration: 3 * time.Second, Open: open})
		c := NewCourse(open)
		r.Interval(c.Add)
		s := r.Shard()
		for k := range int64(2000) {
			o := record.Outcome{Due: -1, Sent: k * 1e6, End: k*1e6 + 2e6 + k, Status: 200}
			if open {
				o.Due = o.Sent - 1e5
			}
			s.Record(&o)
		}
		s.Done()
		res := r.Finish(3e9, false)
		h, _ := times(res)
		var n int64
		for i := range c.columns {
			for _, count := range c.columns[i].counts {
				n += count
			}
		}
		if n != h.Count() || n == 0 {
			t.Errorf("open %v: the course has %d requests, the histogram %d", open, n, h.Count())
		}
	}
}

func TestHeatSteps(t *testing.T) {
	for most, want := range map[int64][]int64{
		0: nil, 1: {1}, 3: {1, 2, 3}, 255: {1, 2, 4, 8, 16, 32, 64, 128},
		99_999_999: {1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000},
	} {
		if got := heatSteps(most); !slices.Equal(got, want) {
			t.Errorf("steps to %d: %v, want %v", most, got, want)
		}
	}
	if heatClass(0, 1) != "hot8" || heatClass(0, 3) != "hot1" || heatClass(2, 3) != "hot8" || heatClass(4, 8) != "hot5" {
		t.Error("the colours do not span from the first to the last")
	}
	half := courseColumn{to: 500 * time.Millisecond}
	if half.usual(3, time.Second) != 6 || half.usual(0, time.Second) != 0 {
		t.Error("a column of half a second counts half")
	}
}

var rectangle = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`)

// The rectangles of a heat map are the cells that its data counts: each in the
// colour of its count, nothing beside them.
func TestHeatIsItsData(t *testing.T) {
	run := loadPages()["open"].Runs[0]
	v := newHeatView("", run.Course, 1)
	var d heatData
	if err := json.Unmarshal([]byte(v.Data), &d); err != nil {
		t.Fatal(err)
	}
	rows := len(d.Times) - 1
	drawn := make([][]string, len(d.Cells))
	for i := range drawn {
		drawn[i] = make([]string, rows)
	}
	for _, p := range v.Paths {
		left := rectangle.ReplaceAllString(p.Path, "")
		if left != "" {
			t.Fatalf("%s holds %q", p.Class, left)
		}
		for _, m := range rectangle.FindAllStringSubmatch(p.Path, -1) {
			var n [4]int
			for i := range n {
				n[i], _ = strconv.Atoi(m[i+1])
			}
			// 30 columns of a second are 48 units wide each.
			for column := n[0] / 48; column < (n[0]+n[2])/48; column++ {
				if old := drawn[column][rows-1-n[1]]; old != "" || n[2] != n[3] {
					t.Fatalf("column %d, row %d is drawn as %s and as %s", column, rows-1-n[1], old, p.Class)
				}
				drawn[column][rows-1-n[1]] = p.Class
			}
		}
	}
	var total, most int64
	for _, cells := range d.Cells {
		if len(cells) > 0 {
			most = max(most, slices.Max(cells[1:]))
		}
	}
	steps := heatSteps(most)
	for column, cells := range d.Cells {
		for row := range rows {
			var n int64
			if i := row - int(cells[0]); i >= 0 && i < len(cells)-1 {
				n = cells[1+i]
			}
			total += n
			want := ""
			for k, least := range steps {
				if n >= least {
					want = heatClass(k, len(steps))
				}
			}
			if drawn[column][row] != want {
				t.Errorf("column %d, row %d counts %d and is drawn as %q, want %q", column, row, n, drawn[column][row], want)
			}
		}
	}
	if want := run.Result.Response.Count(); total != want {
		t.Errorf("%d requests in the cells, %d in the histogram", total, want)
	}
	// The stall from 12 to 12.5 s: who was due in it waited until its end, which
	// no other second knows.
	row := courseRow(400e6) - courseRow(int64(d.Times[0]))
	for column, cells := range d.Cells {
		slow := len(cells)-1 > row-int(cells[0])
		if slow != (column == 12) {
			t.Errorf("second %d has times of 400 ms: %v", column, slow)
		}
	}
}

// The line of the percentile plot is at each share where sorted times are.
func TestQuantilePathAgainstSorting(t *testing.T) {
	h := new(hist.Histogram)
	var all []int64
	for k := range int64(20_000) {
		ns := 1000 + k*k%7_000_003
		h.Record(ns)
		all = append(all, ns)
	}
	slices.Sort(all)
	decades := math.Log10(float64(len(all)))
	y := page.Logarithmic(float64(all[0]), float64(all[len(all)-1]))
	path := quantilePath(h, decades, y)
	height := func(x float64) float64 {
		at := 0.0
		for _, m := range regexp.MustCompile(`M(\d+) (\d+)h0|H(\d+)V(\d+)`).FindAllStringSubmatch(path, -1) {
			px, _ := strconv.ParseFloat(m[1]+m[3], 64)
			if px > x {
				break
			}
			at, _ = strconv.ParseFloat(m[2]+m[4], 64)
		}
		return at
	}
	for _, q := range []float64{0.05, 0.5, 0.9, 0.99, 0.999} {
		rank := int(math.Ceil(q*float64(len(all)))) - 1
		// Points are a 480th of 4.3 decades apart, in which 1−q falls by 2.1 %; a
		// unit is a 200th of the height, and a bucket up to 0.8 % too high.
		off := int(0.021*(1-q)*float64(len(all))) + 2
		low, high := (1-y.At(float64(all[min(rank+off, len(all)-1)])*1.008))*page.ChartY-1, (1-y.At(float64(all[max(rank-off, 0)])))*page.ChartY+1
		if got := height(math.Log10(1/(1-q)) / decades * page.ChartX); got < low || got > high {
			t.Errorf("at %v the line is at %v of 200, want %v to %v", q, got, low, high)
		}
	}
	if !strings.HasSuffix(path, "H1440V"+strconv.Itoa(int(math.Round((1-y.At(float64(all[len(all)-1])))*page.ChartY)))) {
		t.Errorf("the line does not end at the longest time: …%s", path[len(path)-20:])
	}
	var shares []string
	for _, n := range nines(5) {
		shares = append(shares, n.Label+" "+n.At)
	}
	if got := strings.Join(shares, "; "); got != "50 % 6.02; 90 % 20; 99 % 40; 99.9 % 60; 99.99 % 80" {
		t.Errorf("shares %s", got)
	}
}

// A day stays below 2 MB, and so do three beside each other.
func TestHTMLOfADayIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser, or writes large pages")
	}
	run := openLoad("", 1000, 1)
	const day = 24 * 3600
	first := run.Result.Seconds
	run.Result.Seconds = nil
	c := NewCourse(true)
	h := new(hist.Histogram)
	for k := range day {
		s := first[k%30]
		s.Start = loadStart.Add(time.Duration(k) * time.Second)
		s.Response.P99 += time.Duration(k*7919%1_000_003) * 1000
		run.Result.Seconds = append(run.Result.Seconds, s)
		if k%10 > 0 {
			continue
		}
		s.Length = 10 * time.Second
		h.Reset()
		for i := range int64(40) {
			h.Record((10_000 + int64(k)*7919%1000) << (i % 22))
		}
		c.Add(loadresult.Interval{Second: s, Service: new(hist.Histogram), Response: h})
	}
	run.Result.End = loadStart.Add(day * time.Second)
	run.Course = c
	for _, runs := range []int{1, 3} {
		n := len(htmlOf(t, &Page{Runs: slices.Repeat([]Run{run}, runs)}))
		t.Logf("%d bytes for %d", n, runs)
		if n > 2e6 {
			t.Errorf("%d runs take %d bytes", runs, n)
		}
	}
}

// The first statement comes first: that the figures are not the service's, then
// warnings, then figures. And every name is there as text.
func TestHTMLOrderAndNames(t *testing.T) {
	doc := string(htmlOf(t, loadPages()["hostile"]))
	last := -1
	for _, id := range []string{"invalid", "warnings", "knee", "grew", "result", "slo", "time", "heat", "percentiles", "targets", "errors", "generator", "seconds"} {
		at := strings.Index(doc, ` id="`+id+`"`)
		if at <= last {
			t.Errorf("#%s is at %d, what stands before it at %d", id, at, last)
		}
		last = at
	}
	// Of one load the result in a line stands before the warnings, and what makes it invalid first.
	one := *loadPages()["open"]
	one.Runs = slices.Clone(one.Runs)
	run := one.Runs[0]
	result := *run.Result
	result.Warnings, run.Result, one.Runs[0] = []string{"the machine was busy"}, &result, run
	if doc := string(htmlOf(t, &one)); !strings.Contains(doc, `id="verdict"`) || strings.Index(doc, `id="verdict"`) > strings.Index(doc, `id="warnings"`) {
		t.Errorf("the verdict at %d, warnings at %d", strings.Index(doc, `id="verdict"`), strings.Index(doc, `id="warnings"`))
	}
	all, err := pagetest.Walk([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	name := printable.Line(pagetest.Tag)
	for where, is := range map[string]func(*pagetest.Element) bool{
		"a warning": func(e *pagetest.Element) bool { return e.Name == "li" && e.Text == name+": "+name },
		"a bound":   func(e *pagetest.Element) bool { return e.Name == "code" && e.Text == name },
		"an error":  func(e *pagetest.Element) bool { return e.Name == "td" && e.Text == name },
		"a function": func(e *pagetest.Element) bool {
			return e.Name == "th" && e.Text == printable.Line(pagetest.Tag+".f")+" "
		},
		"a target":  func(e *pagetest.Element) bool { return e.Name == "th" && e.Text == printable.Line(pagetest.Tag+"/1") },
		"a heading": func(e *pagetest.Element) bool { return e.Name == "h3" && e.Text == name },
	} {
		if !slices.ContainsFunc(all, is) {
			t.Errorf("%q is not in %s", name, where)
		}
	}
}

// Ratios are above 1 where a run is better than the first, and none stands
// between a response time and a service time.
func TestComparison(t *testing.T) {
	pages := loadPages()
	v := newView(pages["several"])
	if len(v.Compare) != 3 || v.Compare[0].Cells[0].Ratio != "" {
		t.Fatalf("%d rows, the first with %q", len(v.Compare), v.Compare[0].Cells[0].Ratio)
	}
	if after := v.Compare[1].Cells; after[0].Ratio != "1.00x" || after[1].Ratio != "" || !strings.HasPrefix(after[3].Ratio, "1.6") {
		t.Errorf("after: throughput %q, p50 %q", after[0].Ratio, after[3].Ratio)
	}
	if half := v.Compare[2].Cells; half[0].Ratio != "0.500x" {
		t.Errorf("half the rate has the ratio %q", half[0].Ratio)
	}
	mixed := newView(pages["mixed"])
	if !v.HasRatios() || mixed.HasRatios() {
		t.Errorf("ratios are spoken of: %v of loops of one kind, %v of two", v.HasRatios(), mixed.HasRatios())
	}
	for _, c := range mixed.Compare[1].Cells {
		if c.Ratio != "" {
			t.Errorf("a closed loop's %s has the ratio %s to an open one's", c.Value, c.Ratio)
		}
	}
}

// Levels lie where their logarithms are, the bracket between its two.
func TestKneeView(t *testing.T) {
	found := kneeFound()
	v := newKneeView("", &found)
	if len(v.Charts) != 2 || len(v.Points) != 10 {
		t.Fatalf("%d charts, %d points", len(v.Charts), len(v.Points))
	}
	whole := math.Log(128 * 1.02)
	band := v.Charts[0].Band
	if want := page.PercentOf(math.Log(40) / whole); band.X != want || len(band.Edges) != 2 || band.Edges[1] != page.PercentOf(math.Log(49)/whole) {
		t.Errorf("the bracket is %+v, want it at %s", band, want)
	}
	// 1000/s times 0.99 at one connection, below 20,000/s: 190 of 200.
	if !strings.HasPrefix(v.Charts[0].Lines[1].Path, "M0 190L") {
		t.Errorf("the first level is at %.20s", v.Charts[0].Lines[1].Path)
	}
	invalid := kneeFound()
	invalid.Invalid = "the generator was the bottleneck"
	if got := newView(&Page{Searches: []Search{{Found: []KneeSearch{invalid}}}}).Invalid; !slices.Equal(got, []string{invalid.Invalid}) {
		t.Errorf("a search that is not valid says %q", got)
	}
	for low, title := range map[float64]string{0: "at 49", 40: "between 40 and 49"} {
		if got := bracket(&KneeSearch{Found: true, Low: low, High: 49}, page.Scale{Low: 1, High: 100, Log: true}).Title; got != title {
			t.Errorf("bracket from %g: %q", low, got)
		}
	}
	// 16,700/s ± 2 % of 20,000/s: from 17,034 to 16,366.
	if p := v.Charts[0].Plateau; p == nil || p.Y != "14.83" || p.Height != "3.34" || p.Title != "16,700/s ± 2.0 %" {
		t.Errorf("the plateau is %+v", p)
	}
	if got := newView(loadPages()["knee"]); v.Text[0] != "The knee is at 49 connections: 16,700/s." || !slices.Equal(got.Warnings, []string{"runs of one level vary by 27.5 %"}) {
		t.Errorf("the page begins with %q, and warns of %q", v.Text[0], got.Warnings)
	}
	if got := newView(loadPages()["knee"]).Verdict; got != "" {
		t.Errorf("beside what was found the page says in short %q", got)
	}
	found = rateFound()
	rates := newKneeView("", &found)
	if rates.Charts[0].Plateau != nil || rates.Charts[0].Lines[0].Name != "offered" || rates.Good != "keeps the bounds" || rates.Points[5].Cells[5] != "no" {
		t.Errorf("the search over rates: %+v", rates.Charts[0])
	}
	if got := bracket(&KneeSearch{Found: true, Low: 49, High: math.Inf(1)}, page.Scale{Low: 1, High: 100, Log: true}); got.Title != "at 49" || got.Width != "0" {
		t.Errorf("a bracket without an end: %+v", got)
	}
}

// A search that found nothing is on the page as one that did: what it was to keep,
// what it says and warns of, and its levels. With a run beside it, and with none.
func TestPageOfSearchWithoutKnee(t *testing.T) {
	missed, lost := loadPages()["missed"], loadPages()["lost"]
	v := newView(missed)
	if len(v.Knees) != 2 || v.Knees[0].Run != "best throughput" || v.Knees[1].Run != "highest rate" || v.Knees[1].Keeps != "p99<1ns" || v.Knees[1].Text[0] != "No rate from 1/s to 33,400/s keeps the bounds." ||
		len(v.Knees[1].Points) != 3 || v.Knees[1].Points[0].Cells[5] != "no" || v.Knees[1].Charts[0].Band != nil {
		t.Errorf("%+v", v.Knees)
	}
	if want := []string{"best throughput: runs of one level vary by 27.5 %", "highest rate: p99 of the lowest rate is of 5 answers"}; !slices.Equal(v.Warnings, want) {
		t.Errorf("it warns of %q, want %q", v.Warnings, want)
	}
	doc := string(htmlOf(t, lost))
	for _, want := range []string{`id="knee"`, "that keeps p99&lt;1ns", "No rate from 1/s to 33,400/s keeps the bounds.", "<td>2,088/s</td>", "p99 of the lowest rate", "http://127.0.0.1:8080/hello"} {
		if !strings.Contains(doc, want) {
			t.Errorf("the page without a load has no %q", want)
		}
	}
	for _, id := range []string{"result", "generator", "seconds", "grew"} {
		if strings.Contains(doc, `"`+id+`"`) || strings.Contains(doc, `"#`+id+`"`) {
			t.Errorf("the page without a load has #%s", id)
		}
	}
	// A budget that was spent before a level leaves a sentence.
	none := KneeSearch{Open: true, Headline: "no level was measured", Invalid: "the generator was the bottleneck"}
	v = newView(&Page{Searches: []Search{{Found: []KneeSearch{kneeFound(), none}}}})
	if len(v.Knees) != 2 || v.Knees[1].Text[0] != "No level was measured." || len(v.Knees[1].Charts) != 0 || !slices.Equal(v.Invalid, []string{"highest rate: the generator was the bottleneck"}) {
		t.Errorf("%+v, not valid: %q", v.Knees[1], v.Invalid)
	}
	// What ended a search is not said of its last run again.
	lasting := loadPages()["open"].Runs[0]
	result := *lasting.Result
	result.Invalid, lasting.Result = "the generator was the bottleneck", &result
	none.Invalid = "at 1,194/s: " + result.Invalid
	v = &view{}
	v.addSearch(&Search{Found: []KneeSearch{kneeFound(), none}})
	v.addRun("highest rate", &lasting, 2)
	if !slices.Equal(v.Invalid, []string{"highest rate: at 1,194/s: the generator was the bottleneck"}) {
		t.Errorf("not valid: %q", v.Invalid)
	}
	v.addRun("best throughput", &lasting, 2)
	if len(v.Invalid) != 2 {
		t.Errorf("another run: %q", v.Invalid)
	}
	if doc := htmlOf(t, &Page{Searches: []Search{{Found: []KneeSearch{none}}}}); bytes.Contains(doc, []byte("Level by level")) {
		t.Error("there are levels where none was measured")
	}
}

// Searches of several recordings on one page have the names of their runs.
func TestSearchesBesideEachOther(t *testing.T) {
	growth := func(high float64) []KneeGrowth {
		return []KneeGrowth{{Kind: "cpu", Column: "cpu", Unit: "nanoseconds", LowLevel: 2, HighLevel: high}}
	}
	p := &Page{Runs: []Run{closed("a/run", 2, 1), closed("b/run", 2, 1)}, Searches: []Search{
		{Name: "a/run", Found: []KneeSearch{kneeFound(), rateFound()}, Growth: growth(4)}, {Name: "b/run", Found: []KneeSearch{kneeFound()}, Growth: growth(8)},
	}}
	v := newView(p)
	var names []string
	for i := range v.Knees {
		names = append(names, v.Knees[i].Run)
	}
	if !slices.Equal(names, []string{"a/run: best throughput", "a/run: highest rate", "b/run"}) || !slices.Equal(v.Warnings, []string{
		"a/run: best throughput: runs of one level vary by 27.5 %", "b/run: runs of one level vary by 27.5 %"}) {
		t.Errorf("names %q, warnings %q", names, v.Warnings)
	}
	doc := string(htmlOf(t, p))
	for _, want := range []string{`>a/run: cpu <span class="aside">for each request, from 2 to 4 connections</span></h3>`, `>b/run: cpu <span class="aside">for each request, from 2 to 8 connections</span></h3>`} {
		if !strings.Contains(doc, want) {
			t.Errorf("no %q", want)
		}
	}
}

// What the script reads of the percentile plot ends with the longest time, which
// is no quantile of what is drawn before it.
func TestQuantileDataEndsWithTheLongest(t *testing.T) {
	h := new(hist.Histogram)
	for range 999 {
		h.Record(1_000_000)
	}
	h.Record(50_000_000)
	var d page.ReadData
	if err := json.Unmarshal([]byte(newQuantileData([]quantileLine{{"run1", "x", h}}, 3)), &d); err != nil {
		t.Fatal(err)
	}
	l := d.Lines[0]
	n := len(l.At) - 1
	if l.At[n] != page.ChartX || l.Values[n] != "50.0 ms" || l.Places[n] != "the longest" || l.Values[n-1] != "1.00 ms" || l.Places[24] != "of 99.00 %" || l.At[24] != 960 {
		t.Errorf("at the end %d, %q, %q behind %q; at two nines %q at %d", l.At[n], l.Values[n], l.Places[n], l.Values[n-1], l.Places[24], l.At[24])
	}
}

// Where no request has a time there is no heat map, and where none ended the page
// says that in place of a rate of 0 without errors.
func TestPageOfNothing(t *testing.T) {
	empty := NewCourse(false)
	empty.Add(loadresult.Interval{Second: loadresult.Second{Start: loadStart, Length: time.Second}, Service: new(hist.Histogram), Response: new(hist.Histogram)})
	run := Run{Course: empty, Result: &loadresult.Result{Start: loadStart, End: loadStart.Add(time.Second), Requests: 20, Errors: map[string]int64{loadresult.Refused: 20}}}
	if v := newView(&Page{Runs: []Run{run}}); len(v.Heats) != 0 || v.Verdict != "0/s, 100.0\u00a0% of the requests failed" || v.Hides == "" {
		t.Errorf("of refused requests: %d heat maps, in short %q", len(v.Heats), v.Verdict)
	}
	for want, r := range map[string]*loadresult.Result{
		"No request counts: interrupted in the warm-up": {Start: loadStart, End: loadStart, Interrupted: true, InFlight: 8},
		"No request ended within 1.00 s":                {Start: loadStart, End: loadStart.Add(time.Second), InFlight: 8},
		"No request was sent":                           {Start: loadStart, End: loadStart.Add(time.Second)},
	} {
		v := newView(&Page{Runs: []Run{{Result: r}}})
		if v.Verdict != want || v.Hides != "" || v.Figures[5].Value != "–" {
			t.Errorf("in short %q, errors %q, hides %q; want %q", v.Verdict, v.Figures[5].Value, v.Hides, want)
		}
		// Nor is there a share of errors anywhere else.
		two := &Page{Runs: []Run{{Result: r}, {Result: r}}}
		for _, row := range newView(two).Compare {
			if row.Cells[1].Value != "–" {
				t.Errorf("%s: beside another its errors are %q", want, row.Cells[1].Value)
			}
		}
		if text := textOf(t, two, page.TextOptions{}); strings.Count(text, "  errors         –\n") != 2 || strings.Contains(text, "0 %") {
			t.Errorf("%s:\n%s", want, text)
		}
	}
	interrupted := loadresult.Result{Start: loadStart, End: loadStart, Generator: loadresult.Generator{Processors: 2}}
	if got := generator(&interrupted); got != "CPU time unknown" {
		t.Errorf("the generator of no time: %q", got)
	}
}
