package explore

import (
	"io"
	"slices"

	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/document"
	"whet/internal/format/folded"
	"whet/internal/format/profile"
	"whet/internal/format/speedscope"
)

// Kinds of files that merge writes.
const (
	formatPprof      = "pprof"
	formatFolded     = "folded"
	formatSpeedscope = "speedscope"
)

func mergeView() *profileVerb {
	return &profileVerb{
		name:  "merge",
		adds:  true,
		takes: ofSamples | ofFormat,
		short: "merge profiles, or convert one to another format",
		long: `
Merge adds profiles up and writes one file: samples with equal stacks and labels become one,
as in pprof. It subtracts -base and applies filters such as -focus and -hide.
-format folded writes a line for each stack of one sample type, for flame graph scripts;
speedscope writes a document for https://www.speedscope.app.` + profileLong,
		examples: []string{
			"whet merge -o all.pb.gz cpu1.pb.gz cpu2.pb.gz",
			"whet merge -focus 'json\\.Marshal$' -o marshal.pb.gz cpu.pb.gz",
			"whet merge -format folded -o - cpu.pb.gz",
			"whet merge -speedscope -o cpu.speedscope.json cpu.pb.gz",
		},
		words: []promptWord{
			{name: "proto", help: "the profile as a file of pprof", set: setFormat(formatPprof), suffix: "pb.gz"},
			{name: "folded", help: "a line for each stack, as scripts for flame graphs read them", set: setFormat(formatFolded)},
			{name: "speedscope", help: "a document for speedscope", set: setFormat(formatSpeedscope), suffix: "json"},
		},
		make: makeMerge,
	}
}

func setFormat(name string) func(*settings) {
	return func(s *settings) { s.format = name }
}

func makeMerge(q *viewRequest, sel *selection.Selection) (product, error) {
	p := sel.Selected()
	// What is missing of the profiles is missing of what is written, which has no place to say so.
	out := product{warnings: slices.Concat(sel.Meta.Warnings, sel.Warnings, q.Warnings)}
	if q.s.sel.Mean {
		out.warnings = append(out.warnings, "merge writes the profile's values: sums, not means")
	}
	switch q.s.format {
	case "", formatPprof:
		out.suffix = "pb.gz"
		out.write = func(w io.Writer) error { return profile.Write(w, p) }
	case formatFolded:
		out.write = func(w io.Writer) error { return folded.Write(w, p, sel.Column) }
	case formatSpeedscope:
		out.suffix = "speedscope.json"
		out.write = func(w io.Writer) error { return speedscope.Write(w, p, q.Name) }
	default:
		return product{}, cli.UsageError("merge: -format is pprof, folded or speedscope, not %q", q.s.format)
	}
	if q.s.asJSON {
		out.summary = func(output string) document.Document { return newMerged(output, p, out.warnings) }
	}
	return out, nil
}

// newMerged returns the document whet/merge/1.
func newMerged(output string, p *callstack.Profile, warnings []string) document.Object {
	types := make([]document.Object, len(p.Types))
	for i, t := range p.Types {
		types[i] = document.Object{"type", t.Type, "unit", t.Unit, "total", p.Total(i)}
	}
	return document.Object{document.Begin(document.Merge, warnings), "output", output, "samples", p.Len(), "sample_types", types}
}
