package bufferpercall

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// buffer is a local variable of one function, or what a constructor makes
// that is called in the midst of an expression.
type buffer struct {
	diagnose.Statement // that makes it
	pkg                *typed.Package
	v                  *types.Var // nil where none takes it
	kind               *kind
	call               string // what the statement calls, "" for none
	function           string
	followed           bool // that it ends rests on other functions' source
	cost               diagnose.Sets
	avoidable          diagnose.Set // of CPU time
	blocks             int64
	inside             bool // kind.inside has taken memory
}

type finder struct {
	s         *diagnose.Subject
	functions map[ast.Node][]*buffer
	order     []*buffer
}

// at returns the buffer that a frame of the user's own makes or fills; below
// are the frames it calls, leaf first.
func (f *finder) at(c *hot.Classified, frame *callstack.Frame, below []callstack.FrameID) (found *buffer) {
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
	for _, b := range buffers {
		if !b.makes(c, st, below) && !(b.filled(c, below) && f.mentions(st, b)) {
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
	switch {
	case st.Node != b.Node:
		return false
	case b.call == "":
		return b.kind.own != "" && !slices.ContainsFunc(below, func(id callstack.FrameID) bool { return !diagnose.OfRuntime(c.Frame(id).Function) })
	case len(below) == 0:
		return b.call == "bytes.NewBuffer" // the slice that it is given
	}
	return symbolname.Short(c.Frame(below[len(below)-1]).Function) == b.call
}

// filled reports whether frames take memory for such a buffer.
func (b *buffer) filled(c *hot.Classified, below []callstack.FrameID) bool {
	i := slices.IndexFunc(below, func(id callstack.FrameID) bool { return hasPrefix(c.Frame(id).Function, b.kind.later) })
	if i >= 0 && c.Frame(below[i]).Function == "bytes.(*Buffer).String" {
		return false // a copy that stays, wherever the buffer is from
	}
	// encoding/json has buffers of its own.
	return i >= 0 && !slices.ContainsFunc(below[i:], func(id callstack.FrameID) bool {
		above := c.Frame(id).Function
		return strings.HasPrefix(above, "encoding/json.") && above != "encoding/json.(*Encoder).Encode" && !strings.HasPrefix(c.Frame(below[i]).Function, "encoding/json.")
	})
}

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// mentions reports whether a statement makes or uses a buffer.
func (f *finder) mentions(st diagnose.Statement, b *buffer) bool {
	return st.Node == b.Node || b.v != nil && slices.ContainsFunc(b.pkg.Uses(b.v), func(id *ast.Ident) bool {
		return f.s.Statement(b.File, f.s.LineAt(id.Pos())).Node == st.Node
	})
}

// read finds the buffers that a function makes and drops: local variables, and
// what constructors make that is used on the spot, csv.NewReader(r).Read().
func (f *finder) read(st diagnose.Statement) (out []*buffer) {
	pkg := f.s.PackageOf(st.File)
	if pkg == nil {
		return nil
	}
	add := func(n ast.Node, v *types.Var, value ast.Expr) {
		b := &buffer{Statement: f.s.Statement(st.File, f.s.LineAt(n.Pos())), pkg: pkg, v: v}
		if b.kind, b.call = kindOf(pkg, v, value); b.kind == nil || !b.Known {
			return
		}
		ends := false
		if v != nil {
			ends, b.followed = pkg.Ends(v)
		} else {
			ends, b.followed = pkg.ValueEnds(value)
		}
		if ends {
			out = append(out, b)
		}
	}
	ast.Inspect(st.Func, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			return lit == st.Func
		}
		if n == nil {
			return true
		}
		for v, value := range pkg.Declared(n) {
			add(n, v, value)
		}
		if call, ok := n.(*ast.CallExpr); ok {
			switch pkg.Parent(call).(type) {
			case *ast.SelectorExpr, *ast.CallExpr:
				add(n, nil, call)
			}
		}
		return true
	})
	return out
}
