package stringcopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// result is what the source says of a statement whose copies are all strings
// made of memory that the function took for them: where the string is returned
// or stored, and that memory costs nothing in each call, one copy is the least
// that a string costs.
type result struct {
	needed bool
	runes  bool     // made of runes, which are encoded one by one
	memory []source // where the memory comes from, and where it may grow
}

// source is a statement that memory comes from.
type source struct {
	at   diagnose.SourceLine
	call string // the function that makes it there, "" for the statement itself
}

// resultOf reads a statement; the zero value means that it copies otherwise, or
// that it is not known.
func resultOf(s *diagnose.Subject, st diagnose.Statement) (r result) {
	m := memory{s: s, pkg: s.PackageOf(st.File), seen: make(map[*types.Var]bool)}
	bytes := false
	for _, c := range s.Sites(st) {
		name := c.Callee()
		var of ast.Expr
		switch sel, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr); {
		case name == bufferString && sel != nil:
			of, bytes = sel.X, true
		case name == "string([]rune)":
			of, r.runes = c.Args[0], true
		case conversion(m.pkg, c.CallExpr) == toString:
			of, bytes = c.Args[0], true
		case conversion(m.pkg, c.CallExpr) == none && copier(name) == none:
			continue
		default:
			return result{}
		}
		if !m.isKept(c.CallExpr, true) || !m.of(of) {
			return result{}
		}
	}
	r.needed, r.memory = bytes != r.runes, m.sources
	return r
}

// memory follows what strings are made of.
type memory struct {
	s       *diagnose.Subject
	pkg     *typed.Package
	seen    map[*types.Var]bool
	sources []source
}

// isKept reports whether a string is a result of the function, or is stored: in
// a field, an element, or a literal that is. named: by a variable too.
func (m *memory) isKept(n ast.Node, named bool) bool {
	around := m.pkg.Parent(n)
	for through := true; through; n, around = around, m.pkg.Parent(around) {
		switch p := around.(type) {
		case *ast.ParenExpr, *ast.CompositeLit:
		case *ast.SliceExpr:
			through = p.X == n
		case *ast.KeyValueExpr:
			through = p.Value == n
		case *ast.UnaryExpr:
			through = p.Op == token.AND
		case *ast.ReturnStmt:
			return true
		case *ast.CallExpr:
			return m.pkg.Called(p) == "append" && p.Args[0] != n
		case *ast.AssignStmt:
			i := slices.IndexFunc(p.Rhs, func(e ast.Expr) bool { return e == n })
			if i < 0 || len(p.Lhs) != len(p.Rhs) {
				return false
			}
			id, variable := ast.Unparen(p.Lhs[i]).(*ast.Ident)
			return !variable || named && m.isKeptIn(m.pkg.Object(id))
		default:
			return false
		}
	}
	return false
}

// isKeptIn reports whether a variable is a named result, or is returned or
// stored.
func (m *memory) isKeptIn(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && (v.Kind() == types.ResultVar || v.Kind() == types.LocalVar &&
		slices.ContainsFunc(m.pkg.Uses(v), func(use *ast.Ident) bool { return m.isKept(use, false) }))
}

// of reports whether an expression is memory of the function's own, or of a
// pool.
func (m *memory) of(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := m.pkg.Info.Uses[e].(*types.Var)
		return ok && m.variable(v)
	case *ast.SliceExpr:
		return m.of(e.X)
	case *ast.StarExpr:
		return m.of(e.X)
	case *ast.SelectorExpr:
		return m.field(e)
	case *ast.TypeAssertExpr:
		return m.isGet(e.X) && m.from(e.Pos(), "Get")
	case *ast.CompositeLit:
		return typed.Element(m.pkg.TypeOf(e)) != nil && m.from(e.Pos(), "")
	case *ast.CallExpr: // of others, what appends to its first argument
		name := m.pkg.Called(e)
		if converted, _ := m.pkg.Conversion(e); converted != nil || name == "" || len(e.Args) == 0 {
			return false
		}
		return (name == "make" || m.of(e.Args[0])) && m.from(e.Pos(), makes(name))
	}
	return false
}

// makes returns the function of those called whose frame memory is taken below.
func makes(name string) string {
	if name == "make" || name == "append" {
		return ""
	}
	return symbolname.Parse(name).Name
}

func (m *memory) isGet(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && len(c.Args) == 0 && strings.HasSuffix(m.pkg.Called(c), ".Get")
}

// from notes where memory comes from.
func (m *memory) from(pos token.Pos, call string) bool {
	st := m.s.Statement(m.s.Program.Line(pos))
	m.sources = append(m.sources, source{st.At(), call})
	return true
}

// variable reports whether all that a local variable is ever set to is such
// memory.
func (m *memory) variable(v *types.Var) bool {
	if _, array := typed.Under[*types.Array](v.Type()); array {
		return m.from(v.Pos(), "")
	}
	values, known := m.pkg.SetTo(v)
	if m.seen[v] || !known || v.Kind() != types.LocalVar || len(values) == 0 && typed.Element(v.Type()) == nil {
		return m.seen[v]
	}
	m.seen[v] = true
	return !slices.ContainsFunc(values, func(e ast.Expr) bool { return !m.of(e) })
}

// field is a part of what comes from a pool, p.buf, or of what the function
// works for: a reader's buffer. Memory comes from where its package sets it; where
// nothing does, others fill it.
func (m *memory) field(e *ast.SelectorExpr) bool {
	field, _ := m.pkg.Object(e).(*types.Var)
	v := m.pkg.Var(m.pkg.Base(e))
	if v == nil || field == nil || !field.IsField() {
		return false
	}
	given := v.Kind() == types.ParamVar || v.Kind() == types.RecvVar
	if from, _ := m.pkg.SetTo(v); !given {
		if len(from) == 0 || !m.variable(v) {
			return false
		}
		if _, pooled := from[0].(*ast.TypeAssertExpr); !pooled {
			return false
		}
	}
	values := m.pkg.FieldValues(field)
	for _, value := range values {
		m.from(value.Pos(), "")
		if c, ok := ast.Unparen(value).(*ast.CallExpr); ok {
			m.from(c.Pos(), makes(m.pkg.Called(c)))
		}
	}
	return !given || len(values) > 0
}

// costsNothing reports whether memory is not made in each call: it lies on the
// stack, or comes back from a pool. The allocation profile says so.
func (f *finder) costsNothing(st *statement, from []source) bool {
	var blocks int64
	diagnose.EachBase(f.s.Allocs, f.s.AllocCol, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		for at, id := range stack {
			frame := f.s.Allocs.Frame(id)
			if !f.s.Own(frame) {
				continue
			}
			here := f.s.Statement(frame.File, frame.Line)
			made := slices.ContainsFunc(from, func(src source) bool {
				switch {
				case src.at != here.At():
					return false
				case at > 0:
					return src.call != "" && symbolname.Parse(f.s.Allocs.Frame(stack[at-1]).Function).Name == src.call
				}
				// The string's own block is no other than that.
				return src.call == "" && st.At() != here.At()
			})
			if made {
				n, _ := f.s.Blocks(sample)
				blocks += n
				return
			}
		}
	})
	return !f.s.MadeInCalls(blocks)
}
