package run

import (
	"fmt"
	"slices"
	"strings"

	"whet/internal/finding"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// How much of the hot places is shown.
const (
	shownPlaces = 5
	shownParts  = 3 // callees, and kinds of work, of one
	worthAPart  = 0.05
)

// hotPlaceView is the text of a hot place, for terminal and page.
type hotPlaceView struct {
	Number   int
	Place    string // file:line
	At       string // on the page: the id of its line in the source
	Function string // without its package path
	Symbol   string // as the linker has it
	Worth    string // percent, with what it is a share of
	Width    string // of a bar
	Shares   []string
	Made     []string // "append 40.1 %"
	Kinds    []string
	Beside   []string // "512 B and 3 objects an operation", "in the loop at line 12"
	Finding  string   // "finding 2: logging"
	Cause    string   // what the cost is, where no finding says it
	Notes    []string // of the compiler
}

func (p *Page) placeViews(most int) []hotPlaceView {
	var out []hotPlaceView
	for i := range p.HotPlaces {
		if i == most {
			break
		}
		out = append(out, p.placeView(i))
	}
	return out
}

func (p *Page) placeView(i int) hotPlaceView {
	h := &p.HotPlaces[i]
	v := hotPlaceView{
		Number: i + 1, Symbol: printable.Line(h.Function),
		Place: page.FileLine(h.File, h.Line),
		Worth: quantity.Percent(h.WorthRatio), Width: page.BarWidth(h.WorthRatio),
	}
	v.Function = shortName(v.Symbol)
	switch others := slices.DeleteFunc(slices.Clone(h.Lines), func(line int) bool { return line == h.Line }); {
	case len(others) == 1:
		v.Place += fmt.Sprintf(" and line %d", others[0])
	case len(others) > 1:
		v.Place += fmt.Sprintf(" and %s", quantity.Plural(len(others), "line"))
	}
	share := func(r *float64, name string, n int64) {
		if r == nil || *r < 0.0005 {
			return
		}
		text := quantity.Percent(*r)
		if iv, ok := samplingError(*r, n); ok {
			text += " ± " + points(iv)
		}
		v.Shares = append(v.Shares, text+" "+name)
	}
	share(h.CPURatio, "of CPU time", h.CPUSamples)
	share(h.AllocBytesRatio, "of bytes", 0)
	share(h.DelayRatio, "of lock delay", 0)
	v.Made = parts(h.Callees, h, "the line itself")
	v.Kinds = parts(h.Kinds, h, "")
	if h.BytesPerOp != nil && *h.BytesPerOp >= 1 {
		text := quantity.Bytes(*h.BytesPerOp)
		if h.ObjectsPerOp != nil && *h.ObjectsPerOp >= 0.5 {
			text += fmt.Sprintf(" in %s", objects(*h.ObjectsPerOp))
		}
		v.Beside = append(v.Beside, text+" "+p.operation())
	}
	if h.LoopLine != nil && *h.LoopLine > 0 {
		v.Beside = append(v.Beside, fmt.Sprintf("in the loop at line %d", *h.LoopLine))
	}
	if h.Finding != nil {
		v.Finding = p.findingOf(h)
	} else if h.Cause != nil {
		v.Cause = printable.Line(*h.Cause)
	}
	for _, d := range h.Decisions {
		v.Notes = append(v.Notes, fmt.Sprintf("line %d: %s", d.Line, printable.Line(d.Text)))
	}
	return v
}

// findingOf names the finding that knows a place's cause.
func (p *Page) findingOf(h *finding.HotPlace) string {
	rule := printable.Line(*h.Finding)
	for i := range p.Findings {
		f := &p.Findings[i]
		if f.Rule == *h.Finding && f.File == h.File && f.Line == h.Line {
			return fmt.Sprintf("finding %d: %s", i+1, rule)
		}
	}
	for i := range p.Findings {
		if p.Findings[i].Rule == *h.Finding {
			return fmt.Sprintf("finding %d: %s, at %s", i+1, rule, place(&p.Findings[i]))
		}
	}
	return rule
}

// operation returns what figures of one are of.
func (p *Page) operation() string {
	switch {
	case p.Service != nil:
		return "a request"
	case p.Program != nil:
		return "a run"
	}
	return "an operation"
}

func objects(n float64) string {
	text := quantity.Count(n)
	if text == "1" {
		return "1 object"
	}
	return text + " objects"
}

// parts returns the heaviest parts of a place, each with its share of the place.
func parts(of []finding.Part, h *finding.HotPlace, itself string) []string {
	whole, value := h.CPURatio, func(p *finding.Part) *float64 { return p.CPURatio }
	if whole == nil || *whole == 0 {
		whole, value = h.AllocBytesRatio, func(p *finding.Part) *float64 { return p.AllocBytesRatio }
	}
	if whole == nil || *whole == 0 {
		return nil
	}
	var out []string
	for i := range of {
		part := &of[i]
		v := value(part)
		if v == nil || *v < worthAPart**whole || len(out) == shownParts {
			continue
		}
		name := shortName(printable.Line(part.Name))
		if name == "" {
			name = itself
		}
		out = append(out, strings.ReplaceAll(name, " ", "\u00a0")+"\u00a0"+quantity.Percent(*v / *whole))
	}
	return out
}

// apart says what became of the base outside the hot places.
func (p *Page) apart() string {
	for i := range p.Accounts {
		a := &p.Accounts[i]
		if a.Kind != "cpu" {
			continue
		}
		var parts []string
		add := func(ratio float64, what string) {
			if ratio >= 0.01 {
				parts = append(parts, quantity.Percent(ratio)+" "+what)
			}
		}
		add(a.OtherPlacesRatio, "is in smaller places")
		add(a.TestsRatio, "is the benchmark's own work")
		for j, s := range a.Packages {
			if j == shownParts {
				break
			}
			if s.Package != "" {
				add(s.Ratio, "is "+printable.Line(s.Package)+" on its own")
			}
		}
		if len(parts) == 0 {
			return ""
		}
		return "of CPU time, " + strings.Join(parts, ", ")
	}
	return ""
}

// placesAside says what the places rest on.
func (p *Page) placesAside() string {
	timed := slices.ContainsFunc(p.HotPlaces, func(h finding.HotPlace) bool { return h.CPUSamples > 0 })
	if p.Verdict.Kind == "too-few-samples" && timed {
		return "too few samples: shares and order may differ in another run"
	}
	text := "each sample counts once, at the innermost line of your own code"
	if p.Service != nil && slices.ContainsFunc(p.HotPlaces, func(h finding.HotPlace) bool {
		return h.CPURatio != nil && h.DelayRatio != nil && *h.DelayRatio > 0 && h.WorthRatio > *h.CPURatio+0.01
	}) {
		text += "; shares are of CPU time, or of waiting if that is more"
	}
	return text
}

// places writes the hot places: two lines each, and the cause where it is known.
func (t *writer) places(p *Page, most int) {
	if len(p.HotPlaces) == 0 {
		return
	}
	t.Heading("Hot places", p.placesAside())
	for _, v := range p.placeViews(most) {
		const indent = 12
		head := fmt.Sprintf("%3d  %6s ", v.Number, v.Worth)
		name := v.Function
		if v.Finding != "" {
			name += "  " + v.Finding
		}
		room := t.Width - indent
		where := page.Shorten(v.Place, room)
		line := t.Paint(page.Strong, head) + t.Paint(page.Cyan, where)
		if left := room - page.Cells(where) - 2; left >= 12 {
			line += "  " + page.Shorten(name, left)
		}
		t.Line(line)
		if second := v.fitting(room); second != "" {
			t.Line(strings.Repeat(" ", indent), t.Paint(page.Dim, second))
		}
		if v.Cause != "" {
			t.Hang(indent, "", 0, v.Cause)
		}
	}
	text := p.apart()
	if more := len(p.HotPlaces) - most; more > 0 {
		said := fmt.Sprintf("… %s more with -all", quantity.Count(float64(more)))
		if text != "" {
			said += "; "
		}
		text = said + text
	}
	if text != "" {
		t.Hang(5, "", 0, text)
	}
}

// fitting returns what a place is made of, as much as fits into one line: what is
// called, then the kinds of work, then what else is known.
func (v *hotPlaceView) fitting(room int) string {
	line := ""
	for _, group := range [][]string{v.Made, v.Beside, v.Kinds} {
		sep := " · "
		for _, part := range group {
			if line == "" {
				sep = ""
			}
			part = strings.ReplaceAll(part, "\u00a0", " ")
			if page.Cells(line)+page.Cells(sep)+page.Cells(part) > room {
				if line == "" {
					return page.Cut(part, room)
				}
				break
			}
			line += sep + part
			sep = ", "
		}
	}
	return line
}
