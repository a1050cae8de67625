package explore

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/cli"
	"whet/internal/report/view"
)

// Kinds of pictures.
const (
	formatSVG  = "svg"
	formatHTML = "html"
	formatDOT  = "dot"

	formatCallgrind = "callgrind"
)

func graphView() *profileVerb {
	return &profileVerb{
		name:  "graph",
		takes: ofSamples | ofFrames | ofOrder | ofNodes | ofEdges | ofSources | ofFormat | ofPicture,
		short: "draw the call graph as a picture or in the DOT language",
		long: `
Graph draws functions and their calls, larger for a higher cost, as an SVG picture, as an HTML
page to move, zoom and search in (-html), or as text for Graphviz (-dot) or KCachegrind
(-callgrind). It needs no other program. The name of the file, as in -o graph.html, also chooses
the kind.` + profileLong,
		examples: []string{
			"whet graph cpu.pb.gz",
			"whet graph -html -focus 'json\\.Marshal$' cpu.pb.gz",
			"whet graph -dot -o - -call_tree heap.pb.gz",
		},
		words: []promptWord{
			{name: "graph", help: "the call graph as an SVG picture"},
			{name: "svg", help: "the same as graph", set: setFormat(formatSVG)},
			{name: "web", help: "the call graph as an HTML page", set: setFormat(formatHTML)},
			{name: "html", help: "the same as web", set: setFormat(formatHTML)},
			{name: "dot", help: "the call graph in Graphviz's DOT language", set: setFormat(formatDOT)},
			{name: "callgrind", help: "all costs of calls, as KCachegrind and callgrind_annotate read them", set: setFormat(formatCallgrind), suffix: "callgraph.out"},
		},
		whole: func(_ context.Context, q *viewRequest) (product, error) {
			if q.s.format == formatCallgrind && !q.s.asJSON {
				return q.callgrind()
			}
			sel, err := q.selected("graph", q.s.sel)
			if err != nil {
				return product{}, err
			}
			g, err := view.NewGraph(sel, q.s.graph(callgraph.ForPicture()), q.common())
			if err != nil {
				return product{}, fmt.Errorf("graph: %w", err)
			}
			if q.s.asJSON {
				return product{write: g.WriteJSON}, nil
			}
			switch format := q.s.picture(formatSVG); format {
			case formatSVG:
				return product{suffix: formatSVG, write: g.WriteSVG, warnings: g.Warnings}, nil
			case formatHTML:
				return product{suffix: formatHTML, write: g.WriteHTML}, nil
			case formatDOT:
				return product{write: g.WriteDOT, warnings: g.Warnings}, nil
			default:
				return product{}, cli.UsageError("graph: -format is svg, html or dot, or callgrind, not %q", format)
			}
		},
	}
}

func (q *viewRequest) callgrind() (product, error) {
	if q.s.callTree {
		return product{}, cli.UsageError("graph: callgrind's format has one entry per function for all paths: leave -call_tree out, or write -dot")
	}
	sel, err := q.selected("graph", view.ForCallgrind(q.s.sel))
	if err != nil {
		return product{}, err
	}
	c := view.NewCallgrind(sel, q.s.sort == sortCum, q.common())
	return product{suffix: "callgraph.out", write: c.Write, warnings: c.Warnings}, nil
}

// picture returns the kind of picture asked for, by name or by that of the file.
func (s *settings) picture(otherwise string) string {
	byName := ""
	switch suffix := strings.ToLower(strings.TrimPrefix(filepath.Ext(s.output), ".")); suffix {
	case formatSVG, formatHTML, formatDOT:
		byName = suffix
	case "htm":
		byName = formatHTML
	case "gv":
		byName = formatDOT
	}
	return cmp.Or(s.format, byName, otherwise)
}
