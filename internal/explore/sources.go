package explore

import (
	"io"

	"whet/internal/analyze/selection"
	"whet/internal/format/profile"
	"whet/internal/report/view"
)

// code makes a view of the source or the assembly of functions.
func code[V any](q *viewRequest, sel *selection.Selection, make func(*selection.Selection, view.CodeOptions, view.Options) (V, error)) (V, error) {
	sources := q.Resolver(q.s.sel.SourcePath, q.s.sel.TrimPath)
	return make(sel, view.CodeOptions{Match: q.arg, Source: sources.Text, Binary: q.BinaryOf, Decided: q.Decisions()}, q.common(sources.Warnings()...))
}

func listView() *profileVerb {
	return &profileVerb{
		name:  "list",
		reads: profile.Stacks,
		param: "RE",
		takes: ofSamples | ofSources,
		short: "print the source of functions with the cost of each line",
		long: `
List prints the source of the functions whose name matches the regular expression RE, with flat
and cum of each line. It warns if a source may differ from the profiled one. For a recording,
-json also has the compiler's decisions, which whet lines shows beside every kind of cost.` + profileLong,
		examples: []string{
			"whet list 'ServeHTTP$' cpu.pb.gz",
			"whet list -kind allocs Encode encode.whet",
			"whet list -source_path ~/src/service 'main\\.' ./service cpu.pb.gz",
		},
		words:   []promptWord{{name: "list", help: "print the source of functions with the cost of each line"}},
		selects: view.ForList,
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			d, err := code(q, sel, view.NewList)
			return q.text(d), err
		},
	}
}

func weblistView() *profileVerb {
	return &profileVerb{
		name:  "weblist",
		param: "RE",
		takes: ofSamples | ofSources | ofPicture,
		short: "write source and assembly of functions as one HTML file",
		long: `
Weblist writes the source of the functions whose name or file matches the regular expression RE,
with the cost of each line, its instructions if the program is available, and
for a recording the compiler's decisions.` + profileLong,
		examples: []string{
			"whet weblist 'mallocgc$' ./service cpu.pb.gz",
			"whet weblist -o out.html Encode encode.whet",
		},
		words:   []promptWord{{name: "weblist", help: "source and assembly of functions as an HTML file", suffix: "html"}},
		selects: view.ForWeblist,
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			d, err := code(q, sel, view.NewWeblist)
			if err != nil || q.s.asJSON {
				return product{write: d.WriteJSON}, err
			}
			title := q.title() + ": " + q.arg.String()
			return product{suffix: "html", write: func(w io.Writer) error { return d.WriteHTML(w, title) }}, nil
		},
	}
}

func disasmView() *profileVerb {
	return &profileVerb{
		name:  "disasm",
		param: "RE",
		takes: ofSamples | ofSources,
		short: "print the assembly of functions with the cost of each instruction",
		long: `
Disasm prints the instructions of the functions whose name matches the regular expression RE, with
flat and cum of each and their source lines. It needs the program: name it before the
profile, unless it is at its original path or in the recording.` + profileLong,
		examples: []string{
			"whet disasm 'main\\.work$' ./service cpu.pb.gz",
			"whet disasm Encode encode.whet",
		},
		words:   []promptWord{{name: "disasm", help: "print the assembly of functions with the cost of each instruction"}},
		selects: view.ForDisasm,
		make: func(q *viewRequest, sel *selection.Selection) (product, error) {
			d, err := code(q, sel, view.NewDisasm)
			return q.text(d), err
		},
	}
}
