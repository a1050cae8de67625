package stringcopy

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
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
	file string
	line int    // first of the statement
	call string // the function that makes it there, "" for the statement itself
}

// resultOf reads a statement; the zero value means that it copies otherwise, or
// that it is not known.
func resultOf(s *diagnose.Subject, st diagnose.Statement) result {
	var r result
	p := s.PackageOf(st.File)
	if p == nil || st.Node == nil {
		return r
	}
	ofBytes, ofRunes, ofBuffers, ok := conversions(s, st)
	if !ok || ofRunes > 0 && ofBytes+ofBuffers > 0 {
		return r
	}
	m := memory{s: s, fn: syntax.New(st.Func), file: st.File, seen: make(map[followed]bool)}
	found := 0
	syntax.Head(st.Node, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall || !ok {
			return true
		}
		var of ast.Expr
		switch sel, isMethod := call.Fun.(*ast.SelectorExpr); {
		case copies(p, call) == toString:
			of = call.Args[0]
		case ofBuffers > 0 && isMethod && sel.Sel.Name == "String" && len(call.Args) == 0:
			of = sel.X
		default:
			return true
		}
		found++
		ok = m.isKept(call, true) && m.of(of)
		return true
	})
	if !ok || found == 0 || found != ofBytes+ofRunes+ofBuffers {
		return r
	}
	return result{needed: true, runes: ofRunes > 0, memory: m.sources}
}

// conversions counts a statement's copies by the typed calls. ok is false
// where there are others than to a string.
func conversions(s *diagnose.Subject, st diagnose.Statement) (ofBytes, ofRunes, ofBuffers int, ok bool) {
	calls, _ := s.StatementCalls(st)
	for _, c := range calls {
		switch {
		case c.Callee == "string([]byte)":
			ofBytes++
		case c.Callee == "string([]rune)":
			ofRunes++
		case c.Callee == "bytes.(*Buffer).String":
			ofBuffers++
		case copier(c.Callee) != none, strings.HasSuffix(c.Callee, "([]byte)"), strings.HasSuffix(c.Callee, "([]rune)"),
			strings.HasPrefix(c.Callee, "[]byte("), strings.HasPrefix(c.Callee, "[]rune("):
			return 0, 0, 0, false
		}
	}
	return ofBytes, ofRunes, ofBuffers, true
}

// memory follows what strings are made of.
type memory struct {
	s       *diagnose.Subject
	fn      *syntax.Function
	file    string
	seen    map[followed]bool
	sources []source
}

// followed is a variable, or a field of it by its name.
type followed struct {
	declared *ast.Ident
	name     string
}

// isKept reports whether a string is a result of the function, or is stored: in
// a field, an element, or a literal that is. named: by a variable too.
func (m *memory) isKept(n ast.Node, named bool) bool {
	for {
		switch p := m.fn.Parent(n).(type) {
		case *ast.ParenExpr, *ast.CompositeLit:
			n = p
		case *ast.SliceExpr:
			if p.X != n {
				return false
			}
			n = p
		case *ast.KeyValueExpr:
			if p.Value != n {
				return false
			}
			n = p
		case *ast.UnaryExpr:
			if p.Op != token.AND {
				return false
			}
			n = p
		case *ast.ReturnStmt:
			return true
		case *ast.CallExpr:
			fun, ok := p.Fun.(*ast.Ident)
			return ok && fun.Name == "append" && p.Args[0] != n
		case *ast.AssignStmt:
			i := slices.Index(p.Rhs, n.(ast.Expr))
			if i < 0 || len(p.Lhs) != len(p.Rhs) {
				return false
			}
			switch to := ast.Unparen(p.Lhs[i]).(type) {
			case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
				return true
			case *ast.Ident:
				return named && m.isKeptIn(to, p)
			}
			return false
		default:
			return false
		}
	}
}

// isKeptIn reports whether a variable is a named result, or is returned or
// stored.
func (m *memory) isKeptIn(id *ast.Ident, set *ast.AssignStmt) bool {
	d, ok := m.fn.Declaration(set, id.Name)
	if set.Tok == token.DEFINE && (!ok || d.Scope != m.fn.Parent(set)) {
		d, ok = syntax.Declaration{Ident: id, Node: set, Scope: m.fn.Parent(set)}, true
	}
	if !ok || d.Param {
		return false
	}
	return d.Scope == m.fn.Node || slices.ContainsFunc(m.fn.Uses(d), func(use *ast.Ident) bool { return m.isKept(use, false) })
}

