package view

import (
	"bytes"
	"fmt"
	"io"
	"regexp"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/document"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
)

// Tree is the text of nodes with their callers and callees: all of them, as
// pprof's tree command has it, or those of some names, as its peek command.
type Tree struct {
	Top
	match *regexp.Regexp // nil for all
}

// NewTree sums up a selection by its nodes and the calls between them.
func NewTree(s *selection.Selection, g callgraph.Options, o Options) *Tree {
	return &Tree{Top: *NewTop(s, g, o)}
}

// NewPeek is NewTree of the nodes whose name matches. That none does is an
// error. Its graph is not trimmed.
func NewPeek(s *selection.Selection, match *regexp.Regexp, g callgraph.Options, o Options) (*Tree, error) {
	t := &Tree{Top: *NewTop(s, g.Untrimmed(), o), match: match}
	if len(t.nodes()) == 0 {
		return nil, fmt.Errorf("no function with a sample matches \"%s\"", match)
	}
	return t, nil
}

// nodes returns those listed.
func (t *Tree) nodes() []*callgraph.Node {
	if t.match == nil {
		return t.Graph.Nodes
	}
	var out []*callgraph.Node
	for _, n := range t.Graph.Nodes {
		if t.match.MatchString(n.Name) {
			out = append(out, n)
		}
	}
	return out
}

const treeSeparator = "----------------------------------------------------------+-------------\n"

// Write prints the text in pprof's layout, after the warnings there are.
func (t *Tree) Write(w io.Writer) error {
	var b bytes.Buffer
	t.writeWarnings(&b)
	writeLines(&b, t.graphLines(t.Graph, &t.Options))
	b.WriteString(treeSeparator)
	b.WriteString("      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n")
	var sum int64
	for _, n := range t.nodes() {
		flat, cum := n.FlatValue(), n.CumValue()
		sum += flat
		edge := func(e *callgraph.Edge, other *callgraph.Node) {
			note := ""
			if e.Inlined {
				note = " (inline)"
			}
			fmt.Fprintf(&b, "%50s %s |   %s%s\n", t.value(e.Weight), quantity.PprofPercent(e.Weight, cum), printable.Line(other.Name), note)
		}
		b.WriteString(treeSeparator)
		for _, e := range n.In {
			edge(e, e.From)
		}
		fmt.Fprintf(&b, "%10s %s %s %10s %s                | %s\n",
			t.value(flat), t.percent(flat), t.percent(sum), t.value(cum), t.percent(cum), printable.Line(n.Name))
		for _, e := range n.Out {
			edge(e, e.To)
		}
	}
	if len(t.Graph.Nodes) > 0 {
		b.WriteString(treeSeparator)
	}
	return page.Print(w, t.verb(), b.Bytes())
}

func (t *Tree) verb() string {
	if t.match != nil {
		return "peek"
	}
	return "tree"
}

// call is one of a node, of whose cum the ratio is.
func (t *Tree) call(e *callgraph.Edge, other, of *callgraph.Node) document.Object {
	return document.Object{t.place(other), t.amount("weight", e.Weight), "weight_ratio", share(e.Weight, of.CumValue()),
		"inline", e.Inlined, "residual", e.Residual} // each of the calls; functions between them are left out
}

// WriteJSON prints the text as the document whet/tree/1 or whet/peek/1.
func (t *Tree) WriteJSON(w io.Writer) error {
	match := ""
	if t.match != nil {
		match = t.match.String()
	}
	return document.Write(w, document.Object{t.document(t.verb()), t.amount("shown", t.Graph.FlatSum()), "match", document.IfSet(match),
		"dropped_functions", t.Graph.DroppedNodes, "remaining_functions", t.Graph.Remaining, "functions", document.Each(t.nodes(), func(n **callgraph.Node) document.Object {
			return document.Object{t.node(*n),
				"callers", document.Each((*n).In, func(e **callgraph.Edge) document.Object { return t.call(*e, (*e).From, *n) }),
				"callees", document.Each((*n).Out, func(e **callgraph.Edge) document.Object { return t.call(*e, (*e).To, *n) })}
		})})
}
