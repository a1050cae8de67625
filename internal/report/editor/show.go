package editor

import (
	"context"
	"fmt"
	"strings"

	"whet/internal/analyze/lines"
	"whet/internal/report/listing"
	"whet/internal/report/page"
)

// placedRow is a row at its line of a document.
type placedRow struct {
	line int // from 0
	of   *listing.Function
	row  *listing.Row
}

// placedFunction is a function at the line of a document that it begins at.
type placedFunction struct {
	line int
	of   *listing.Function
}

// document returns what a page knows of a document that is open; nil of others, and of
// those without costs.
func (s *server) document(uri string, p *listing.Page) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.documents[uri]
	if d == nil || p == nil {
		return d
	}
	if d.of != p {
		d.place(p)
	}
	return d
}

// place finds the rows of a page in the document's text.
func (d *document) place(p *listing.Page) {
	d.of, d.rows, d.starts = p, nil, nil
	path := pathOf(d.URI)
	if path == "" {
		return
	}
	mappings := make(map[string]lines.Mapping) // by frame's file: of one, but for builds with and without -trimpath
	for _, f := range p.Functions {
		if f.Here != path {
			continue
		}
		m, ok := mappings[f.File]
		if !ok {
			m = lines.Map(f.Source, d.lines)
			mappings[f.File] = m
		}
		first := -1
		for i := range f.Rows {
			now, ok := m.To(f.Rows[i].Number)
			if !ok {
				continue
			}
			if first < 0 {
				first = now - 1
			}
			d.rows = append(d.rows, placedRow{now - 1, f, &f.Rows[i]})
		}
		if now, ok := m.To(f.Start); ok {
			first = now - 1
		}
		if first >= 0 {
			d.starts = append(d.starts, placedFunction{first, f})
		}
	}
}

// textRange returns a line from a byte on, or from where its text begins.
func (d *document) textRange(line, column int) textRange {
	text := d.lines[line]
	if column < 1 {
		column = 1 + len(text) - len(strings.TrimLeft(text, " \t"))
	}
	return textRange{position{line, utf16Column(text, column-1)}, position{line, utf16Column(text, len(text))}}
}

// hot reports whether a row is worth a lens or a diagnostic of its own: functions are
// listed from the same share on.
func hot(p *listing.Page, c *lines.Costs) bool { return p.Model.Weight(c) >= listing.Hot }

// codeLens says above functions and hot lines what they cost.
func (s *server) codeLens(ctx context.Context, params documentParams) ([]codeLens, error) {
	page, err := s.page(ctx)
	if err != nil {
		return nil, err
	}
	out := []codeLens{}
	d := s.document(params.TextDocument.URI, page)
	if d == nil {
		return out, nil
	}
	add := func(line int, costs *lines.Costs) {
		if phrases := listing.Phrases(page.Model, costs); len(phrases) > 0 {
			out = append(out, codeLens{d.textRange(line, 0), command{Title: plain(strings.Join(phrases, " · "))}})
		}
	}
	for _, f := range d.starts {
		add(f.line, &f.of.Costs)
	}
	for _, r := range d.rows {
		if hot(page, &r.row.Costs) {
			add(r.line, &r.row.Costs)
		}
	}
	return out, nil
}

func plain(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// hover says all that is known of a line.
func (s *server) hover(ctx context.Context, params documentParams) (*hover, error) {
	p, err := s.page(ctx)
	if err != nil {
		return nil, err
	}
	d := s.document(params.TextDocument.URI, p)
	if d == nil {
		return nil, nil
	}
	var b strings.Builder
	for _, r := range d.rows {
		if r.line == params.Position.Line {
			s.write(&b, p, &r)
		}
	}
	if b.Len() == 0 {
		return nil, nil
	}
	kind := "plaintext"
	if s.markdown {
		kind = "markdown"
	}
	fmt.Fprintf(&b, "\n%s\n", s.prose("measured in "+p.Name))
	return &hover{markup{kind, b.String()}, d.textRange(params.Position.Line, 0)}, nil
}

// write is a row of a hover.
func (s *server) write(b *strings.Builder, p *listing.Page, r *placedRow) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%s\n\n", s.code(r.of.Name))
	for _, text := range listing.Phrases(p.Model, &r.row.Costs) {
		fmt.Fprintf(b, "- %s\n", s.prose(text))
	}
	for _, text := range listing.Decisions(&r.row.Line) {
		fmt.Fprintf(b, "- %s\n", s.code(text))
	}
	for i := range r.row.Inlined {
		in := &r.row.Inlined[i]
		fmt.Fprintf(b, "- inlined %s: %s\n", s.code(in.Function), s.prose(strings.Join(listing.Phrases(p.Model, &in.Costs), ", ")))
	}
	if r.of.Undecided {
		fmt.Fprintf(b, "- %s\n", s.prose("the compiler's decisions are unknown"))
	}
	for _, doubt := range r.of.Doubts {
		fmt.Fprintf(b, "- %s\n", s.prose(doubt))
	}
}

// prose and code are text for a hover: names in it are untrusted.
func (s *server) prose(text string) string {
	if s.markdown {
		return page.Prose(text)
	}
	return plain(text)
}

func (s *server) code(text string) string {
	if s.markdown {
		return page.CodeSpan(text)
	}
	return text
}

// publish tells the editor what is worth a look in a document, also where that is
// nothing any more.
func (s *server) publish(ctx context.Context, uri string, p *listing.Page) error {
	s.mu.Lock()
	s.shown = p
	s.mu.Unlock()
	d := s.document(uri, p)
	if d == nil {
		return nil
	}
	out := []diagnostic{}
	for _, r := range d.rows {
		severity := information
		switch {
		case hot(p, &r.row.Costs):
		case len(r.row.Decisions) > 0 && r.row.Costs[lines.AllocBytes].Cum > 0:
			severity = hint
		default:
			continue
		}
		column := 0
		if len(r.row.Decisions) > 0 {
			column = r.row.Decisions[0].Col
		}
		out = append(out, diagnostic{d.textRange(r.line, column), severity, "whet", listing.Message(p.Model, &r.row.Line)})
	}
	return s.rpc.Notify(ctx, "textDocument/publishDiagnostics", publishedDiagnostics{URI: uri, Version: d.Version, Diagnostics: out})
}
