package truetype

import (
	"encoding/binary"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/math/fixed"
)

func regular(t testing.TB) *Font {
	t.Helper()
	f, err := Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What Go Regular says of itself: 2,048 units an em, and capitals 1,480 high.
// Letters of known shape are as high as that.
func TestGoRegular(t *testing.T) {
	f := regular(t)
	if f.unitsPerEm != 2048 || f.capHeight != 1480 || f.ascent <= f.capHeight || f.descent <= 0 || f.glyphs < 600 {
		t.Errorf("font is %+v", *f)
	}
	for _, r := range "HIETLНПΓ" {
		low, high := extent(t, f, f.glyph(r))
		if low != 0 || high != 1480 {
			t.Errorf("%c reaches from %d to %d units, want 0 to 1480", r, low, high)
		}
	}
	if low, _ := extent(t, f, f.glyph('Q')); low >= 0 {
		t.Errorf("the tail of Q ends at %d", low)
	}
}

func extent(t *testing.T, f *Font, glyph int) (low, high int) {
	t.Helper()
	points, err := f.outline(glyph)
	if err != nil || len(points) == 0 {
		t.Fatalf("glyph %d has %d points, %v", glyph, len(points), err)
	}
	low, high = points[0].y, points[0].y
	for _, p := range points {
		low, high = min(low, p.y), max(high, p.y)
	}
	return low, high
}

// The fonts of the family have the characters of WGL4, and no others.
func TestCharacters(t *testing.T) {
	f := regular(t)
	for _, r := range "AZaz09éÅŁŐőΩώЯяЁ\u20ac\ufb01" {
		if f.glyph(r) == 0 {
			t.Errorf("%c has no glyph", r)
		}
	}
	for _, r := range []rune{-1, 0x5c71, 0x10ffff, 0x1f600, 0xffff, 0xd800, 'A' + 0x10000} {
		if n := f.glyph(r); n != 0 {
			t.Errorf("%U has glyph %d", r, n)
		}
	}
	seen := map[int]bool{}
	for r := 'A'; r <= 'Z'; r++ {
		seen[f.glyph(r)] = true
	}
	if len(seen) != 26 || seen[0] {
		t.Errorf("the capitals have %d glyphs", len(seen))
	}
}

// A mono-spaced font has one advance, and another has more.
func TestAdvances(t *testing.T) {
	mono, err := Parse(gomono.TTF)
	if err != nil {
		t.Fatal(err)
	}
	f := regular(t)
	for _, r := range "iWЖ.é" {
		if a, w := mono.advance(mono.glyph(r)), mono.advance(mono.glyph('M')); a != w || w != 1229 {
			t.Errorf("%c takes %d units in Go Mono, M %d, want 1229", r, a, w)
		}
	}
	if i, m, w := f.advance(f.glyph('I')), f.advance(f.glyph('M')), f.advance(f.glyph('W')); i >= m || m >= w {
		t.Errorf("I, M and W take %d, %d and %d units", i, m, w)
	}
}

// An accented letter is the letter and its accent.
func TestAccents(t *testing.T) {
	f := regular(t)
	for _, pair := range []string{"AÅ", "eé", "ZŽ", "oő", "ИЙ", "UÜ"} {
		plain, accented := []rune(pair)[0], []rune(pair)[1]
		a, err := f.outline(f.glyph(plain))
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.outline(f.glyph(accented))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) <= len(a) {
			t.Errorf("%c has %d points, %c %d", plain, len(a), accented, len(b))
		}
		for _, p := range a {
			if !slices.Contains(b, p) {
				t.Errorf("%v of %c is no point of %c", p, plain, accented)
				break
			}
		}
	}
}

