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

// nodes are those listed.
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

type jsonTree struct {
	jsonHead
	jsonShown
	Match     string         `json:"match,omitempty"`
	Dropped   int            `json:"dropped_functions"`
	Of        int            `json:"remaining_functions"`
	Functions []jsonTreeNode `json:"functions"`
}

type jsonTreeNode struct {
	jsonNode
	Callers []jsonCall `json:"callers"`
	Callees []jsonCall `json:"callees"`
}

// jsonCall is an edge as seen from one of its ends.
type jsonCall struct {
	jsonPlace
	jsonWeight      // the ratio is of the node's cum
	Inline     bool `json:"inline"`   // each of the calls was inlined
	Residual   bool `json:"residual"` // functions between them are left out
}

func (t *Tree) call(e *callgraph.Edge, other, of *callgraph.Node) jsonCall {
	c := jsonCall{t.node(other).jsonPlace, t.weight(e.Weight), e.Inlined, e.Residual}
	c.WeightRatio = share(e.Weight, of.CumValue())
	return c
}

// WriteJSON prints the text as the document whet/tree/1 or whet/peek/1.
func (t *Tree) WriteJSON(w io.Writer) error {
	j := jsonTree{jsonHead: t.json(t.verb()), jsonShown: t.shown(t.Graph.FlatSum()), Dropped: t.Graph.DroppedNodes, Of: t.Graph.Remaining, Functions: []jsonTreeNode{}}
	if t.match != nil {
		j.Match = t.match.String()
	}
	for _, n := range t.nodes() {
		jn := jsonTreeNode{jsonNode: t.node(n), Callers: []jsonCall{}, Callees: []jsonCall{}}
		for _, e := range n.In {
			jn.Callers = append(jn.Callers, t.call(e, e.From, n))
		}
		for _, e := range n.Out {
			jn.Callees = append(jn.Callees, t.call(e, e.To, n))
		}
		j.Functions = append(j.Functions, jn)
	}
	return document.Write(w, &j)
}
