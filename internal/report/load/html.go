package load

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"whet/internal/hist"
	"whet/internal/loadresult"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// Bounds of what the page of a load shows: runs may come from files of others.
const (
	loadRuns    = 8 // a colour and a dash each
	loadSeconds = 600
	loadKinds   = 20 // of errors
)

// view is the page of one load or of several.
type view struct {
	page.Shell
	Began    string
	Loop     string
	Invalid  []string // why figures are not the service's: before all else
	Warnings []string
	Verdict  string
	Hides    string // what a closed loop does not show
	Figures  []page.Figure
	Times    []tableRow
	Columns  []string // of Times and of Compare
	Compare  []comparisonRow
	Bounds   []boundView
	Rates    []tableView
	Targets  []tableView
	Knees    []kneeView
	Growth   []growthView
	Time     *page.Timeline
	Heats    []heatView
	Plot     *quantilePlot
	Errors   []loadErrors
	Checks   []checkView
	Seconds  []secondsView
	Left     string // runs that are not shown
}

// tableView is a table of one run.
type tableView struct {
	Run     string
	Columns []string
	Rows    []tableRow
	More    string
}

type tableRow struct {
	Name, Note string
	Cells      []string
}

// comparisonRow compares a run with the first. Ratios above 1 mean that it is better.
type comparisonRow struct {
	Class, Name, Loop string
	Cells             []comparisonCell
}

type comparisonCell struct{ Value, Ratio string }

// HasRatios reports whether any run is of the first one's kind of loop.
func (v *view) HasRatios() bool {
	for _, row := range v.Compare {
		if slices.ContainsFunc(row.Cells, func(c comparisonCell) bool { return c.Ratio != "" }) {
			return true
		}
	}
	return false
}

// RatesNote stands beside the heading of what became of each rate.
func (v *view) RatesNote() string { return ratesNote }

type boundView struct {
	Run string
	Bound
}

type loadErrors struct {
	Run  string
	Rows []page.ErrorRow
	More string
}

// checkView is what the generator says of itself.
type checkView struct {
	Run   string
	Facts []page.Fact
}

type secondsView struct {
	Run     string
	Columns []string
	Rows    [][]string
	More    string
}

// runClass returns a run's colour and dash.
func runClass(i int) string { return "run" + strconv.Itoa(i+1) }

func newView(p *Page) *view {
	runs := p.Runs[:min(len(p.Runs), loadRuns)]
	v := &view{Left: page.More(len(p.Runs), loadRuns)}
	title := ""
	if len(runs) > 0 {
		title = target(&runs[0].Plan)
	} else {
		title = target(&p.Searches[0].Plan)
	}
	for i := range runs {
		if target(&runs[i].Plan) != title {
			title = quantity.Plural(len(p.Runs), "load")
			break
		}
	}
	v.Shell = page.NewShell("whet load · "+title, page.KitStyle()+page.Asset(assets, "load.css"), page.KitScript()+page.Asset(assets, "load.js"))
	v.Title, v.Warnings = title, slices.Clone(p.Warnings)
	for i := range p.Searches {
		v.addSearch(&p.Searches[i])
	}
	for i := range runs {
		name := ""
		if len(runs) > 1 {
			name = runs[i].name(i)
		}
		v.addRun(name, &runs[i], len(runs))
	}
	switch len(runs) {
	case 0:
	case 1:
		first := &runs[0]
		v.Began, v.Loop = began(first.Result), first.loop()
		if len(v.Knees) == 0 { // else the page shows the search instead
			v.Verdict = loadVerdict(first)
		}
		v.Figures = loadFigures(first)
		v.addTimes(first)
	default:
		v.addComparison(runs)
	}
	for i := range runs {
		if r := runs[i].Result; !r.Open && r.Requests > 0 {
			v.Hides = runs[i].hides()
			break
		}
	}
	v.Time = timeline(runs)
	v.Plot = newQuantilePlot(runs)
	return v
}

// say returns the text on a run or a search, whose name is "" where it is alone.
func say(name, s string) string {
	if name == "" {
		return printable.Line(s)
	}
	return name + ": " + printable.Line(s)
}

// addSearch adds all that was looked for, also what was not found.
func (v *view) addSearch(s *Search) {
	for i := range s.Found {
		k := &s.Found[i]
		name := s.nameOf(k)
		if k.Invalid != "" {
			v.Invalid = append(v.Invalid, say(name, k.Invalid))
		}
		for _, w := range k.Warnings {
			v.Warnings = append(v.Warnings, say(name, w))
		}
		knee := newKneeView(name, k)
		if k.Open {
			knee.Keeps = printable.Line(s.SLO)
		}
		v.Knees = append(v.Knees, knee)
	}
	for i := range s.Growth {
		v.Growth = append(v.Growth, newGrowthView(s.name(), &s.Growth[i]))
	}
}

