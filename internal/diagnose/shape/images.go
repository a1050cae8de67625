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
		When:       knowledge.Words("a loop in a loop calls At of an image.Image, or Set of a draw.Image, in its rounds"),
		Cost:       "a loop asks an image for each pixel by an interface",
		Instead:    "Ask once what the image is, before the loops: switch m := m.(type) { case *image.RGBA: … }, and go over m.Pix row by row, m.Pix[m.PixOffset(x, y):], or call RGBAAt, NRGBAAt, GrayAt and YCbCrAt, which return the color itself; keep At for other images. draw.Draw brings any image into an image.RGBA, and has fast paths.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "m image.Image", Result: "int", Args: "image.NewRGBA(image.Rect(0, 0, 30, 30))", Imports: []string{"image"},
			Before: "n, b := 0, m.Bounds()\nfor y := b.Min.Y; y < b.Max.Y; y++ {\n\tfor x := b.Min.X; x < b.Max.X; x++ {\n\t\tr, _, _, _ := m.At(x, y).RGBA()\n\t\tn += int(r >> 8)\n\t}\n}\nreturn n",
			After:  "n, b := 0, m.Bounds()\nif m, ok := m.(*image.RGBA); ok {\n\tfor y := b.Min.Y; y < b.Max.Y; y++ {\n\t\trow := m.Pix[m.PixOffset(b.Min.X, y):]\n\t\tfor x := range b.Dx() {\n\t\t\tn += int(row[4*x])\n\t\t}\n\t}\n}\nreturn n"},
	}, Spends: []string{"image.", "image/color."}, Find: pixelsByInterface},
}

// causesOfInterfaces are the rules about them.
var causesOfInterfaces = []knowledge.Cause{{
	ID: "interface-per-element", Title: "an interface asked for each element",
	What:     "A loop over the pixels of an image calls At or Set of an interface for each.",
	Why:      "Each call finds its method, computes an index, and puts the color into an interface, for which memory may be taken; the loop itself adds a few bytes.",
	Silent:   "For images of a type that the source names; where the function asks what the image is, and has a way of its own for some; for single pixels; outside of loops in loops.",
	Fix:      "A type switch before the loops, and the bytes of the image itself.",
	Unneeded: "where the image's own bytes are at hand",
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
