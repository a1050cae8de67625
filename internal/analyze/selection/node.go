package selection

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"whet/internal/callstack"
)

// NodeID indexes a Selection's Nodes.
type NodeID int32

// Node is the key that frames are counted under: the fields that the granularity
// distinguishes; the others are zero.
type Node struct {
	Name      string
	File      string
	StartLine int // the function's first line; see Object
	Line      int
	Column    int
	Address   uint64
	Object    string // the binary; only without a name, or with Options.ObjectNames
}

// Step is a frame of a stack.
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
		return g, fmt.Errorf("granularity %q: want functions, filefunctions, files, lines or addresses", o.Granularity)
	}
	g.column = g.column && g.line
	return g, nil
}

// nodeTable interns nodes.
type nodeTable struct {
	grain grain
	o     *Options

	nodes []Node
	ids   map[Node]NodeID
	files map[string]string // shortened
	// Of functions that are one node wherever they are met: 1 + it.
	whole []NodeID
}

// newNodeTable returns a table with room for so many nodes.
func newNodeTable(g grain, o *Options, room int) *nodeTable {
	return &nodeTable{grain: g, o: o, nodes: make([]Node, 0, room), ids: make(map[Node]NodeID, room), files: make(map[string]string)}
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

// bare returns the node of a location without lines.
func (t *nodeTable) bare(address uint64, object string) NodeID {
	n := Node{Object: object}
	if t.grain.address {
		n.Address = address
	}
	return t.id(n)
}

// of returns the node of a line in a function.
func (t *nodeTable) of(f *callstack.Function, l callstack.SourceLine, address uint64, object string) NodeID {
	if t.whole[l.Function] > 0 {
		return t.whole[l.Function] - 1
	}
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
	if t.o.ObjectNames || n.Name == "" {
		n.Object, n.StartLine = object, f.Start
		return t.id(n)
	}
	id := t.id(n)
	if !t.grain.line {
		t.whole[l.Function] = id + 1
	}
	return id
}

func (t *nodeTable) file(name string) string {
	short, ok := t.files[name]
	if !ok {
		short = name
		if !t.o.RawPaths {
			short = TrimPath(short, t.o.TrimPath, t.o.SourcePath)
		}
		if short != "" {
			short = path.Clean(short)
		}
		t.files[name] = short
	}
	return short
}

// TrimPath cuts the prefixes named by -trim_path off a file name; without any,
// all up to a directory that is called like one of -source_path.
func TrimPath(name, trim, source string) string {
	slashed := filepath.ToSlash(name)
	if trim == "" {
		for _, dir := range filepath.SplitList(filepath.ToSlash(source)) {
			below := "/" + path.Base(dir) + "/"
			if at := strings.Index(slashed, below); at >= 0 {
				return name[at+len(below):]
			}
		}
	}
	prefixes := append(filepath.SplitList(filepath.ToSlash(trim)), "/proc/self/cwd/./", "/proc/self/cwd/")
	for _, prefix := range prefixes {
		if !strings.HasSuffix(prefix, "/") {
			prefix += "/"
		}
		if strings.HasPrefix(slashed, prefix) {
			return name[len(prefix):]
		}
	}
	return name
}