// Every glyph of the font can be read, its contours are closed, and its points
// are where its header says.
func TestEveryGlyph(t *testing.T) {
	f := regular(t)
	drawn := 0
	for glyph := range f.glyphs {
		points, err := f.outline(glyph)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) == 0 {
			continue
		}
		drawn++
		d, err := f.data(glyph)
		if err != nil {
			t.Fatal(err)
		}
		box := func(i int) int {
			v, _ := d.u16(2 + 2*i)
			return int(int16(v))
		}
		low, high := point{x: box(0), y: box(1)}, point{x: box(2), y: box(3)}
		got := [4]int{points[0].x, points[0].y, points[0].x, points[0].y}
		for _, p := range points {
			got = [4]int{min(got[0], p.x), min(got[1], p.y), max(got[2], p.x), max(got[3], p.y)}
		}
		if got != [4]int{low.x, low.y, high.x, high.y} {
			t.Errorf("glyph %d lies in %v, its header says %v to %v", glyph, got, low, high)
		}
		if !points[len(points)-1].last {
			t.Errorf("glyph %d: its last contour does not end", glyph)
		}
	}
	if drawn < 600 {
		t.Errorf("%d of %d glyphs have an outline", drawn, f.glyphs)
	}
}

// The area that a letter covers is the one inside its outline, by Green's
// theorem: half the cross product of the ends for a line, and a third of those
// of either end with the control point, and a sixth of that of the ends, for a
// curve.
func TestCoverage(t *testing.T) {
	f := regular(t)
	for _, r := range "LHITEZOSCGDU836Ж" {
		points, err := f.outline(f.glyph(r))
		if err != nil {
			t.Fatal(err)
		}
		area, curves := 0.0, 0
		for first, i := 0, 0; i < len(points); i++ {
			if points[i].last {
				a, n := areaOf(points[first : i+1])
				area, curves, first = area+a, curves+n, i+1
			}
		}
		if straight := strings.ContainsRune("LHITEZ", r); straight != (curves == 0) {
			t.Errorf("%c has %d curves", r, curves)
		}
		want := math.Abs(area) / 2048 / 2048 * 200 * 200 // in pixels

		_, mask, _, _, ok := NewFace(f, fixed.I(200)).Glyph(fixed.Point26_6{X: 7, Y: 33}, r)
		got := 0.0
		for _, c := range mask.(*image.Alpha).Pix {
			got += float64(c) / 255
		}
		if !ok || got < want*0.995 || got > want*1.005 {
			t.Errorf("%c covers %.1f pixels, its outline encloses %.1f", r, got, want)
		}
	}
}

// areaOf returns the area inside a contour, negative for one that is a hole,
// and how many curves it has.
func areaOf(contour []point) (area float64, curves int) {
	type xy struct{ x, y float64 }
	cross := func(a, b xy) float64 { return a.x*b.y - b.x*a.y }
	// With the points on the curve that are left out, from one on the curve on.
	var all []point
	var at []xy
	for i, p := range contour {
		all, at = append(all, p), append(at, xy{float64(p.x), float64(p.y)})
		if next := contour[(i+1)%len(contour)]; !p.on && !next.on {
			all = append(all, point{on: true})
			at = append(at, xy{float64(p.x+next.x) / 2, float64(p.y+next.y) / 2})
		}
	}
	n := len(all)
	start := slices.IndexFunc(all, func(p point) bool { return p.on })
	for i := start; i < start+n; {
		from, to := at[i%n], at[(i+1)%n]
		if all[(i+1)%n].on {
			area += cross(from, to) / 2
			i++
			continue
		}
		end := at[(i+2)%n]
		area += cross(from, to)/3 + cross(to, end)/3 + cross(from, end)/6
		curves++
		i += 2
	}
	return area, curves
}

