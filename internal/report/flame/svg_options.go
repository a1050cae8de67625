package flame

import (
	"errors"
	"fmt"
	"strings"

	"whet/internal/printable"
)

// SVGOptions are the options of the classic flame graph script, by its names.
type SVGOptions struct {
	Title    string
	Subtitle string
	// Width and Height are in pixels: of the picture and of one frame.
	Width    int
	Height   int
	MinWidth float64 // frames narrower than this many pixels stand together in blocks
	FontType string  // a font family of CSS
	FontSize float64 // pixels
	// CountName is what values count, in place of the sample type's unit: they
	// are printed as whole numbers then. NameType stands before a frame's name
	// when it is pointed at: "Function:".
	CountName string
	NameType  string

	Palette  Palette
	Colors   Colors // consistent palette: read and added to; nil is none
	Module   string // packages of it count as the user's own
	Inverted bool   // an icicle: the root on top
	Negate   bool   // of a comparison: red for less, blue for more
	Link     Link
	// Interactive adds a script for zoom and search. A picture without it can be
	// shown where scripts are forbidden.
	Interactive bool
}

// DefaultSVGOptions returns the classic script's, with colours by package, and blocks of what is
// narrower than half a pixel.
func DefaultSVGOptions() SVGOptions {
	return SVGOptions{
		Title: "Flame graph", Width: 1200, Height: 18, MinWidth: 0.5, FontType: "ui-monospace, Menlo, Consolas, monospace", FontSize: 12,
		NameType: "Function:", Palette: Package, Interactive: true,
	}
}

// Validate reports an option that cannot be.
func (o *SVGOptions) Validate() error {
	switch {
	case o.Width < 100 || o.Width > 100_000:
		return fmt.Errorf("flame graph: a width of %d pixels is not between 100 and 100,000", o.Width)
	case o.Height < 4 || o.Height > 200:
		return fmt.Errorf("flame graph: a frame's height of %d pixels is not between 4 and 200", o.Height)
	case !(o.FontSize >= 4 && o.FontSize <= 100):
		return fmt.Errorf("flame graph: a font of %g pixels is not between 4 and 100", o.FontSize)
	case !(o.MinWidth >= 0 && o.MinWidth <= float64(o.Width)):
		return errors.New("flame graph: the minimum width of a frame is not between 0 and the width")
	case strings.ContainsFunc(o.FontType, func(r rune) bool { return printable.Hidden(r) || strings.ContainsRune(`;{}()<>&@\`, r) }):
		return fmt.Errorf("flame graph: %q is not a list of font families", o.FontType)
	}
	if err := o.Palette.Validate(); err != nil {
		return fmt.Errorf("flame graph: %w", err)
	}
	if err := o.Link.Validate(); err != nil {
		return fmt.Errorf("flame graph: %w", err)
	}
	return nil
}
