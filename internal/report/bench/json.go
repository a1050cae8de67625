package bench

import (
	"io"
	"time"

	"whet/internal/document"
)

// WriteJSON writes a run as one JSON document, without courses.
func WriteJSON(w io.Writer, r *Page) error {
	benchmarks := []document.Object{}
	for i := range r.Packages {
		p := &r.Packages[i]
		for _, b := range p.Benchmarks {
			benchmarks = append(benchmarks, document.Object{"package", p.ImportPath, "name", b.Name, "procs", b.Procs, "go_version", p.GoVersion,
				"revision", p.Revision, "dirty", p.Dirty, "samples", document.Items(b.Samples), "profiles", document.Items(b.Profiles)})
		}
	}
	return write(w, r, benchmarks, nil, []document.Object{})
}

// WriteHistoryJSON writes a history as one JSON document, without benchmarks.
func WriteHistoryJSON(w io.Writer, h *History) error {
	return write(w, &Page{Warnings: h.Warnings}, []document.Object{}, &h.AlphaRatio, document.Each(h.Courses, (*Course).json))
}

// write writes what whet bench -json prints. Keys are only ever added.
func write(w io.Writer, r *Page, benchmarks []document.Object, alpha *float64, courses []document.Object) error {
	host := any(&r.Host)
	if alpha != nil { // a history is of several
		host = nil
	}
	return document.Write(w, document.Object{document.Begin(document.Bench, r.Warnings), "benchmarks", benchmarks, "failures", document.Items(r.Failures),
		"packages_without", r.Without, "benchtime", r.BenchTime, "rounds", r.Rounds, "rounds_planned", r.Planned, "elapsed_ns", r.ElapsedNs,
		"partial", r.Partial, "host", host, "recording", document.IfSet(r.Recording), "history", document.IfSet(r.History), "alpha_ratio", alpha, "courses", courses})
}

func (c *Course) json() document.Object {
	return document.Object{"host", c.Host, "package", c.Package, "name", c.Name, "unit", c.Unit,
		"points", document.Each(c.Points, func(p *Point) document.Object {
			when := ""
			if !p.When.IsZero() {
				when = p.When.UTC().Format(time.RFC3339)
			}
			return document.Object{"revision", p.Revision, "dirty", p.Dirty, "time", when, "runs", p.Runs, "go_version", p.GoVersion, "values", document.Items(p.Values)}
		}),
		"changes", document.Each(c.Changes, func(ch *Change) document.Object {
			return document.Object{"at", ch.At, "revision", c.Points[ch.At].Revision, "old", ch.Old, "new", ch.New, "ratio", document.Number(ch.Ratio),
				"p_value", ch.PValue, "confidence_ratio", 1 - ch.PValue, "also", document.Items(ch.Also)}
		})}
}