func TestFace(t *testing.T) {
	face := NewFace(regular(t), fixed.I(64)) // 32 units a pixel, 1/2 a 64th
	if m := face.Metrics(); m.CapHeight != 1480*2 || m.Height != m.Ascent+m.Descent {
		t.Errorf("metrics are %+v", m)
	}
	a, ok := face.GlyphAdvance('A')
	bounds, a2, ok2 := face.GlyphBounds('A')
	dr, _, _, a3, ok3 := face.Glyph(fixed.P(100, 200), 'A')
	if !ok || !ok2 || !ok3 || a != a2 || a != a3 || a != fixed.Int26_6(2*face.font.advance(face.font.glyph('A'))) {
		t.Errorf("A takes %v, %v, %v", a, a2, a3)
	}
	if want := image.Rect(100+bounds.Min.X.Floor(), 200+bounds.Min.Y.Floor(), 100+bounds.Max.X.Ceil(), 200+bounds.Max.Y.Ceil()); dr != want || bounds.Max.Y != 0 {
		t.Errorf("A lies in %v, want %v", dr, want)
	}
	if dr, _, _, _, ok := face.Glyph(fixed.P(0, 0), ' '); !dr.Empty() || !ok {
		t.Errorf("a blank lies in %v", dr)
	}
	if dr, _, _, _, ok := face.Glyph(fixed.P(0, 0), '山'); dr.Empty() || ok {
		t.Errorf("a letter that the font lacks lies in %v, %v", dr, ok)
	}
	if face.Kern('A', 'V') != 0 || face.Close() != nil {
		t.Error("it kerns, or cannot be closed")
	}
}

// What is no such font is refused with a reason.
func TestBadFont(t *testing.T) {
	good := goregular.TTF
	at := func(table string) int {
		i := strings.Index(string(good[:1024]), table)
		return int(binary.BigEndian.Uint32(good[i+8:]))
	}
	with := func(offset int, values ...byte) []byte {
		data := slices.Clone(good)
		copy(data[offset:], values)
		return data
	}
	for what, data := range map[string][]byte{
		"does not begin as":     nil,
		"does not begin as a":   with(0, 'O', 'T', 'T', 'O'),
		"directory ends before": good[:20],
		"lies outside":          good[:len(good)/2],
		"table \"":              with(12+8, 0xff, 0xff, 0xff, 0xff),
		"0 units an em":         with(at("head")+18, 0, 0),
		"no glyphs":             with(at("maxp")+4, 0, 0),
		"table loca has":        with(at("maxp")+4, 0xff, 0xff),
		"table hmtx has":        with(at("hhea")+34, 0, 0),
		"no Unicode characters": with(at("cmap")+2, 0, 0),
		"table OS/2 is missing": []byte(strings.Replace(string(good), "OS/2", "OS/3", 1)),
	} {
		if _, err := Parse(data); err == nil || !strings.HasPrefix(err.Error(), "parse font: ") || !strings.Contains(err.Error(), what) {
			t.Errorf("want an error with %q, got %v", what, err)
		}
	}
	f := regular(t)
	for _, glyph := range []int{-1, f.glyphs} {
		if _, err := f.outline(glyph); err == nil {
			t.Errorf("there is a glyph %d", glyph)
		}
	}
	composed := &Font{glyphs: 1, loca: table{0, 0, 0, 5}, glyf: table{0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}}
	if _, err := composed.outline(0); err == nil || !strings.Contains(err.Error(), "composed of others") {
		t.Errorf("a glyph that is composed of others: %v", err)
	}
}

// FuzzOutline: whatever a glyph's description holds, its outline has closed
// contours and a bounded number of points, and a description that was read is
// read the same when more bytes follow.
func FuzzOutline(f *testing.F) {
	font := regular(f)
	for _, r := range "OIB8é" {
		d, err := font.data(font.glyph(r))
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(d))
	}
	f.Add([]byte{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0})
	f.Add([]byte{0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 2, 0, 0, 0x39, 5})
	f.Fuzz(func(t *testing.T, d []byte) {
		one := func(d []byte) *Font {
			loca := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 0}, uint32(len(d)))
			return &Font{unitsPerEm: 2048, glyphs: 1, longLoca: true, loca: loca, glyf: d}
		}
		points, err := one(d).outline(0)
		if err != nil {
			return
		}
		if len(points) > maxPoints {
			t.Errorf("%d points", len(points))
		}
		again, err := one(append(slices.Clone(d), 1, 2, 3)).outline(0)
		if len(d) > 0 && (err != nil || !slices.Equal(again, points)) {
			t.Errorf("with three bytes more it has %d points and not %d, %v", len(again), len(points), err)
		}
	})
}
