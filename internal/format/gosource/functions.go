package gosource

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Init is the name of the function that sets a file's variables.
const Init = "init"

// Function is a declared one with a body, or that of a file's variables.
type Function struct {
	Name        string // as its symbol has it after the package
	First, Last Position
	Literals    []Literal // in the order of the source
	Parameters  []string  // names, the receiver first; "" of one without
}

// Position is a line and a column, in bytes from 1.
type Position struct{ Line, Col int }

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// Literal is a function literal.
type Literal struct {
	First, Last Position
	Text        string // without the differences of white space
}

// Functions reads a file's functions; external reports whether its package is an
// external test.
func Functions(src []byte) (functions []*Function, external bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	at := func(p token.Pos) Position {
		q := fset.PositionFor(p, false)
		return Position{q.Line, q.Column}
	}
	variables := &Function{Name: Init}
	var out []*Function
	for _, d := range file.Decls {
		f := variables
		if fd, ok := d.(*ast.FuncDecl); ok {
			if fd.Body == nil {
				continue
			}
			f = &Function{Name: localName(fd), First: at(fd.Pos()), Last: at(fd.End()), Parameters: parameters(fd)}
			out = append(out, f)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if l, ok := n.(*ast.FuncLit); ok {
				text := src[fset.PositionFor(l.Pos(), false).Offset:fset.PositionFor(l.End(), false).Offset]
				f.Literals = append(f.Literals, Literal{First: at(l.Pos()), Last: at(l.End()), Text: strings.Join(strings.Fields(string(text)), " ")})
			}
			return true
		})
	}
	if len(variables.Literals) > 0 {
		out = append(out, variables)
	}
	return out, strings.HasSuffix(file.Name.Name, "_test")
}

// At returns the function that a position lies in; nil outside of all.
func At(functions []*Function, p Position) *Function {
	for _, f := range functions {
		if f.Name != Init && !p.Before(Position{f.First.Line, 0}) && p.Line <= f.Last.Line {
			return f
		}
	}
	for _, f := range functions {
		if f.Name == Init && f.LiteralAt(p) >= 0 {
			return f
		}
	}
	return nil
}

func parameters(fd *ast.FuncDecl) []string {
	var names []string
	for _, list := range []*ast.FieldList{fd.Recv, fd.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			if len(field.Names) == 0 {
				names = append(names, "")
			}
			for _, id := range field.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// localName returns a function's symbol after its package.
func localName(fd *ast.FuncDecl) string {
	name := fd.Name.Name
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		if fd.Type.TypeParams != nil {
			name += "[...]"
		}
		return name
	}
	typ, pointer := ast.Unparen(fd.Recv.List[0].Type), false
	if star, ok := typ.(*ast.StarExpr); ok {
		typ, pointer = ast.Unparen(star.X), true
	}
	generic := ""
	switch g := typ.(type) {
	case *ast.IndexExpr:
		typ, generic = g.X, "[...]"
	case *ast.IndexListExpr:
		typ, generic = g.X, "[...]"
	}
	recv := "?"
	if id, ok := typ.(*ast.Ident); ok {
		recv = id.Name + generic
	}
	if pointer {
		recv = "(*" + recv + ")"
	}
	return recv + "." + name
}

// LiteralAt returns the index of the innermost literal around a position, -1
// outside all. The position where a literal begins is outside it.
func (f *Function) LiteralAt(p Position) int {
	best := -1
	for i, l := range f.Literals { // an inner one comes later
		if l.First.Before(p) && p.Before(l.Last) {
			best = i
		}
	}
	return best
}

// LiteralFrom returns the index of the first literal that begins on a line.
func (f *Function) LiteralFrom(line int) int {
	return slices.IndexFunc(f.Literals, func(l Literal) bool { return l.First.Line == line })
}
