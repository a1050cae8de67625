package truetype

import (
	"image"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Face draws letters of one size. As of other faces, one goroutine at a time
// may use it: its mask holds the letter drawn last.
type Face struct {
	font     *Font
	size     fixed.Int26_6 // of an em, in pixels
	raster   vector.Rasterizer
	mask     image.Alpha
	segments []segment
}

var _ font.Face = (*Face)(nil)

// NewFace returns a face whose em is size pixels.
func NewFace(f *Font, size fixed.Int26_6) *Face { return &Face{font: f, size: size} }

// Close does nothing.
func (f *Face) Close() error { return nil }

// Kern returns 0.
func (f *Face) Kern(r0, r1 rune) fixed.Int26_6 { return 0 }

// Metrics returns the face's heights; there is no XHeight.
func (f *Face) Metrics() font.Metrics {
	ascent, descent := f.scale(f.font.ascent), f.scale(f.font.descent)
	return font.Metrics{Height: ascent + descent, Ascent: ascent, Descent: descent, CapHeight: f.scale(f.font.capHeight)}
}

// scale turns units into pixels, to the nearest 64th.
func (f *Face) scale(units int) fixed.Int26_6 {
	v, em := units*int(f.size), f.font.unitsPerEm
	if v < 0 {
		return fixed.Int26_6((v - em/2) / em)
	}
	return fixed.Int26_6((v + em/2) / em)
}

// GlyphAdvance returns how far a letter takes the pen; ok is false for one that
// the font lacks, which has the advance of the font's box.
func (f *Face) GlyphAdvance(r rune) (advance fixed.Int26_6, ok bool) {
	glyph := f.font.glyph(r)
	return f.scale(f.font.advance(glyph)), glyph != 0
}

// GlyphBounds returns the smallest rectangle that holds a letter's points, those
// that control its curves among them.
func (f *Face) GlyphBounds(r rune) (bounds fixed.Rectangle26_6, advance fixed.Int26_6, ok bool) {
	glyph := f.font.glyph(r)
	bounds, err := f.load(glyph)
	return bounds, f.scale(f.font.advance(glyph)), err == nil && glyph != 0
}

// segment is a line to a point, or a curve to it, or the begin of a contour.
type segment struct {
	kind        segmentKind
	control, to fixed.Point26_6
}

type segmentKind int

const (
	moveTo segmentKind = iota
	lineTo
	curveTo
)

// load reads the segments of a glyph, in pixels from where the pen stands, with
// y downwards.
func (f *Face) load(glyph int) (bounds fixed.Rectangle26_6, err error) {
	f.segments = f.segments[:0]
	points, err := f.font.outline(glyph)
	if err != nil {
		return bounds, err
	}
	for first, i := 0, 0; i < len(points); i++ {
		if points[i].last {
			f.addContour(points[first : i+1])
			first = i + 1
		}
	}
	if len(f.segments) == 0 {
		return bounds, nil
	}
	bounds.Min, bounds.Max = f.segments[0].to, f.segments[0].to
	for _, s := range f.segments {
		bounds.Min.X, bounds.Max.X = min(bounds.Min.X, s.control.X, s.to.X), max(bounds.Max.X, s.control.X, s.to.X)
		bounds.Min.Y, bounds.Max.Y = min(bounds.Min.Y, s.control.Y, s.to.Y), max(bounds.Max.Y, s.control.Y, s.to.Y)
	}
	return bounds, nil
}

// addContour adds one closed contour. Between two points that control curves, a
// point on the curve is left out: the one in their middle.
func (f *Face) addContour(points []point) {
	middle := func(a, b point) point { return point{x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, on: true} }
	n := len(points)
	start := points[0]
	if !start.on {
		if start = points[n-1]; !start.on {
			start = middle(points[0], start)
		}
	}
	f.add(moveTo, start, start)
	for i, p := range points {
		if p.on {
			if i > 0 && !points[i-1].on {
				continue // the curve before ends in it
			}
			f.add(lineTo, p, p)
			continue
		}
		to := start
		if i+1 < n {
			if to = points[i+1]; !to.on {
				to = middle(p, to)
			}
		}
		f.add(curveTo, p, to)
	}
	f.add(lineTo, start, start)
}

func (f *Face) add(kind segmentKind, control, to point) {
	f.segments = append(f.segments, segment{
		kind:    kind,
		control: fixed.Point26_6{X: f.scale(control.x), Y: -f.scale(control.y)},
		to:      fixed.Point26_6{X: f.scale(to.x), Y: -f.scale(to.y)},
	})
}

// Glyph draws a letter for a pen that stands at dot; ok is false for one that
// the font lacks, whose box is drawn. The mask is good until the next call.
func (f *Face) Glyph(dot fixed.Point26_6, r rune) (dr image.Rectangle, mask image.Image, maskp image.Point, advance fixed.Int26_6, ok bool) {
	glyph := f.font.glyph(r)
	bounds, err := f.load(glyph)
	if err != nil {
		return image.Rectangle{}, nil, image.Point{}, 0, false
	}
	bounds = bounds.Add(dot)
	dr = image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil(), bounds.Max.Y.Ceil())
	width, height := dr.Dx(), dr.Dy()
	if n := width * height; cap(f.mask.Pix) < n {
		f.mask.Pix = make([]uint8, n)
	}
	f.mask.Pix, f.mask.Stride, f.mask.Rect = f.mask.Pix[:width*height], width, image.Rect(0, 0, width, height)

	// From the pen to the mask's corner.
	shift := dot.Sub(fixed.P(dr.Min.X, dr.Min.Y))
	at := func(p fixed.Point26_6) (x, y float32) {
		return float32(p.X+shift.X) / 64, float32(p.Y+shift.Y) / 64
	}
	f.raster.Reset(width, height)
	f.raster.DrawOp = draw.Src
	for _, s := range f.segments {
		x, y := at(s.to)
		switch s.kind {
		case moveTo:
			f.raster.MoveTo(x, y)
		case lineTo:
			f.raster.LineTo(x, y)
		case curveTo:
			cx, cy := at(s.control)
			f.raster.QuadTo(cx, cy, x, y)
		}
	}
	f.raster.Draw(&f.mask, f.mask.Rect, image.Opaque, image.Point{})
	return dr, &f.mask, image.Point{}, f.scale(f.font.advance(glyph)), glyph != 0
}
