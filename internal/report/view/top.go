package view

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/report/page"
)

// Top is the table of nodes, as pprof's top command has it.
type Top struct {
	Head
	Graph   *callgraph.Graph
	Options callgraph.Options

	meta  *callstack.Meta
	files map[string]string // of functions, as the profile has them
}

// NewTop sums up a selection by its nodes.
func NewTop(s *selection.Selection, g callgraph.Options, o Options) *Top {
	t := &Top{Head: newHead(s, &o), Graph: callgraph.New(s, g), Options: g, meta: &s.Meta, files: make(map[string]string)}
	t.chooseUnit(t.Graph.Nodes)
	for _, n := range t.Graph.Nodes {
		if n.Info.Name != "" && n.Info.File == "" {
			t.files[n.Info.Name] = ""
		}
	}
	functions := s.Profile().Functions
	for i := range functions {
		if file, ok := t.files[functions[i].Name]; ok && file == "" {
			t.files[functions[i].Name] = functions[i].File
		}
	}
	return t
}

// inlining says how a node is called: "(inline)" where every call shown was
// inlined, "(partial-inline)" where some were.
func inlining(n *callgraph.Node) string {
	inlined := 0
	for _, e := range n.In {
		if e.Inlined {
			inlined++
		}
	}
	switch inlined {
	case 0:
		return ""
	case len(n.In):
		return "(inline)"
	}
	return "(partial-inline)"
}

// Write prints the table in pprof's layout, after the warnings there are.
func (t *Top) Write(w io.Writer) error {
	var b bytes.Buffer
	t.writeWarnings(&b)
	writeLines(&b, t.graphLines(t.Graph, &t.Options))
	fmt.Fprintf(&b, "%10s %5s%% %5s%% %10s %5s%%\n", "flat", "flat", "sum", "cum", "cum")
	var sum int64
	for _, n := range t.Graph.Nodes {
		flat, cum := n.FlatValue(), n.CumValue()
		sum += flat
		note := inlining(n)
		if note != "" {
			note = " " + note
		}
		fmt.Fprintf(&b, "%10s %s %s %10s %s  %s%s\n",
			t.value(flat), t.percent(flat), t.percent(sum), t.value(cum), t.percent(cum), printable.Line(n.Name), note)
	}
	return page.Print(w, "top", b.Bytes())
}

// place returns a function, or what stands for it where there is none; with line, column
// and address where nodes are told apart by them.
func (t *Top) place(n *callgraph.Node) document.Object {
	address := ""
	if n.Info.Address != 0 {
		address = fmt.Sprintf("%#x", n.Info.Address)
	}
	return document.Object{"function", cmp.Or(n.Info.Name, n.Name), "file", cmp.Or(n.Info.File, t.files[n.Info.Name]),
		"line", document.IfSet(n.Info.Line), "column", document.IfSet(n.Info.Column), "address", document.IfSet(address)}
}

func (t *Top) node(n *callgraph.Node) document.Object {
	return document.Object{t.place(n), t.costs(n.FlatValue(), n.CumValue())}
}

// WriteJSON prints the table as the document whet/top/1.
func (t *Top) WriteJSON(w io.Writer) error {
	return document.Write(w, document.Object{t.document("top"), t.amount("shown", t.Graph.FlatSum()), "dropped_functions", t.Graph.DroppedNodes,
		"remaining_functions", t.Graph.Remaining, "functions", document.Each(t.Graph.Nodes, func(n **callgraph.Node) document.Object {
			return document.Object{t.node(*n), "inline", inlining(*n)}
		})})
}
