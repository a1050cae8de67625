package listing

import (
	"io"

	"whet/internal/analyze/lines"
	"whet/internal/document"
)

// WriteJSON writes the page as the document whet/lines/1. A kind of which there is
// no profile is null everywhere.
func (p *Page) WriteJSON(w io.Writer) error {
	var all, unmapped []document.Object
	for _, f := range p.Functions {
		for i := range f.Rows {
			r := &f.Rows[i]
			all = append(all, p.row(f, r))
			if r.Gone || r.Beyond {
				unmapped = append(unmapped, document.Object{"function", f.Name, "file", f.Path, "line", r.Number})
			}
		}
	}
	return document.Write(w, document.Object{document.Begin(document.Lines, p.Warnings), "recording", p.Name,
		"kinds", p.accounts(),
		"functions", document.Each(p.Functions, func(f **Function) document.Object { return p.function(*f) }),
		"lines", document.Items(all), "unmapped", document.Items(unmapped), "more_functions", p.More})
}

// accounts say of each kind where its total is.
func (p *Page) accounts() []document.Object {
	out := make([]document.Object, lines.NumKinds)
	for k := range lines.Kind(lines.NumKinds) {
		a := &p.Model.Accounts[k]
		amount := func(key string, v int64) document.Object { return p.amount(k, key, v) }
		out[k] = document.Object{"kind", k.String(), "recorded", a.Known,
			amount("total", a.Total), amount("shown", p.Shown[k].Flat), amount("elsewhere", p.Elsewhere(k)), amount("unplaced", a.Unplaced)}
	}
	return out
}

// amount returns a value, null where the kind is unknown.
func (p *Page) amount(k lines.Kind, key string, v int64) document.Object {
	out := document.Amount(key, k.Unit(), v)
	if !p.Model.Accounts[k].Known {
		out[1] = nil
	}
	return out
}

func (p *Page) costs(c *lines.Costs) document.Object {
	var out document.Object
	for k := range lines.Kind(lines.NumKinds) {
		out = append(out, p.amount(k, k.String()+"_flat", c[k].Flat), p.amount(k, k.String()+"_cum", c[k].Cum))
	}
	return out
}

func (p *Page) function(f *Function) document.Object {
	return document.Object{"function", f.Name, "file", f.Path, "line", f.Start, "missing", f.Missing, "generated", f.Generated,
		"changed", f.Changed, "decisions_known", !f.Undecided, "doubts", document.Items(f.Doubts), p.costs(&f.Costs)}
}

func (p *Page) row(f *Function, r *Row) document.Object {
	now := any(r.Now)
	if r.Now == 0 {
		now = nil
	}
	return document.Object{"function", f.Name, "file", f.Path, "line", r.Number, "line_now", now, "changed", r.Gone, "beyond_end", r.Beyond, "text", r.Text,
		p.costs(&r.Costs),
		"decisions", lines.JSON(r.Decisions),
		"inlined", document.Each(r.Inlined, func(in *lines.Inlined) document.Object {
			return document.Object{"function", in.Function, "file", in.File, "line", in.Line, p.costs(&in.Costs)}
		})}
}
