package escape

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"whet/internal/format/compiler"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// WriteText writes the decisions for a terminal, by function.
func WriteText(w io.Writer, p *Page, o page.TextOptions) error {
	t := page.NewText(o)
	head := quantity.Some(p.Packages, 3)
	if p.GoVersion != "" {
		head += "  " + p.GoVersion
	}
	if p.Tests {
		head += "  with tests"
	}
	t.Line(t.Paint(page.Bold, printable.Line(head)))
	if p.Recording != "" {
		t.Line("costs of ", printable.Line(p.Recording))
	}
	t.Line(p.count())
	t.Warnings(p.warnings())
	if p.Limits != nil || p.Base != "" {
		p.differences(&t)
		return t.Flush(w, "the compiler's decisions")
	}
	costs := p.Result.Allocs != nil || p.Result.CPU != nil
	p.accounts(&t)
	groups, left := p.groups(o.All)
	for _, g := range groups {
		file := g.rows[0].at.File
		aside := printable.Line(p.Name(file))
		if bytes := bytesOf(p.Result.Allocs != nil, &g.bytes); bytes != "" && g.known {
			aside = bytes + "  " + aside
		}
		t.Heading(printable.Line(g.function), aside)
		for _, r := range g.rows {
			lead := "  "
			if costs {
				lead += page.Pad(bytesOf(p.Result.Allocs != nil && r.kind == "escape", r.site.AllocBytes), 11) + page.Pad(nsOf(r.site.CPUNs), 10)
			}
			lead += page.Pad(p.short(r.at.Position, file), 7) + "  "
			words := printable.Line(r.words)
			if len(r.at.Inlined) > 0 {
				words += " (inlined from " + p.short(r.at.Written(), file) + ")"
			}
			if r.kind == "escape" && r.site.Shared > 1 {
				words += fmt.Sprintf(" (%d values share the line's cost)", r.site.Shared)
			}
			for i, l := range page.Wrap(words, max(t.Width-page.Cells(lead), 30)) {
				if i > 0 {
					lead = strings.Repeat(" ", page.Cells(lead))
				}
				t.Line(lead, l)
			}
			if r.kind == "check" && r.site.Code != "" {
				t.Line(strings.Repeat(" ", page.Cells(lead)), t.Paint(page.Dim, page.Shorten(printable.Source(page.Tabs(r.site.Code)), max(t.Width-page.Cells(lead), 30))))
			}
		}
	}
	if left > 0 {
		t.Line()
		t.Line(t.Paint(page.Dim, fmt.Sprintf("%s more need no change (inlined calls, constants, parameters, generic functions of other packages): -all shows them", quantity.Plural(left, "decision"))))
	}
	return t.Flush(w, "the compiler's decisions")
}

// differences writes broken limits, and what changed since the base.
func (p *Page) differences(t *page.Text) {
	if p.Limits != nil {
		t.Heading("Limits", p.held())
		for i := range p.Broken {
			b := &p.Broken[i]
			at := ""
			if b.Location.File != "" {
				at = p.short(b.Location.Position, "") + ": "
			}
			t.Hang(2, "", 0, at+printable.Line(brokenWords(b)))
		}
	}
	if p.Base == "" {
		return
	}
	t.Heading("Since "+printable.Line(p.Base), "")
	if len(p.Changes) == 0 {
		t.Line("  The compiler's decisions are the same.")
	}
	function := ""
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Function != function || i == 0 {
			function = c.Function
			t.Line("  ", t.Paint(page.Bold, printable.Line(function)))
		}
		t.Hang(4, "", 0, printable.Line(p.place(c).String())+": "+printable.Line(changeWords(c)))
	}
}

// held says how many functions keep to their limits.
func (p *Page) held() string {
	if len(p.Limits) == 1 {
		return fmt.Sprintf("%d of 1 function holds", 1-p.limitsBroken())
	}
	return fmt.Sprintf("%d of %d functions hold", len(p.Limits)-p.limitsBroken(), len(p.Limits))
}

// limitsBroken returns the number of functions that break theirs.
func (p *Page) limitsBroken() int {
	lines := make(map[int]bool)
	for _, b := range p.Broken {
		lines[b.Limit.Line] = true
	}
	return len(lines)
}

// short returns a position, without the file where that stands above.
func (p *Page) short(at compiler.Position, file string) string {
	text := printable.Line(compiler.Position{File: p.Name(at.File), Line: at.Line, Col: at.Col}.String())
	if at.File == file {
		text = strings.TrimPrefix(text, printable.Line(p.Name(file))+":")
	}
	return text
}

// accounts say where the profiles' totals went.
func (p *Page) accounts(t *page.Text) {
	if a := p.Result.Allocs; a != nil {
		t.Line(fmt.Sprintf("allocations: %s of %s at these values; the rest is in other packages, or grows without an escape (append, maps, strings)",
			quantity.Bytes(float64(a.Placed)), quantity.Bytes(float64(a.Total))))
	}
	if a := p.Result.CPU; a != nil {
		t.Line(fmt.Sprintf("CPU: %s of %s at these lines", page.Ns(a.Placed), page.Ns(a.Total)))
	}
	if len(p.Result.Causes) == 0 {
		return
	}
	t.Heading("Parameters that make callers allocate", "")
	for i := range p.Result.Causes {
		c := &p.Result.Causes[i]
		if i == mostCauses {
			t.Line(fmt.Sprintf("  %d more: -json has all", len(p.Result.Causes)-i))
			break
		}
		lead := "  "
		if c.AllocBytes != nil {
			lead += page.Pad(quantity.Bytes(float64(*c.AllocBytes)), 11)
		}
		lead += page.Pad(quantity.Plural(c.Values, "value"), 10) + "  "
		for j, l := range page.Wrap(printable.Line(p.causeWords(c)), max(t.Width-page.Cells(lead), 30)) {
			if j > 0 {
				lead = strings.Repeat(" ", page.Cells(lead))
			}
			t.Line(lead, l)
		}
	}
}

// mostCauses are shown.
const mostCauses = 10

func bytesOf(known bool, v *int64) string {
	if !known || v == nil {
		return ""
	}
	return quantity.Bytes(float64(*v))
}

func nsOf(v *int64) string {
	if v == nil {
		return ""
	}
	return page.Ns(*v)
}

// warnings returns the warnings of the page and of the result, and what is not understood.
func (p *Page) warnings() []string {
	out := slices.Concat(p.Warnings, p.Result.Warnings)
	if codes := p.unknown(); len(codes) > 0 {
		var parts []string
		for _, code := range slices.Sorted(maps.Keys(codes)) {
			parts = append(parts, fmt.Sprintf("%s (%d)", code, codes[code]))
		}
		out = append(out, "whet does not know these compiler messages (-json has their text): "+strings.Join(parts, ", "))
	}
	return out
}

// unknown counts the codes that are not known.
func (p *Page) unknown() map[string]int {
	codes := make(map[string]int)
	for _, o := range p.Result.Others {
		if !o.Known() {
			codes[o.Code]++
		}
	}
	return codes
}
