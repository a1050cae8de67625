package shape

import (
	"go/ast"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

// ofInterfaces are about methods of interfaces that loops call for each element.
var ofInterfaces = []Shape{
	{Row: knowledge.Row{
		ID: "pixels-by-interface", Cause: "interface-per-element",
		When:       knowledge.Words("an inner loop calls At of an image.Image, or Set of a draw.Image, in each round"),
		Cost:       "a loop reads or writes an image pixel by pixel through an interface",
		Instead:    "Determine the image's type once, before the loops: switch m := m.(type) { case *image.RGBA: … }, and process m.Pix row by row, m.Pix[m.PixOffset(x, y):], or call RGBAAt, NRGBAAt, GrayAt and YCbCrAt, which return the concrete color type; keep At for other images. draw.Draw converts any image to an image.RGBA, and has fast paths.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "m image.Image", Result: "int", Args: "image.NewRGBA(image.Rect(0, 0, 30, 30))", Imports: []string{"image"},
			Before: "n, b := 0, m.Bounds()\nfor y := b.Min.Y; y < b.Max.Y; y++ {\n\tfor x := b.Min.X; x < b.Max.X; x++ {\n\t\tr, _, _, _ := m.At(x, y).RGBA()\n\t\tn += int(r >> 8)\n\t}\n}\nreturn n",
			After:  "n, b := 0, m.Bounds()\nif m, ok := m.(*image.RGBA); ok {\n\tfor y := b.Min.Y; y < b.Max.Y; y++ {\n\t\trow := m.Pix[m.PixOffset(b.Min.X, y):]\n\t\tfor x := range b.Dx() {\n\t\t\tn += int(row[4*x])\n\t\t}\n\t}\n}\nreturn n"},
	}, Spends: []string{"image.", "image/color."}, Find: pixelsByInterface},
	{Row: knowledge.Row{
		ID: "interface-of-one", Cause: "interface-of-one",
		When:       knowledge.Words("a loop calls a method of an unexported interface with an unexported method, which exactly one type of the package implements, and that type's method is short: no loop, and only calls of builtin functions"),
		Cost:       "a loop calls a method through an interface that only one type implements",
		Instead:    "Use the type in place of the interface: the compiler can then inline the method, and its receiver need not be on the heap. If tests implement the interface too, use a type parameter, func f[T source](s T); for pointer types the compiler shares one function, which gains nothing.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "any source, one *steps", Result: "int", Args: "new(steps), new(steps)",
			Decls:  "type source interface{ next() int }\n\ntype steps struct{ n int }\n\nfunc (s *steps) next() int { s.n += 3; return s.n & 7 }\n",
			Before: "n := 0\nfor range 200 {\n\tn += any.next()\n}\nreturn n * 0",
			After:  "n := 0\nfor range 200 {\n\tn += one.next()\n}\nreturn n * 0"},
	}, Spends: []string{"", beneath}, Find: interfaceOfOne},
}

// causesOfInterfaces are the rules about them.
var causesOfInterfaces = []knowledge.Cause{{
	ID: "interface-per-element", Title: "an interface call for each element",
	What:     "A loop over the pixels of an image calls At or Set of an interface for each.",
	Why:      "Each call finds its method, computes an index, and converts the color to an interface, which may allocate; the loop's own work on a pixel is a few bytes.",
	Silent:   "For images of a concrete type; where the function switches on the image's type and has a fast path for some; for single pixels; outside nested loops.",
	Fix:      "Use a type switch before the loops, and the bytes of the image itself.",
	Unneeded: "where the image's bytes can be accessed directly",
}, {
	ID: "interface-of-one", Title: "an interface with only one implementation, called in a loop",
	What:     "A loop calls a short method through an interface that only one type implements.",
	Why:      "A call through an interface is not inlined: it loads the method's address, saves registers, and prevents the compiler from keeping values in them; arguments escape to the heap.",
	Silent:   "For exported interfaces, and for those with only exported methods, which types of other packages may implement; where two types of the package implement it; for methods whose work outweighs the call; for interfaces of other packages.",
	Fix:      "Use the type itself.",
	Unneeded: "and so the call is not inlined",
}}

func pixelsByInterface(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return m
	}
	switch p.Called(call) {
	case "image.Image.At", "image/draw.Image.Set", "golang.org/x/image/draw.Image.Set":
	default:
		return m
	}
	if loop := outer(p, call); loop != nil && outer(p, loop) != nil && !distinguished(p, call) {
		m.Goes = []ast.Node{call}
	}
	return m
}

// distinguished reports whether the function around a call asks what the image is: then
// the call is for those that the source knows no better way for.
func distinguished(p *typed.Package, call *ast.CallExpr) (found bool) {
	body := p.FunctionAround(call.Pos())
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if assert, ok := n.(*ast.TypeAssertExpr); ok && isImage(p, assert.X) {
			found = true
		}
		return !found
	})
	return found
}

func isImage(p *typed.Package, e ast.Expr) bool {
	t := p.TypeOf(e)
	return t != nil && slices.Contains([]string{"image.Image", "image/draw.Image", "golang.org/x/image/draw.Image"}, types.TypeString(t, nil))
}

func interfaceOfOne(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || outer(p, call) == nil {
		return m
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return m
	}
	named, ok := types.Unalias(p.TypeOf(sel.X)).(*types.Named)
	if !ok || named.Obj().Pkg() != p.Types || named.Obj().Exported() || named.TypeParams().Len() > 0 {
		return m
	}
	of, ok := typed.Under[*types.Interface](named)
	if !ok || p.Info.Selections[sel] == nil || !closed(of) {
		return m
	}
	if only := onlyType(p, of); only != nil && short(p, only, sel.Sel.Name) {
		m.Goes = []ast.Node{call}
	}
	return m
}

// closed reports whether an interface has a method that types of other packages cannot
// have.
func closed(of *types.Interface) bool {
	for f := range of.Methods() {
		if !f.Exported() {
			return true
		}
	}
	return false
}

// onlyType returns the only type of a package that has an interface, nil where there are none
// or several.
func onlyType(p *typed.Package, of *types.Interface) (only *types.Named) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		named, ok := t.Type().(*types.Named)
		if !ok || !types.Implements(types.NewPointer(named), of) {
			continue
		}
		if only != nil || named.TypeParams().Len() > 0 {
			return nil
		}
		only = named
	}
	return only
}

// short reports whether the compiler may put a type's method into its callers.
func short(p *typed.Package, of *types.Named, method string) (found bool) {
	obj, _, _ := types.LookupFieldOrMethod(of, true, p.Types, method)
	p.Functions(func(fn *typed.Function) bool {
		if fn.Object == nil || fn.Object != obj || fn.Decl.Body == nil {
			return true
		}
		found = weight(fn.Decl.Body) <= littleWork
		ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				x, _ := p.Conversion(n)
				found = found && (x != nil || p.Builtin(n) != "")
			case *ast.ForStmt, *ast.RangeStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.FuncLit:
				found = false
			}
			return found
		})
		return false
	})
	return found
}
