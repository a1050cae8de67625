package collections

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/typed"
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

// add enters a use of a collection.
func (l *line) add(c *Collection, u Use) {
	if u.Map && !slices.Contains(l.maps, c) {
		l.maps = append(l.maps, c)
	}
	takes := u.Kind == Make || u.Kind == Literal || u.Kind == Append || u.Kind == Set && u.InMap
	if takes && !slices.Contains(l.takes, c) {
		l.takes = append(l.takes, c)
	}
}

// readLine notes what a node does that no use stands for.
func (p *Package) readLine(file string, n ast.Node) {
	var of ast.Expr // what is looked into
	memory := false
	switch n := n.(type) {
	case *ast.IndexExpr:
		of = n.X
	case *ast.RangeStmt:
		of = n.X
	case *ast.AssignStmt:
		memory = n.Tok == token.ADD_ASSIGN && p.joins(n.Lhs[0])
	case *ast.BinaryExpr:
		memory = n.Op == token.ADD && p.joins(n) && p.Info.Types[n].Value == nil
	case *ast.UnaryExpr:
		_, literal := ast.Unparen(n.X).(*ast.CompositeLit)
		memory = literal && n.Op == token.AND
	case *ast.FuncLit: // but one that is called on the spot, or handed to what most often keeps none
		_, called := p.Parent(n).(*ast.CallExpr)
		memory = !called
	case *ast.CompositeLit:
		memory = (IsCollection(p.Type(n)) || p.Type(n) == nil) && !p.stands[n]
		p.unkeyed(n)
	case *ast.CallExpr:
		switch p.Builtin(n) {
		case "make", "append":
			memory = !p.stands[n]
		case "new":
			memory = true
		case "delete", "clear":
			if len(n.Args) > 0 {
				of = n.Args[0]
			}
		case "":
			memory = p.converts(n)
		}
	}
	if others := of != nil && p.strangeMap(of); memory || others {
		l := p.line(file, p.subject.LineAt(n.Pos()))
		l.memory, l.others = l.memory || memory, l.others || others
	}
}

// unkeyed: the fields of a literal without their names come from anywhere.
func (p *Package) unkeyed(lit *ast.CompositeLit) {
	st, ok := typed.Under[*types.Struct](p.Type(lit))
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if _, keyed := e.(*ast.KeyValueExpr); !keyed && i < st.NumFields() && IsCollection(st.Field(i).Type()) {
			p.collection(st.Field(i)).foreign = true
		}
	}
}

// strangeMap reports whether an expression is, or may be, a map that no use
// stands for.
func (p *Package) strangeMap(x ast.Expr) bool {
	if t := p.Type(x); t != nil && !isMap(t) || p.Info.Types[x].IsType() { // the arguments of a generic type
		return false
	}
	for {
		switch e := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			x = e.X
		case *ast.SliceExpr:
			x = e.X
		default:
			v, ok := p.Object(e).(*types.Var)
			return !ok || !IsCollection(v.Type())
		}
	}
}

// converts reports whether a call is a conversion that may take memory.
func (p *Package) converts(call *ast.CallExpr) bool {
	x, to := p.Conversion(call)
	if x == nil {
		return false
	}
	from := p.Type(x)
	_, boxes := typed.Under[*types.Interface](to)
	return boxes || typed.IsString(to) != typed.IsString(from) && (IsCollection(to) || IsCollection(from))
}

// joins reports whether a sum is, or may be, one of strings.
func (p *Package) joins(e ast.Expr) bool { return p.Type(e) == nil || typed.IsString(p.Type(e)) }
