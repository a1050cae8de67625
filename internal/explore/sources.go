package explore

import (
	"context"
	"fmt"
	"io"

	"whet/internal/report/view"
)

func listView() *profileVerb {
	return &profileVerb{
		name:  "list",
		param: "RE",
		takes: ofSamples | ofSources,
		short: "the source of functions with the cost of each line",
		long: `
List prints the source of the functions whose name matches the regular expression RE, with flat and
cum of each line. A source that may not be the profiled one is shown with a warning.`,
		examples: []string{
			"whet list 'ServeHTTP$' cpu.pb.gz",
			"whet list -kind allocs Encode encode.whet",
			"whet list -source_path ~/src/service 'main\\.' ./service cpu.pb.gz",
		},
		words: []promptWord{{name: "list", help: "the source of functions with the cost of each line"}},
		make: func(_ context.Context, q *request) (product, error) {
			sel, err := q.selected("list", view.ForList(q.s.selection()))
			if err != nil {
				return product{}, err
			}
			sources := q.Resolver(q.s.sourcePath, q.s.trimPath)
			d, err := view.NewList(sel, view.ListOptions{Match: q.arg, Source: sources.Text}, q.common(sources.Warnings()...))
			if err != nil {
				return product{}, fmt.Errorf("list %s of %s: %w", q.arg, q.Name, err)
			}
			return q.text(d), nil
		},
	}
}

func weblistView() *profileVerb {
	return &profileVerb{
		name:  "weblist",
		param: "RE",
		takes: ofSamples | ofSources,
		short: "source and assembly of functions as one HTML file",
		long: `
Weblist writes the source of the functions whose name or file matches the regular expression RE,
with the cost of each line and, where the program is at hand, the instructions that the line became.`,
		examples: []string{
			"whet weblist 'mallocgc$' ./service cpu.pb.gz",
			"whet weblist -o out.html Encode encode.whet",
		},
		words: []promptWord{{name: "weblist", help: "source and assembly of functions as an HTML file", suffix: "html"}},
		make: func(_ context.Context, q *request) (product, error) {
			sel, err := q.selected("weblist", view.ForWeblist(q.s.selection()))
			if err != nil {
				return product{}, err
			}
			sources := q.Resolver(q.s.sourcePath, q.s.trimPath)
			o := view.WeblistOptions{Match: q.arg, Source: sources.Text, Binary: q.BinaryOf}
			d, err := view.NewWeblist(sel, o, q.common(sources.Warnings()...))
			if err != nil {
				return product{}, fmt.Errorf("weblist %s of %s: %w", q.arg, q.Name, err)
			}
			if q.s.asJSON {
				return product{write: d.WriteJSON}, nil
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
		short: "the assembly of functions with the cost of each instruction",
		long: `
Disasm prints the instructions of the functions whose name matches the regular expression RE, with
flat and cum of each and the source lines they come from. It needs the program: name it before the
profile, unless it is where it was or in the recording.`,
		examples: []string{
			"whet disasm 'main\\.work$' ./service cpu.pb.gz",
			"whet disasm Encode encode.whet",
		},
		words: []promptWord{{name: "disasm", help: "the assembly of functions with the cost of each instruction"}},
		make: func(_ context.Context, q *request) (product, error) {
			sel, err := q.selected("disasm", view.ForDisasm(q.s.selection()))
			if err != nil {
				return product{}, err
			}
			sources := q.Resolver(q.s.sourcePath, q.s.trimPath)
			o := view.DisasmOptions{Match: q.arg, Binary: q.BinaryOf, Source: sources.Text}
			d, err := view.NewDisasm(sel, o, q.common(sources.Warnings()...))
			if err != nil {
				return product{}, fmt.Errorf("disasm %s of %s: %w", q.arg, q.Name, err)
			}
			return q.text(d), nil
		},
	}
}
