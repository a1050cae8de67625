package rules_test

import (
	"slices"
	"testing"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
)

// Of these the bytes are not at hand, or nothing is asked again and again.
func TestPixelsByInterface(t *testing.T) {
	for _, test := range []struct {
		params, body string
		speaks       bool
	}{
		{"m draw.Image, c color.Color", "for y := range 20 {\n\tfor x := range 20 {\n\t\tm.Set(x, y, c)\n\t}\n}", true},
		{"m *image.RGBA, c color.Color", "for y := range 20 {\n\tfor x := range 20 {\n\t\tm.Set(x, y, c)\n\t}\n}", false},
		{"m image.Image, at []image.Point", "for _, p := range at {\n\tm.At(p.X, p.Y)\n}", false},
		{"m image.Image", "m.At(3, 4)", false},
		{"m image.Image", "switch m := m.(type) {\ncase *image.RGBA:\n\t_ = m.Pix\ndefault:\n\tfor y := range 20 {\n\t\tfor x := range 20 {\n\t\t\tm.At(x, y)\n\t\t}\n\t}\n}", false},
		{"m image.Image", "for y := range 20 {\n\tfor x := range 20 {\n\t\tfunc() { m.At(x, y) }()\n\t}\n}", false},
	} {
		e := knowledge.Example{Params: test.params, Imports: []string{"image", "image/color", "image/draw"}}
		speaks := slices.ContainsFunc(lineByLine(t, &e, test.body, false), func(f finding.Finding) bool { return f.Row == "pixels-by-interface" })
		if speaks != test.speaks {
			t.Errorf("it speaks is %t of\n%s", speaks, test.body)
		}
	}
}
