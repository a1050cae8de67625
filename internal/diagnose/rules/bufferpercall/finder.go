package bufferpercall

import (
	"go/ast"
	"path"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
)

// buffer is one local variable of one function, or what a constructor makes
// that is called in the midst of an expression.
type buffer struct {
	diagnose.Statement        // that makes it
	name               string // of the variable, "" where none takes it
	kind               *kind
	call               string // what the statement calls, "" for none
	function           string
	followed           bool // that it ends rests on other functions' source
	cpu, avoidable     diagnose.Set
	heap               diagnose.Set
	blocks             int64
	inside             bool // kind.inside has taken memory
}

type finder struct {
	s         *diagnose.Subject
	functions map[ast.Node][]*buffer
	order     []*buffer
}

func newFinder(s *diagnose.Subject) *finder {
	return &finder{s: s, functions: make(map[ast.Node][]*buffer)}
}

// at returns the buffer that a frame of the user's own makes or fills; below
// are the frames it calls, leaf first.
func (f *finder) at(c *hot.Classified, frame *callstack.Frame, below []callstack.FrameID) *buffer {
	st := f.s.Statement(frame.File, frame.Line)
	if !st.Known || st.Func == nil {
		return nil
	}
	buffers, ok := f.functions[st.Func]
	if !ok {
		buffers = f.read(st)
		f.functions[st.Func] = buffers
		f.order = append(f.order, buffers...)
	}
	var found *buffer
	for _, b := range buffers {
		if !b.makes(c, st, below) && !b.fills(c, st, below) {
			continue
		}
		if found != nil {
			return nil // which of the two is not to be told
		}
		found = b
	}
	return found
}

// makes reports whether the frames below the statement that makes the buffer
// are its making: none but the runtime's, or what is called for it.
func (b *buffer) makes(c *hot.Classified, st diagnose.Statement, below []callstack.FrameID) bool {
	if st.First != b.First || st.Last != b.Last {
		return false
	}
	if b.call == "" {
		return b.kind.own && !slices.ContainsFunc(below, func(id callstack.FrameID) bool {
			return !diagnose.OfRuntime(c.Frame(id).Function)
		})
	}
	if len(below) == 0 {
		return b.call == "bytes.NewBuffer" // the slice that it is given
	}
	sym := symbolname.Parse(c.Frame(below[len(below)-1]).Function)
	return sym.Receiver == "" && path.Base(sym.Package)+"."+sym.Name == b.call
}

// fills reports whether a statement that mentions the buffer takes memory for
// it.
func (b *buffer) fills(c *hot.Classified, st diagnose.Statement, below []callstack.FrameID) bool {
	if len(b.kind.later) == 0 {
		return false
	}
	for i, id := range below {
		fn := c.Frame(id).Function
		if !slices.ContainsFunc(b.kind.later, func(prefix string) bool { return strings.HasPrefix(fn, prefix) }) {
			continue
		}
		// encoding/json has buffers of its own.
		for _, above := range below[i:] {
			above := c.Frame(above).Function
			if strings.HasPrefix(above, "encoding/json.") && above != "encoding/json.(*Encoder).Encode" && !strings.HasPrefix(fn, "encoding/json.") {
				return false
			}
		}
		if b.name == "" {
			return st.First == b.First && st.Last == b.Last
		}
		mentioned := false
		syntax.Head(st.Node, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			mentioned = mentioned || ok && id.Name == b.name
			return true
		})
		return mentioned
	}
	return false
}

// read finds the buffers that a function makes and drops.
func (f *finder) read(st diagnose.Statement) (out []*buffer) {
	fn := syntax.New(st.Func)
	for _, d := range fn.Declarations() {
		k, call := kindOf(d.Value, d.Type)
		if k == nil {
			continue
		}
		ends, followed := f.s.Ends(st.File, fn, d, k.shares)
		if !ends {
			continue
		}
		made := f.s.Statement(st.File, f.s.LineOf(st.File, d.Node))
		if !made.Known {
			continue
		}
		out = append(out, &buffer{Statement: made, name: d.Ident.Name, kind: k, call: call, followed: followed})
	}
	return append(out, f.unnamed(st.File, fn)...)
}

// unnamed finds the constructors whose result is used on the spot:
// csv.NewReader(r).Read().
func (f *finder) unnamed(file string, fn *syntax.Function) (out []*buffer) {
	ast.Inspect(fn.Node, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != fn.Node {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch fn.Parent(call).(type) {
		case *ast.SelectorExpr, *ast.CallExpr:
		default:
			return true
		}
		k, name := kindOf(call, nil)
		if k == nil || name == "" {
			return true
		}
		ends, followed := f.s.ValueEnds(file, fn, call, k.shares)
		made := f.s.Statement(file, f.s.LineOf(file, call))
		if ends && made.Known {
			out = append(out, &buffer{Statement: made, kind: k, call: name, followed: followed})
		}
		return true
	})
	return out
}
