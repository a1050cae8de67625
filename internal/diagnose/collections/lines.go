package collections

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose"
)

// line is what one line of source does with maps and memory.
type line struct {
	maps   []*Collection // that are looked into, each once
	takes  []*Collection // that may take memory
	others bool          // a map that is no variable or field, or of a type that is not known
	memory bool          // anything else may take memory
}

// oneMap returns the only map of a line, nil for none or several.
func (l *line) oneMap() *Collection {
	if l == nil || l.others || len(l.maps) != 1 {
		return nil
	}
	return l.maps[0]
}

// oneTaker returns what alone may take memory in a line.
func (l *line) oneTaker() *Collection {
	if l == nil || l.memory || len(l.takes) != 1 {
		return nil
	}
	return l.takes[0]
}

func (p *Package) line(file string, number int) *line {
	at := diagnose.SourceLine{File: file, Line: number}
	l := p.lines[at]
	if l == nil {
		l = new(line)
		p.lines[at] = l
	}
	return l
}

// takes reports whether a use may take memory.
func (u *Use) takes() bool {
	return u.Kind == Make || u.Kind == Literal || u.Kind == Append || u.Kind == Set && u.InMap
}

func (p *Package) readLines(f *ast.File) {
	file := p.Frame(f)
	for _, c := range p.known {
		for i := range c.Uses {
			u := &c.Uses[i]
			if u.File != file {
				continue
			}
			l := p.line(file, u.Line)
			if u.Map && !slices.Contains(l.maps, c) {
				l.maps = append(l.maps, c)
			}
			if u.takes() && !slices.Contains(l.takes, c) {
				l.takes = append(l.takes, c)
			}
		}
	}
	at := func(n ast.Node) *line { return p.line(file, p.subject.LineOf(file, n)) }
	ast.Inspect(f, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && p.mayAllocate(e) {
			at(n).memory = true
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN && p.joins(n.Lhs[0]) {
				at(n).memory = true
			}
		case *ast.IndexExpr:
			if p.strangeMap(n.X) {
				at(n).others = true
			}
		case *ast.RangeStmt:
			if p.strangeMap(n.X) {
				at(n).others = true
			}
		case *ast.CallExpr:
			if name := p.Called(n); name == "delete" || name == "clear" {
				if p.strangeMap(n.Args[0]) {
					at(n).others = true
				}
			}
		case *ast.CompositeLit:
			p.unkeyed(n)
		}
		return true
	})
}

// unkeyed: the fields of a literal without their names come from anywhere.
func (p *Package) unkeyed(lit *ast.CompositeLit) {
	st, ok := underlying(p.Type(lit)).(*types.Struct)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if _, keyed := e.(*ast.KeyValueExpr); !keyed && i < st.NumFields() {
			if c := p.known[st.Field(i).Origin()]; c != nil {
				c.foreign = true
			}
		}
	}
}

// strangeMap reports whether an expression is, or may be, a map that no use
// stands for.
func (p *Package) strangeMap(x ast.Expr) bool {
	t := p.Type(x)
	if t != nil && !isMap(t) {
		return false
	}
	if tv, ok := p.Info.Types[x]; ok && tv.IsType() {
		return false // the arguments of a generic type
	}
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			x = e.X
			continue
		case *ast.SliceExpr:
			x = e.X
			continue
		case *ast.Ident:
			return !p.isKnown(e)
		case *ast.SelectorExpr:
			return !p.isKnown(e.Sel)
		case *ast.CallExpr:
			// Functions of slices and maps, whose type is not known, give
			// iterators: their own frames show the map work.
			return t != nil || p.standard(e) == ""
		}
		return true
	}
}

func (p *Package) isKnown(id *ast.Ident) bool {
	v, ok := p.Info.ObjectOf(id).(*types.Var)
	return ok && p.known[v.Origin()] != nil
}

// mayAllocate reports whether an expression itself may take memory, other than
// what uses stand for.
func (p *Package) mayAllocate(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncLit:
		_, declared := p.Parent(e).(*ast.CallExpr)
		return !declared // called on the spot, or handed to what most often keeps none
	case *ast.CompositeLit:
		return (IsCollection(p.Type(e)) || p.Type(e) == nil) && !p.stands[e]
	case *ast.UnaryExpr:
		_, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return ok && e.Op == token.AND
	case *ast.BinaryExpr:
		return e.Op == token.ADD && p.joins(e) && p.Info.Types[e].Value == nil
	case *ast.CallExpr:
		switch p.Called(e) {
		case "make", "append":
			return !p.stands[e]
		case "new":
			return true
		default:
			return p.converts(e)
		}
	}
	return false
}

// converts reports whether a call is a conversion that may take memory.
func (p *Package) converts(call *ast.CallExpr) bool {
	to, ok := p.Info.Types[call.Fun]
	if !ok || !to.IsType() || len(call.Args) != 1 {
		return false
	}
	from := p.Type(call.Args[0])
	if _, boxes := underlying(to.Type).(*types.Interface); boxes {
		return true
	}
	return isString(to.Type) != isString(from) && (IsCollection(to.Type) || IsCollection(from))
}

// joins reports whether a sum is, or may be, one of strings.
func (p *Package) joins(e ast.Expr) bool { return p.Type(e) == nil || isString(p.Type(e)) }

func isString(t types.Type) bool {
	b, ok := underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
