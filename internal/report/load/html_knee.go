package load

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// kneeLevels bounds how many levels a page shows.
const kneeLevels = 200

// kneeSteps is how many pieces a drawn function has.
const kneeSteps = 240

// kneeView is a search for the knee: throughput and p99 over the level.
type kneeView struct {
	Run    string
	Keeps  string // the bounds that a rate had to keep; "": none, or they are not known
	Over   string
	Good   string // what Meets means
	Text   []string
	Charts []kneeChart
	Ticks  []page.Tick
	Points []kneeRow
	More   string
}

type kneeChart struct {
	Name, Note, Label string
	Grid              []page.Tick
	Band              *bandView
	Plateau           *plateauView
	Lines             []page.Path
}

// bandView is the bracket, in percent of the chart's width.
type bandView struct {
	X, Width string
	Edges    []string
	Title    string
}

// plateauView is the best throughput with its noise, in percent of the chart's
// height from the top.
type plateauView struct{ Y, Height, Title string }

type kneeRow struct {
	Cells [6]string
	Meets bool
}

func newKneeView(name string, k *KneeSearch) kneeView {
	points := slices.Clone(k.Levels[:min(len(k.Levels), kneeLevels)])
	slices.SortStableFunc(points, func(a, b KneeLevel) int { return cmp.Compare(a.Level, b.Level) })
	v := kneeView{Run: name, Over: k.over(), Good: "on the plateau", More: page.More(len(k.Levels), kneeLevels)}
	if k.Open {
		v.Good = "keeps the bounds"
	}
	text := []string{k.Headline}
	if k.Law != nil {
		text = append(text, law(k.Law)...)
	}
	for _, s := range text {
		if s != "" {
			v.Text = append(v.Text, sentence(printable.Line(s)))
		}
	}
	if len(points) == 0 {
		return v
	}
	// Levels are doubled before they are refined: by their logarithm they have
	// room where they are many.
	x := page.Scale{Low: 0, High: 1}
	for i := range points {
		x.High = max(x.High, points[i].Level)
	}
	if least := points[0].Level; least > 0 && x.High/least > 10 {
		x.Low, x.Log = least, true
	}
	x.High *= 1.02
	v.Ticks = levelTicks(x)
	var rate, slow, fit []spot
	for i := range points {
		p := &points[i]
		r := p.last()
		rate, slow = append(rate, spot{p.Level, p.Throughput}), append(slow, spot{p.Level, float64(r.P99)})
		v.Points = append(v.Points, kneeRow{[6]string{
			quantity.Count(p.Level), quantity.Count(p.Throughput) + "/s", page.Answered(int64(r.P50)), page.Answered(int64(r.P99)), quantity.Percent(r.Errors), meets(p.Good),
		}, p.Good})
	}
	if k.Law != nil {
		for i := range kneeSteps + 1 {
			level := x.From(float64(i) / kneeSteps)
			if at := k.Law.At(level); page.Known(at) && at >= 0 {
				fit = append(fit, spot{level, at})
			}
		}
	}
	most := 0.0
	for _, p := range slices.Concat(rate, fit) {
		most = max(most, p.y)
	}
	y := page.Linear(0, most, "per second")
	chart := kneeChart{Name: "throughput", Note: "per second", Grid: y.Grid("per second"), Band: bracket(k, x), Plateau: plateau(k, y)}
	if k.Open {
		chart.Lines = append(chart.Lines, page.Path{Class: "plan", Name: "offered", Path: polyline(offered(x, y), x, y)})
	}
	if len(fit) > 0 {
		chart.Lines = append(chart.Lines, page.Path{Class: "law", Name: "universal scalability law", Path: polyline(fit, x, y)})
	}
	chart.Lines = append(chart.Lines, page.Path{Class: "run1", Name: "measured", Path: polyline(rate, x, y)}, page.Path{Class: "run1 dots", Name: "", Path: dots(rate, x, y)})
	chart.Label = "Throughput over " + v.Over + ", from " + quantity.Count(points[0].Level) + " to " + quantity.Count(points[len(points)-1].Level)
	v.Charts = append(v.Charts, chart)
	slow = slices.DeleteFunc(slow, func(p spot) bool { return p.y <= 0 })
	if len(slow) > 0 {
		least, most := math.Inf(1), 0.0
		for _, p := range slow {
			least, most = min(least, p.y), max(most, p.y)
		}
		y := page.Logarithmic(least, most)
		v.Charts = append(v.Charts, kneeChart{
			Name: "p99", Note: "logarithmic", Grid: y.Grid("nanoseconds"), Band: bracket(k, x), Label: "p99 over " + v.Over,
			Lines: []page.Path{{Class: "line-p99", Name: "p99", Path: polyline(slow, x, y)}, {Class: "line-p99 dots", Name: "", Path: dots(slow, x, y)}},
		})
	}
	return v
}

