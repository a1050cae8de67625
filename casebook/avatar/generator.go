package avatar

import (
	"fmt"
	"image"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Generator draws pictures: the library that a service of the time would have
// used. It is safe for concurrent use.
//
// The published one kept a face, which is not: its buffers hold the glyph that
// is being drawn. Requests that drew at the same time mixed up their letters
// or panicked, until a cache made that too rare to notice. Here a drawing has a
// face of its own, over the one parsed font.
type Generator struct {
	font *opentype.Font
}

// NewGenerator parses the font.
func NewGenerator() (*Generator, error) {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("parse Go Regular: %w", err)
	}
	return &Generator{font: f}, nil
}

// NewFace returns a face for pictures of a size. One goroutine at a time may
// use it.
func (g *Generator) NewFace(size uint16) font.Face {
	// The error is there for what may come: no option makes one.
	face, _ := opentype.NewFace(g.font, &opentype.FaceOptions{Size: float64(size) / 2, DPI: 72, Hinting: font.HintingNone})
	return face
}

// Start returns where the first letter of a text stands so that the text is in
// the middle.
func Start(face font.Face, text string, size uint16) fixed.Point26_6 {
	whole := fixed.I(int(size))
	return fixed.Point26_6{
		X: (whole - font.MeasureString(face, text)) / 2,
		Y: (whole + face.Metrics().CapHeight) / 2,
	}
}

// Draw draws a picture.
func (g *Generator) Draw(p Picture) *image.RGBA {
	face := g.NewFace(p.Size)
	img := image.NewRGBA(image.Rect(0, 0, int(p.Size), int(p.Size)))
	draw.Draw(img, img.Bounds(), image.NewUniform(p.Background()), image.Point{}, draw.Src)
	text := p.Text()
	d := font.Drawer{Dst: img, Src: image.White, Face: face, Dot: Start(face, text, p.Size)}
	d.DrawString(text)
	return img
}
