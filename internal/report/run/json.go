package run

import (
	"cmp"
	"io"
	"slices"

	"whet/internal/analyze/hot"
	"whet/internal/document"
	"whet/internal/finding"
	"whet/internal/report/page"
)

// JSONOptions says what a JSON document names beside the page.
type JSONOptions struct {
	Verb      string // "tune" (also when empty) or "diagnose": the schema is whet/Verb/1
	Recording string // path of the recording; "" leaves the key out
	Report    string // path of the HTML report; "" leaves the key out
	All       bool   // findings below the threshold too
}

// WriteJSON writes the page as one JSON document. Keys are only ever added; units
// stand in their names. Lists are never null.
func WriteJSON(w io.Writer, p *Page, o JSONOptions) error {
	findings := slices.Clone(p.Findings)
	if o.All {
		findings = append(findings, p.Below...)
	}
	for i := range findings {
		f := &findings[i]
		f.Evidence = append([]finding.Evidence{}, f.Evidence...)
		f.Benchmarks = append([]string{}, f.Benchmarks...)
	}
	return document.Write(w, document.Object{document.Begin(document.Of(cmp.Or(o.Verb, "tune")), warnings(p)),
		"verdict", p.Verdict, "hot_places", document.Items(p.HotPlaces), "charged", document.Items(p.Accounts), "threshold_ratio", p.ThresholdRatio,
		"findings", document.Items(findings), "benchmarks", document.Each(p.Benchmarks, (*Benchmark).json), "selection", document.IfSet(p.Selection), "growth", document.Each(p.Growth, jsonFamily), "processors", document.Each(p.Processors, jsonProcessors),
		"target", p.Target, "package", p.Package, "module", p.Module, "tool", p.Tool, "created", p.Created, "partial", p.Partial,
		"facts", document.Items(p.Facts), "profiles", document.Each(p.Profiles, (*Profile).json), jsonRun(p),
		"not_asked", document.Items(p.NotAsked), "recording", document.IfSet(o.Recording), "report", document.IfSet(o.Report)})
}

// json returns a benchmark: null is unknown.
func (b *Benchmark) json() document.Object {
	var ns *float64
	if b.Failure == "" {
		ns = document.Known(b.time())
	}
	return document.Object{"name", b.Name, "procs", b.Procs, "iterations", b.Iterations,
		"ns_per_op", ns, "bytes_per_op", document.Known(b.BytesPerOp), "allocs_per_op", document.Known(b.AllocsPerOp),
		"metrics", document.Items(b.Metrics), "parallel", b.Parallel, "profiled", b.Profiled, "failure", b.Failure}
}

// json returns a profile; that of all benchmarks merged has the benchmark "".
func (p *Profile) json() document.Object {
	classes := make([]document.Object, 0, hot.NumClasses)
	for c := range hot.Class(hot.NumClasses) {
		classes = append(classes, document.Object{"class", c.String(), "samples", p.Samples[c], document.Amount("value", p.Unit, p.Values[c])})
	}
	return document.Object{"kind", p.Kind, "benchmark", p.Benchmark, "sample_type", p.Column, "unit", p.Unit, "classes", classes,
		"top_flat", document.Each(p.Top, p.jsonRow), "top_cum", document.Each(p.TopCum, p.jsonRow)}
}

// jsonRow ends with the interval of cum's share at 95 %, which only counted samples
// have.
func (p *Profile) jsonRow(r *Row) document.Object {
	o := document.Object{"function", r.Function, "file", r.File,
		document.Amount("flat", p.Unit, r.Flat), "flat_ratio", page.Share(r.Flat, p.base()),
		document.Amount("cum", p.Unit, r.Cum), "cum_ratio", page.Share(r.Cum, p.base())}
	if iv, ok := p.cumError(r.Cum); ok {
		o = append(o, "cum_ratio_low", iv.Low, "cum_ratio_high", iv.High)
	}
	return o
}