// sentence makes one of what is a line in a terminal.
func sentence(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if s == "" || strings.HasSuffix(s, ".") {
		return string(unicode.ToUpper(first)) + s[n:]
	}
	return string(unicode.ToUpper(first)) + s[n:] + "."
}

// offered returns the rate itself as throughput: what a service answers that keeps
// up.
func offered(x, y page.Scale) []spot {
	var out []spot
	for i := range kneeSteps + 1 {
		if level := x.From(float64(i) / kneeSteps); level <= y.High {
			out = append(out, spot{level, level})
		}
	}
	return out
}

// plateau returns the best throughput and its noise; nil where there is none.
func plateau(k *KneeSearch, y page.Scale) *plateauView {
	if k.Plateau == nil {
		return nil
	}
	rate, noise := k.Plateau.Throughput.Center, k.Plateau.NoiseRatio()
	if !(rate > 0) || math.IsInf(rate, 0) || !(noise >= 0) {
		return nil
	}
	top, bottom := y.At(rate*(1+noise)), y.At(rate*(1-noise))
	return &plateauView{page.PercentOf(1 - top), page.PercentOf(max(top-bottom, 0.004)),
		quantity.Count(rate) + "/s ± " + quantity.Percent(noise)}
}

func meets(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

// bracket returns the stretch between what did and what did not; one edge where the
// other is not known.
func bracket(k *KneeSearch, x page.Scale) *bandView {
	var edges []float64
	var known []string
	for _, level := range []float64{k.Low, k.High} {
		if k.Found && level > 0 && !math.IsInf(level, 0) {
			edges, known = append(edges, level), append(known, quantity.Count(level))
		}
	}
	if len(edges) == 0 {
		return nil
	}
	v := &bandView{Title: "at " + known[0]}
	if len(edges) == 2 {
		v.Title = "between " + strings.Join(known, " and ")
	}
	for _, level := range edges {
		v.Edges = append(v.Edges, page.PercentOf(x.At(level)))
	}
	from, to := x.At(edges[0]), x.At(edges[len(edges)-1])
	v.X, v.Width = page.PercentOf(from), page.PercentOf(to-from)
	return v
}

// levelTicks are round levels below the charts.
func levelTicks(x page.Scale) []page.Tick {
	var levels []float64
	if x.Log {
		factors := []float64{1}
		if x.High/x.Low < 3000 {
			factors = []float64{1, 2, 5}
		}
		for power := math.Pow(10, math.Floor(math.Log10(x.Low))); power <= x.High; power *= 10 {
			for _, f := range factors {
				if v := f * power; v >= x.Low*(1-1e-9) && v <= x.High {
					levels = append(levels, v)
				}
			}
		}
	} else {
		step := page.Nice((x.High - x.Low) / page.ChartTicks)
		for k := 0.0; k*step <= x.High && len(levels) < 2*page.ChartTicks; k++ {
			levels = append(levels, k*step)
		}
	}
	var out []page.Tick
	for _, v := range levels {
		out = append(out, page.NewTick(x.At(v), quantity.Count(v)))
	}
	return out
}

// spot is a point of a chart over levels.
type spot struct{ x, y float64 }

func (p spot) text(x, y page.Scale) string {
	return strconv.Itoa(int(math.Round(x.At(p.x)*page.ChartX))) + " " + strconv.Itoa(int(math.Round((1-y.At(p.y))*page.ChartY)))
}

func polyline(points []spot, x, y page.Scale) string {
	var b strings.Builder
	for i, p := range points {
		if i == 0 {
			b.WriteString("M")
		} else {
			b.WriteString("L")
		}
		b.WriteString(p.text(x, y))
	}
	return b.String()
}

// dots draws a point for each: lines without length have round ends.
func dots(points []spot, x, y page.Scale) string {
	var b strings.Builder
	for _, p := range points {
		b.WriteString("M" + p.text(x, y) + "h0")
	}
	return b.String()
}