// addRun adds what stands on the page for each run. name is "" of a single one.
func (v *view) addRun(name string, run *Run, runs int) {
	r := run.Result
	// A search says it of the run that ended it, too.
	if r.Invalid != "" && !slices.ContainsFunc(v.Invalid, func(said string) bool {
		return strings.HasPrefix(said, name) && strings.HasSuffix(said, printable.Line(r.Invalid))
	}) {
		v.Invalid = append(v.Invalid, say(name, r.Invalid))
	}
	for _, w := range withoutReason(r) {
		v.Warnings = append(v.Warnings, say(name, w))
	}
	for _, b := range run.Bounds {
		v.Bounds = append(v.Bounds, boundView{name, b})
	}
	if rates, ok := newRatesView(name, run); ok {
		v.Rates = append(v.Rates, rates)
	}
	if run.Course != nil && run.Course.counts() {
		v.Heats = append(v.Heats, newHeatView(name, run.Course, runs))
	}
	if targets, ok := newTargetsView(name, run); ok {
		v.Targets = append(v.Targets, targets)
	}
	if len(r.Errors) > 0 {
		v.Errors = append(v.Errors, newErrors(name, r))
	}
	v.Checks = append(v.Checks, checkView{name, generatorFacts(r)})
	if len(r.Seconds) > 0 {
		v.Seconds = append(v.Seconds, newSecondsView(name, r))
	}
}

// name returns what a run is called beside others.
func (run *Run) name(i int) string {
	if run.Name == "" {
		return "run " + strconv.Itoa(i+1)
	}
	return printable.Line(run.Name)
}

