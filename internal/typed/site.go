package typed

import (
	"cmp"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// Site is a call in the source of a package: of a function, a method or a builtin
// function, or a conversion.
type Site struct {
	*ast.CallExpr
	In *Package
}

// Sites returns the calls that begin on one of some lines of a frame's file, in source
// order; nil where the file is not typed.
func (p *Program) Sites(frame string, first, last int) []Site {
	pkg := p.Package(p.pathOf(frame))
	if pkg == nil || pkg.Types == nil {
		return nil
	}
	all := pkg.allSites()[frame]
	from, _ := slices.BinarySearchFunc(all, first, func(s Site, line int) int { return s.Line() - line })
	to, _ := slices.BinarySearchFunc(all, last+1, func(s Site, line int) int { return s.Line() - line })
	return all[from:max(from, to)]
}

// pathOf returns the package that a file belongs to, or that one in its directory does:
// a line directive names what a Go file was made from.
func (p *Program) pathOf(frame string) string {
	if of, ok := p.of[frame]; ok {
		return of
	}
	for file, of := range p.of {
		if path.Dir(file) == path.Dir(frame) && !strings.HasSuffix(file, "_test.go") {
			return of
		}
	}
	return ""
}

// allSites returns the package's calls by the file that profiles name, sorted by line:
// line directives count, and a relative name in one is relative to its file.
func (p *Package) allSites() map[string][]Site {
	if p.sites != nil {
		return p.sites
	}
	p.sites = make(map[string][]Site)
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				name, _ := p.program.Line(c.Pos())
				if name != p.frames[f] && path.Dir(name) == "." {
					name = path.Join(path.Dir(p.frames[f]), name)
				}
				p.sites[name] = append(p.sites[name], Site{c, p})
			}
			return true
		})
	}
	for _, all := range p.sites {
		slices.SortStableFunc(all, func(a, b Site) int { return cmp.Compare(a.Line(), b.Line()) })
	}
	return p.sites
}

// Line returns the line of the call's first token, as profiles have it.
func (s Site) Line() int {
	_, line := s.In.program.Line(s.Pos())
	return line
}

// Callee names the called function: see [Package.Called].
func (s Site) Callee() string { return s.In.Called(s.CallExpr) }

// Function returns the symbol of the declared function around the call.
func (s Site) Function() string {
	if d := s.In.Declaration(s.Pos()); d != nil {
		return s.In.In(d)
	}
	return ""
}

// Fixed returns for each argument the reason that it has the same value in every call;
// nil if none has. A call with several results counts for each of them.
func (s Site) Fixed() []FixedArgument {
	return s.In.variables().arguments(s.CallExpr, s.In.surroundings(s.CallExpr))
}

// FixedAt is Fixed of one argument, the zero value where there is none.
func (s Site) FixedAt(i int) FixedArgument {
	if all := s.Fixed(); i < len(all) {
		return all[i]
	}
	return FixedArgument{}
}

// Receiver returns the call that made a method's receiver, nil if it is unknown or
// one of its arguments is not fixed.
func (s Site) Receiver() *ReceiverCall { return s.In.variables().receiver(s.CallExpr) }

// enclosure is the loop, function and literal around an expression.
type enclosure struct {
	loop    ast.Node // innermost for statement, or nil
	literal bool     // a function literal lies between it and the declared function
}

// surroundings reads the nodes around n. Of a loop the first statement runs once,
// and so does what is ranged over.
func (p *Package) surroundings(n ast.Node) (at enclosure) {
	for outer := p.Parent(n); outer != nil; n, outer = outer, p.Parent(outer) {
		switch outer := outer.(type) {
		case *ast.FuncLit:
			at.literal = true
		case *ast.ForStmt:
			if at.loop == nil && n != outer.Init {
				at.loop = outer
			}
		case *ast.RangeStmt:
			if at.loop == nil && n != outer.X {
				at.loop = outer
			}
		}
	}
	return at
}
