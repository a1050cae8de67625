package gc

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

const (
	sweepWidth, sweepHeight = 960, 420
	sweepLeft, sweepBottom  = 90, 46
)

const sweepStyle = `text{font:12px system-ui,sans-serif;fill:#222}.s{fill:#666}.g{stroke:#ddd;fill:none}.spread{stroke:#9a9a9a;fill:none}.point,.front,.choice{stroke:#9a9a9a;stroke-width:10;stroke-linecap:round}.front{stroke:#0b6a94}.choice{stroke:#c0392b}.edge{stroke:#0b6a94;fill:none;stroke-dasharray:5 4}` +
	`@media(prefers-color-scheme:dark){svg{background:#16181c}text{fill:#e6e6e6}.s{fill:#9a9a9a}.g{stroke:#333}.front{stroke:#6fc0e6}.edge{stroke:#6fc0e6}.choice{stroke:#ff8a7a}}`

// WriteSweepSVG writes the settings as a picture: time over peak memory, with the
// spread of the runs.
func WriteSweepSVG(w io.Writer, s *Sweep) error {
	var b strings.Builder
	s.scatter(&b)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n<style>%s</style>\n%s</svg>\n",
		sweepWidth, sweepHeight, template.HTMLEscapeString(s.label()), sweepStyle, b.String())
	if err != nil {
		return fmt.Errorf("write SVG: %w", err)
	}
	return nil
}

func (s *Sweep) label() string {
	return printable.Line(s.Command + ": time over peak memory of " + quantity.Plural(len(s.Result.Points), "setting"))
}

// scatter draws the points.
func (s *Sweep) scatter(b *strings.Builder) {
	points := s.shown()
	var slowest, largest float64
	for i := range points {
		_, t := times(&points[i])
		_, m := peaks(&points[i])
		slowest, largest = max(slowest, float64(t)), max(largest, float64(m))
	}
	x, y := page.Linear(0, largest*1.08, "bytes"), page.Linear(0, slowest, "nanoseconds")
	leftOf := func(v float64) float64 { return sweepLeft + x.At(v)*(sweepWidth-sweepLeft-30) }
	topOf := func(v float64) float64 { return 14 + (1-y.At(v))*(sweepHeight-sweepBottom-14) }
	left := func(v float64) string { return coordinate(leftOf(v)) }
	top := func(v float64) string { return coordinate(topOf(v)) }
	for k := range 5 {
		v := y.High * float64(k) / 4
		fmt.Fprintf(b, `<path class="g" d="M%d %sH%d"/><text class="s" x="%d" y="%s" text-anchor="end">%s</text>`+"\n", sweepLeft, top(v), sweepWidth-30, sweepLeft-6, coordinate(topOf(v)+4), quantity.Nanoseconds(v))
		v = x.High * float64(k) / 4
		fmt.Fprintf(b, `<path class="g" d="M%s 14V%d"/><text class="s" x="%s" y="%d" text-anchor="middle">%s</text>`+"\n", left(v), sweepHeight-sweepBottom, left(v), sweepHeight-sweepBottom+16, quantity.Bytes(v))
	}
	fmt.Fprintf(b, `<text class="s" x="%d" y="%d" text-anchor="end">resident memory at its peak</text><text class="s" x="%d" y="10">%s</text>`+"\n", sweepWidth-30, sweepHeight-8, 6, s.what())
	edge := ""
	for i := range points {
		p := &points[i]
		if p.Front {
			edge += map[bool]string{true: "M", false: "L"}[edge == ""] + left(float64(p.PeakBytes)) + " " + top(float64(p.Time))
		}
	}
	fmt.Fprintf(b, `<path class="edge" d="%s"/>`+"\n", edge)
	for i := range points {
		p := &points[i]
		least, most := times(p)
		low, high := peaks(p)
		class := "point"
		switch {
		case p.Choice:
			class = "choice"
		case p.Front:
			class = "front"
		}
		title := fmt.Sprintf("GOGC %s, GOMEMLIMIT %s: %s (%s to %s), %s (%s to %s)", percentWord(p.Setting), limitWord(p.Setting), span(int64(p.Time)), span(int64(least)), span(int64(most)), size(p.PeakBytes), size(low), size(high))
		fmt.Fprintf(b, `<path class="spread" d="M%s %sV%sM%s %sH%s"/><path class="%s" d="M%s %sh0"><title>%s</title></path>`+"\n",
			left(float64(p.PeakBytes)), top(float64(least)), top(float64(most)), left(float64(low)), top(float64(p.Time)), left(float64(high)), class, left(float64(p.PeakBytes)), top(float64(p.Time)), template.HTMLEscapeString(title))
		if p.Choice {
			name := percentWord(p.Setting)
			if limit := limitWord(p.Setting); limit != "off" {
				name += ", " + limit
			}
			fmt.Fprintf(b, `<text x="%s" y="%s">%s</text>`+"\n", coordinate(leftOf(float64(p.PeakBytes))+9), coordinate(topOf(float64(p.Time))-7), template.HTMLEscapeString(name))
		}
	}
}

func coordinate(v float64) string {
	if math.IsNaN(v) {
		v = 0
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// WriteSweepHTML writes a page as one file that loads nothing from elsewhere.
func WriteSweepHTML(w io.Writer, s *Sweep) error {
	var b strings.Builder
	s.scatter(&b)
	v := struct {
		page.Shell
		About    string
		Warnings []string
		Choices  []string
		Label    string
		Picture  template.HTML // its names are escaped
		Box      string
		What     string
		Rows     [][]string
	}{
		Shell: page.NewShell(s.Command, page.KitStyle()+page.Asset(assets, "gc.css"), page.KitScript()),
		About: s.about(), Choices: s.choices(), Label: s.label(), Picture: template.HTML(b.String()), Box: fmt.Sprintf("0 0 %d %d", sweepWidth, sweepHeight), What: s.what(),
	}
	for _, warning := range s.Result.Warnings {
		v.Warnings = append(v.Warnings, printable.Line(warning))
	}
	for _, p := range s.shown() {
		note := ""
		switch {
		case p.Choice:
			note = "choose"
		case p.Front:
			note = "front"
		}
		least, most := times(&p)
		low, high := peaks(&p)
		v.Rows = append(v.Rows, []string{percentWord(p.Setting), limitWord(p.Setting), span(int64(p.Time)), span(int64(least)) + " to " + span(int64(most)), size(p.PeakBytes), size(low) + " to " + size(high), strconv.Itoa(len(p.Runs)), note})
	}
	return page.Write(w, assets, "sweep.html", v)
}
