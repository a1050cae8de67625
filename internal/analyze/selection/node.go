package selection

import (
	"fmt"
	"path"

	"whet/internal/callstack"
)

// NodeID indexes a Selection's Nodes.
type NodeID int32

// Node is what frames are counted under: as much of a place in the program as
// the granularity tells apart, the other fields zero.
type Node struct {
	Name      string
	OrigName  string // as the binary has it; kept by no view of pprof's
	File      string
	StartLine int // the function's first line; see Object
	Line      int
	Column    int
	Address   uint64
	Object    string // the binary; only without a name, or with Options.ObjectNames
}

// Step is one frame of a stack.
type Step struct {
	Node    NodeID
	Inlined bool // into the step before it, towards the root
}

// grain is what the granularity tells apart.
type grain struct{ function, file, line, column, address bool }

func newGrain(o *Options) (grain, error) {
	g := grain{column: o.ShowColumns}
	switch o.Granularity {
	case "", "functions":
		g.function = true
	case "filefunctions":
		g.function, g.file = true, true
	case "files":
		g.file = true
	case "lines":
		g.function, g.file, g.line = true, true, true
	case "addresses":
		g.function, g.file, g.line, g.address = true, true, true, true
		g.column = g.column || !o.NoInlines
	default:
		return g, fmt.Errorf("granularity %q is none of functions, filefunctions, files, lines, addresses", o.Granularity)
	}
	g.column = g.column && g.line
	return g, nil
}

// nodeTable interns nodes.
type nodeTable struct {
	grain grain
	trim  func(string) string
	named bool // ObjectNames

	nodes []Node
	ids   map[Node]NodeID
	files map[string]string // trimmed and cleaned
}

func (t *nodeTable) id(n Node) NodeID {
	id, ok := t.ids[n]
	if !ok {
		id = NodeID(len(t.nodes))
		t.nodes = append(t.nodes, n)
		t.ids[n] = id
	}
	return id
}

// bare is the node of a location without lines.
func (t *nodeTable) bare(address uint64, object string) NodeID {
	n := Node{Object: object}
	if t.grain.address {
		n.Address = address
	}
	return t.id(n)
}

func (t *nodeTable) of(f *callstack.Function, l callstack.SourceLine, address uint64, object string) NodeID {
	var n Node
	if t.grain.address {
		n.Address = address
	}
	if t.grain.function {
		n.Name = f.Name
	}
	if t.grain.file {
		n.File = t.file(f.File)
	}
	if t.grain.line {
		n.Line = l.Line
	}
	if t.grain.column {
		n.Column = l.Column
	}
	if t.named || n.Name == "" {
		n.Object, n.StartLine = object, f.Start
	}
	return t.id(n)
}

func (t *nodeTable) file(name string) string {
	short, ok := t.files[name]
	if !ok {
		if short = t.trim(name); short != "" {
			short = path.Clean(short)
		}
		t.files[name] = short
	}
	return short
}