// of reports whether an expression is memory of the function's own, or of a
// pool.
func (m *memory) of(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return m.variable(e)
	case *ast.SliceExpr:
		return m.of(e.X)
	case *ast.StarExpr:
		return m.of(e.X)
	case *ast.SelectorExpr:
		return m.field(e)
	case *ast.TypeAssertExpr:
		call, ok := ast.Unparen(e.X).(*ast.CallExpr)
		return ok && isGet(call) && m.from(call, "Get")
	case *ast.CompositeLit:
		_, ok := e.Type.(*ast.ArrayType)
		return ok && m.from(e, "")
	case *ast.CallExpr:
		switch fun := ast.Unparen(e.Fun).(type) {
		case *ast.Ident:
			switch fun.Name {
			case "make":
				return m.from(e, "")
			case "append":
				return m.of(e.Args[0]) && m.from(e, "")
			}
			return len(e.Args) > 0 && m.of(e.Args[0]) && m.from(e, fun.Name)
		case *ast.SelectorExpr: // what appends to its first argument
			return len(e.Args) > 0 && m.of(e.Args[0]) && m.from(e, fun.Sel.Name)
		}
	}
	return false
}

// from notes where memory comes from.
func (m *memory) from(n ast.Node, call string) bool {
	st := m.s.Statement(m.file, m.s.LineOf(m.file, n))
	m.sources = append(m.sources, source{st.File, st.First, call})
	return true
}

// variable reports whether all that a local variable is ever set to is such
// memory.
func (m *memory) variable(id *ast.Ident) bool {
	d, ok := m.fn.Declaration(id, id.Name)
	if !ok || d.Param || d.Scope == m.fn.Node {
		return false
	}
	if m.seen[followed{d.Ident, id.Name}] {
		return true
	}
	m.seen[followed{d.Ident, id.Name}] = true
	if d.Value != nil {
		ok = m.of(d.Value)
	} else {
		_, ok = d.Type.(*ast.ArrayType)
		ok = ok && m.from(d.Node, "")
	}
	return ok && m.assigned(d, id.Name)
}

// field is a part of what comes from a pool, p.buf, or of what the function
// works for: a reader's buffer.
func (m *memory) field(e *ast.SelectorExpr) bool {
	root := syntax.Root(e)
	if root == nil {
		return false
	}
	d, ok := m.fn.Declaration(root, root.Name)
	if ok && d.Param {
		return m.setAnywhere(e.Sel.Name)
	}
	if !m.variable(root) {
		return false
	}
	if _, pooled := d.Value.(*ast.TypeAssertExpr); !pooled {
		return false
	}
	at := followed{d.Ident, syntax.Name(e)}
	if m.seen[at] {
		return true
	}
	m.seen[at] = true
	return m.assigned(d, at.name)
}

// assigned looks at what a variable, or a field of it, is set to further on.
func (m *memory) assigned(d syntax.Declaration, name string) bool {
	ok := true
	for _, id := range m.fn.Uses(d) {
		to := ast.Expr(id)
		for sel, is := m.fn.Parent(to).(*ast.SelectorExpr); is && sel.X == to; sel, is = m.fn.Parent(to).(*ast.SelectorExpr) {
			to = sel
		}
		set, is := m.fn.Parent(to).(*ast.AssignStmt)
		if !is || syntax.Name(to) != name {
			continue
		}
		if i := slices.Index(set.Lhs, to); i >= 0 {
			ok = ok && i < len(set.Rhs) && len(set.Lhs) == len(set.Rhs) && m.of(set.Rhs[i])
		}
	}
	return ok
}

// setAnywhere notes where the package sets a field of that name: memory comes
// from there. It is false where nothing does, as for what others fill.
func (m *memory) setAnywhere(field string) bool {
	found := false
	m.s.EachFunction(func(_, file string, decl *ast.FuncDecl) {
		ast.Inspect(decl.Body, func(n ast.Node) bool {
			set, ok := n.(*ast.AssignStmt)
			if !ok || !slices.ContainsFunc(set.Lhs, func(to ast.Expr) bool { return isField(to, field) }) {
				return true
			}
			found = true
			st := m.s.Statement(file, m.s.LineOf(file, set))
			m.sources = append(m.sources, source{st.File, st.First, ""})
			for _, value := range set.Rhs {
				if call, ok := ast.Unparen(value).(*ast.CallExpr); ok {
					m.sources = append(m.sources, source{st.File, st.First, callName(call)})
				}
			}
			return true
		})
	})
	return found
}

func isField(e ast.Expr, name string) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}

// callName returns the name of the function or method that is called.
func callName(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

func isGet(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Get" && len(call.Args) == 0
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
				case src.file != here.File || src.line != here.First:
					return false
				case at > 0:
					return src.call != "" && symbolname.Parse(f.s.Allocs.Frame(stack[at-1]).Function).Name == src.call
				}
				// The string's own block is no other than that.
				return src.call == "" && !(st.File == here.File && st.First == here.First)
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
