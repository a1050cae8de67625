package escape

import (
	"io"

	"whet/internal/analyze/escape"
	"whet/internal/document"
	"whet/internal/format/compiler"
)

// WriteJSON writes the document whet/escape/1.
func WriteJSON(w io.Writer, p *Page) error {
	r := p.Result
	return document.Write(w, document.Object{document.Begin(document.Escape, p.warnings()),
		"packages", document.Items(p.Packages), "go_version", p.GoVersion, "tests", p.Tests, "recording", p.Recording,
		"allocs", account(r.Allocs, "bytes"), "cpu", account(r.CPU, "ns"),
		"base", p.Base, "changes", document.Each(p.Changes, func(c *escape.Change) document.Object {
			at := p.place(c)
			return document.Object{"kind", string(c.Kind), "worse", c.Kind.Worse(), "function", c.Function, "function_new", c.Added, "what", c.What, "file", at.File, "line", at.Line, "column", at.Col, "source", c.Code}
		}),
		"limits", len(p.Limits), "broken", document.Each(p.Broken, func(b *escape.Broken) document.Object {
			return document.Object{"function", b.Limit.Function, "limit", b.Limit.String(), "text", b.Text, "file", p.file(b.Location.File), "line", b.Location.Line, "column", b.Location.Col}
		}),
		"escapes", document.Each(r.Escapes, func(e *escape.Escape) document.Object {
			var cause any
			if e.Cause >= 0 {
				cause = e.Cause
			}
			return document.Object{p.site(&e.Location, &e.Site), "value", e.What, "moved", e.Moved, "constant", e.Static(),
				"reason", p.escapeWords(e), "flow", p.flow(e.Flow), "cause", cause, costs(&e.Cost), "shared", e.Shared}
		}),
		"causes", document.Each(r.Causes, func(c *escape.Cause) document.Object {
			return document.Object{"function", c.Function, "parameter", c.Parameter, "known", c.Known, "file", p.file(c.File), "line", c.Line, "column", c.Col,
				"expression", c.Expr, "why", c.Why, "values", c.Values, costs(&c.Cost)}
		}),
		"inlining", document.Each(r.Inlining, func(n *escape.Inlining) document.Object {
			o := document.Object{p.site(&n.Location, &n.Site), "outcome", string(n.Outcome), "of", n.Inlining.Function, "reason", n.Reason, "cost", known(n.Inlining.Cost), "budget", known(n.Budget)}
			if n.OfCall() {
				return append(o, "cpu_ns", n.CPUNs)
			}
			return o
		}),
		"checks", document.Each(r.Checks, func(c *escape.Check) document.Object {
			return document.Object{p.site(&c.Location, &c.Site), "kind", string(c.Kind), "instances", c.Times, "cpu_ns", c.CPUNs}
		}),
		"checks_known", r.JSON,
		"leaks", document.Each(r.Leaks, func(l *escape.Leak) document.Object {
			return document.Object{p.site(&l.Location, &l.Site), "parameter", l.Parameter, "to", l.To, "derefs", l.Derefs, "flow", p.flow(l.Flow)}
		}),
		"others", document.Each(r.Others, func(o *compiler.Other) document.Object {
			return document.Object{"code", o.Code, "known", o.Known(), "text", o.Text, "file", p.file(o.File), "line", o.Line, "column", o.Col}
		}),
	})
}

func (p *Page) file(name string) string {
	if name == "" {
		return ""
	}
	return p.Name(name)
}

func known(n int) any {
	if n < 0 {
		return nil
	}
	return n
}

func account(a *escape.Account, unit string) any {
	if a == nil {
		return nil
	}
	return document.Object{"total_" + unit, a.Total, "placed_" + unit, a.Placed}
}

func costs(c *escape.Cost) document.Object {
	return document.Object{"alloc_bytes", c.AllocBytes, "alloc_objects", c.AllocObjects, "cpu_ns", c.CPUNs}
}

// site returns where a decision stands.
func (p *Page) site(at *compiler.Location, s *escape.Site) document.Object {
	return document.Object{"package", at.Package, "function", s.Function, "file", p.file(at.File), "line", at.Line, "column", at.Col, "source", s.Code,
		"inlined", document.Each(at.Inlined, p.position)}
}

func (p *Page) position(at *compiler.Position) document.Object {
	return document.Object{"file", p.file(at.File), "line", at.Line, "column", at.Col}
}

func (p *Page) flow(flow []compiler.Flow) []document.Object {
	return document.Each(flow, func(f *compiler.Flow) document.Object {
		return document.Object{"to", f.To, "from", f.From, "steps", document.Each(f.Steps, func(s *compiler.Step) document.Object {
			return document.Object{"expression", s.Expr, "why", s.Why, p.position(&s.Position)}
		})}
	})
}
