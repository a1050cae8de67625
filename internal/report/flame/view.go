package flame

import (
	"cmp"

	"whet/internal/analyze/flamegraph"
	"whet/internal/quantity"
)

// View is a graph of a page.
type View struct {
	Label string // in the selector: "CPU time"; "" is the graph's sample type
	Unit  string // "" is the graph's own
	// Kind and Benchmark say in JSON which profile of a recording it is; Kind
	// "" is the sample type.
	Kind, Benchmark string

	// About says what was measured, above the graph: a line, of a comparison one
	// for each side.
	About []string
	// Grain is what one sample stands for, and BaseGrain one of the other side:
	// with both a comparison says what lies within the sampling error. 0 is
	// unknown.
	Grain, BaseGrain float64

	Graph *flamegraph.Graph // nil where there is nothing to draw
	// Callers is the upper half of a sandwich, whose lower one Graph is then;
	// nil otherwise.
	Callers *flamegraph.Graph
}

func (v *View) label() string { return visible(cmp.Or(v.Label, v.Graph.Type.Type, "value")) }
func (v *View) unit() string  { return visible(cmp.Or(v.Unit, v.Graph.Type.Unit)) }

// blockLabel says how many frames stand together.
func blockLabel(frames int64, estimated bool) string {
	switch {
	case frames == 1:
		return "1 frame"
	case estimated:
		return "about " + quantity.Count(float64(frames)) + " frames"
	}
	return quantity.Count(float64(frames)) + " frames"
}