func began(r *loadresult.Result) string {
	if r.Start.IsZero() {
		return ""
	}
	return r.Start.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// times returns the times that users of the service would see, and their name: response
// times where they are known.
func times(r *loadresult.Result) (*hist.Histogram, string) {
	if r.Open {
		return &r.Response, "response time"
	}
	return &r.Service, "service time"
}

func timeAt(h *hist.Histogram, q float64) string {
	if h.Count() == 0 {
		return "–"
	}
	return page.Ns(h.Quantile(q))
}

// loadVerdict returns the run in a sentence.
func loadVerdict(run *Run) string {
	r := run.Result
	if r.Requests == 0 {
		return noneEnded(r)
	}
	h, name := times(r)
	s := page.Amount(r.Throughput(), "per second")
	if r.Open {
		s += " of " + page.Amount(r.Rate, "per second") + " planned"
	}
	if h.Count() > 0 {
		s += fmt.Sprintf(", %s p50 %s and p99 %s", name, unbroken(timeAt(h, 0.5)), unbroken(timeAt(h, 0.99)))
	}
	if r.Failed() > 0 {
		return s + ", " + unbroken(failedShare(r)) + " of the requests failed"
	}
	return s + ", no errors"
}

// noneEnded says that there are no figures, and why where that is known.
func noneEnded(r *loadresult.Result) string {
	switch length := r.End.Sub(r.Start); {
	case r.Interrupted && length <= 0:
		return "No request counts: interrupted in the warm-up"
	case r.InFlight > 0:
		return "No request ended within " + quantity.Nanoseconds(float64(length))
	}
	return "No request was sent"
}

// unbroken keeps a number and its unit on one line.
func unbroken(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }

// failedShare returns how many of the requests failed; of none that ended nothing is
// known.
func failedShare(r *loadresult.Result) string {
	if r.Requests == 0 {
		return "–"
	}
	return quantity.Percent(float64(r.Failed()) / float64(r.Requests))
}

func loadFigures(run *Run) []page.Figure {
	r := run.Result
	h, name := times(r)
	planned := ""
	if r.Open {
		planned = ", " + quantity.Count(r.Rate) + "/s planned"
	}
	out := []page.Figure{
		{Name: "throughput", Value: page.Amount(r.Throughput(), "per second"), Note: quantity.Count(float64(r.Answered())) + " answers" + planned},
		{Name: "p50", Value: timeAt(h, 0.5), Note: name},
		{Name: "p99", Value: timeAt(h, 0.99), Note: name},
		{Name: "p99.9", Value: timeAt(h, 0.999), Note: name},
		{Name: "longest", Value: timeAt(h, 1), Note: name},
	}
	if r.Requests == 0 {
		return append(out, page.Figure{Name: "errors", Value: "–", Note: "no request ended"})
	}
	if n := r.Failed(); n > 0 {
		return append(out, page.Figure{Name: "errors", Value: quantity.Count(float64(n)), Note: failedShare(r) + " of the requests"})
	}
	return append(out, page.Figure{Name: "errors", Value: "none", Note: statuses(r)})
}

// timeColumns returns those of tables of times.
func timeColumns() []string {
	out := []string{"mean"}
	for _, q := range loadQuantiles {
		out = append(out, q.name)
	}
	return append(out, "max")
}

// addTimes adds the table of all kinds of times of a single run.
func (v *view) addTimes(run *Run) {
	v.Columns = timeColumns()
	add := func(name, note string, h *hist.Histogram) {
		if h.Count() > 0 {
			v.Times = append(v.Times, tableRow{name, note, timeCells(h)})
		}
	}
	r := run.Result
	if r.Open {
		add("response time", "from when the request was due", &r.Response)
	}
	add("service time", "from when it was sent", &r.Service)
	if r.Open {
		add("send lateness", "later than it could have been sent", &r.Lateness)
	}
}

// addComparison sets the runs beside the first.
func (v *view) addComparison(runs []Run) {
	v.Columns = append([]string{"throughput", "errors"}, timeColumns()...)
	first := runs[0].Result
	before, _ := times(first)
	for i := range runs {
		r := runs[i].Result
		h, kind := times(r)
		ratio := func(x float64) string {
			// Open and closed loops measure different times, and an open one's
			// throughput is that of its plan.
			if i == 0 || r.Open != first.Open || !(x > 0) || math.IsInf(x, 0) {
				return ""
			}
			return quantity.Ratio(x)
		}
		row := comparisonRow{Class: runClass(i), Name: runs[i].name(i), Loop: runs[i].loop()}
		row.Cells = append(row.Cells, comparisonCell{page.Amount(r.Throughput(), "per second"), ratio(r.Throughput() / first.Throughput())}, comparisonCell{Value: failedShare(r)})
		values, known := timesOf(h), timesOf(before)
		for k, text := range timeCells(h) {
			c := comparisonCell{Value: text}
			if h.Count() > 0 && before.Count() > 0 {
				c.Ratio = ratio(known[k] / values[k])
			}
			row.Cells = append(row.Cells, c)
		}
		row.Loop = kind + ", " + row.Loop
		if r.Invalid != "" {
			row.Loop = "not valid; " + row.Loop
		}
		v.Compare = append(v.Compare, row)
	}
}

// timesOf returns the figures of timeCells.
func timesOf(h *hist.Histogram) []float64 {
	out := []float64{h.Mean()}
	for _, q := range loadQuantiles {
		out = append(out, float64(h.Quantile(q.at)))
	}
	return append(out, float64(h.Max()))
}

func newErrors(name string, r *loadresult.Result) loadErrors {
	all := kinds(r.Errors)
	v := loadErrors{Run: name, More: page.More(len(all), loadKinds)}
	for _, kind := range all[:min(len(all), loadKinds)] {
		v.Rows = append(v.Rows, page.ErrorRow{Count: quantity.Count(float64(r.Errors[kind])), Kind: printable.Line(kind), Example: printable.Line(r.Examples[kind])})
	}
	return v
}

// generatorFacts returns the self-check.
func generatorFacts(r *loadresult.Result) []page.Fact {
	g := &r.Generator
	var out []page.Fact
	add := func(name, value string) { out = append(out, page.Fact{Name: name, Value: value}) }
	add("generator", generator(r))
	if r.Open && r.Lateness.Count() > 0 {
		add("sent late", fmt.Sprintf("%s by more than 1 ms; p50 %s, p99.9 %s, max %s", quantity.Percent(r.LateRatio()),
			page.Ns(r.Lateness.Quantile(0.5)), page.Ns(r.Lateness.Quantile(0.999)), page.Ns(r.Lateness.Max())))
	}
	if due, inTime := planned(r); r.Open && due > 0 {
		add("sent in the second they were due in", nearlyAll(inTime, due))
	}
	if g.PauseTime > 0 {
		add("its collector", fmt.Sprintf("paused it for %s in all", quantity.Nanoseconds(float64(g.PauseTime))))
	}
	if r.Connections > 0 {
		add("connections made", fmt.Sprintf("%s, %s each", quantity.Count(float64(r.Connections)), quantity.Nanoseconds(float64(r.Connecting)/float64(r.Connections))))
	}
	if r.InFlight > 0 {
		add("cut off by the end", fmt.Sprintf("%s, the oldest after %s", quantity.Plural(r.InFlight, "request"), page.Ns(int64(r.OldestInFlight))))
	}
	add("received", fmt.Sprintf("%s of bodies, %s/s", quantity.Bytes(float64(r.Bytes)), quantity.Bytes(eachSecond(r, r.Bytes))))
	return out
}

// planned sums up the seconds' plans.
func planned(r *loadresult.Result) (due, inTime int64) {
	for i := range r.Seconds {
		due, inTime = due+r.Seconds[i].Due, inTime+r.Seconds[i].InTime
	}
	return due, inTime
}

// nearlyAll prints a share near the whole with the digits that matter there.
func nearlyAll(n, of int64) string {
	if n == of {
		return "all " + quantity.Count(float64(of))
	}
	share := strconv.FormatFloat(math.Floor(float64(n)/float64(of)*1e5)/1e3, 'f', 3, 64)
	return share + " %: all but " + quantity.Count(float64(of-n))
}
