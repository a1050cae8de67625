package best

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"golang.org/x/image/font"

	"whet/casebook/avatar"
)

// painter draws and encodes pictures, one at a time, in memory it keeps: a byte
// a pixel of the largest picture so far, and what the encoder and the font's
// rasterizer keep.
type painter struct {
	generator *avatar.Generator
	shades    [avatar.Colours]color.Palette // made when first needed
	face      font.Face                     // of the size drawn last
	size      uint16
	pix       []byte
	encoder   png.Encoder
	out       bytes.Buffer
}

func newPainter(g *avatar.Generator) *painter {
	return &painter{generator: g, encoder: png.Encoder{BufferPool: new(encoderBuffer)}}
}

// encoderBuffer is the encoder's memory, of which one painter needs one.
type encoderBuffer struct{ free *png.EncoderBuffer }

func (b *encoderBuffer) Get() *png.EncoderBuffer {
	free := b.free
	b.free = nil
	return free
}

func (b *encoderBuffer) Put(free *png.EncoderBuffer) { b.free = free }

// paint makes the PNG of a picture, in memory of its own.
func (p *painter) paint(ctx context.Context, picture avatar.Picture) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img := p.draw(picture)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.out.Reset()
	if err := p.encoder.Encode(&p.out, img); err != nil {
		return nil, fmt.Errorf("encode a picture: %w", err)
	}
	return bytes.Clone(p.out.Bytes()), nil
}

// draw draws a picture with a palette, or, where its letters overlap, as the
// generator does.
func (p *painter) draw(picture avatar.Picture) image.Image {
	if p.face == nil || p.size != picture.Size {
		p.face, p.size = p.generator.NewFace(picture.Size), picture.Size
	}
	n := int(picture.Size)
	if cap(p.pix) < n*n {
		p.pix = make([]byte, n*n)
	}
	p.pix = p.pix[:n*n]
	clear(p.pix)
	img := &image.Paletted{Pix: p.pix, Stride: n, Rect: image.Rect(0, 0, n, n), Palette: p.palette(picture)}

	// font.Drawer's loop, for two letters.
	text := picture.Text()
	dot := avatar.Start(p.face, text, picture.Size)
	previous := rune(-1)
	for _, letter := range text {
		if previous >= 0 {
			dot.X += p.face.Kern(previous, letter)
		}
		at, mask, from, advance, _ := p.face.Glyph(dot, letter)
		alpha, ok := mask.(*image.Alpha)
		if !at.Empty() && (!ok || !cover(img, at, alpha, from)) {
			return p.generator.Draw(picture)
		}
		dot.X += advance
		previous = letter
	}
	return img
}

// cover puts a letter's coverage on a picture whose colours' numbers are
// coverages. It reports false where another letter is in the way.
func cover(img *image.Paletted, at image.Rectangle, mask *image.Alpha, from image.Point) bool {
	inside := at.Intersect(img.Rect)
	from = from.Add(inside.Min.Sub(at.Min))
	for y := range inside.Dy() {
		to := img.Pix[img.PixOffset(inside.Min.X, inside.Min.Y+y):][:inside.Dx()]
		coverage := mask.Pix[mask.PixOffset(from.X, from.Y+y):][:inside.Dx()]
		for x, c := range coverage {
			if c == 0 {
				continue
			}
			if to[x] != 0 {
				return false
			}
			to[x] = c
		}
	}
	return true
}

// palette returns the colours that each coverage of white letters gives on a
// background, as package draw works them out.
func (p *painter) palette(picture avatar.Picture) color.Palette {
	shades := &p.shades[int(picture.Colour)%avatar.Colours]
	if *shades != nil {
		return *shades
	}
	strip := image.NewRGBA(image.Rect(0, 0, 256, 1))
	draw.Draw(strip, strip.Rect, image.NewUniform(picture.Background()), image.Point{}, draw.Src)
	mask := image.NewAlpha(strip.Rect)
	for i := range mask.Pix {
		mask.Pix[i] = uint8(i)
	}
	draw.DrawMask(strip, strip.Rect, image.White, image.Point{}, mask, image.Point{}, draw.Over)
	for i := range 256 {
		*shades = append(*shades, strip.RGBAAt(i, 0))
	}
	return *shades
}
