package truetype

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Font is a font that has been parsed. It is safe for concurrent use.
type Font struct {
	unitsPerEm int
	glyphs     int
	longLoca   bool // offsets of glyphs are 32 bits wide
	advances   int  // how many glyphs have an advance; the rest has the last one's
	capHeight  int  // in units, as ascent and descent
	ascent     int
	descent    int // positive below the baseline

	cmap, loca, glyf, hmtx table // cmap is the subtable of format 4
}

// table is a part of a font. Reading outside of it gives 0, false.
type table []byte

func (t table) u16(at int) (uint16, bool) {
	if at < 0 || at > len(t)-2 {
		return 0, false
	}
	return binary.BigEndian.Uint16(t[at:]), true
}

func (t table) u32(at int) (uint32, bool) {
	if at < 0 || at > len(t)-4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(t[at:]), true
}

// part is the n bytes at an offset.
func (t table) part(at, n uint32) (table, bool) {
	if uint64(at)+uint64(n) > uint64(len(t)) {
		return nil, false
	}
	return t[at : at+n], true
}

// field is a number of a font's header.
type field struct {
	table  string
	offset int
	signed bool
	to     *int
}

// Parse reads the tables of a font. The font uses data from then on.
func Parse(data []byte) (*Font, error) {
	tables, err := directory(data)
	if err != nil {
		return nil, err
	}
	f := &Font{loca: tables["loca"], glyf: tables["glyf"], hmtx: tables["hmtx"]}
	var format int
	for _, x := range []field{
		{"head", 18, false, &f.unitsPerEm},
		{"head", 50, false, &format},
		{"maxp", 4, false, &f.glyphs},
		{"hhea", 4, true, &f.ascent},
		{"hhea", 6, true, &f.descent},
		{"hhea", 34, false, &f.advances},
		{"OS/2", 88, true, &f.capHeight},
	} {
		v, ok := tables[x.table].u16(x.offset)
		if !ok {
			return nil, fmt.Errorf("parse font: table %s is missing or has less than %d bytes", x.table, x.offset+2)
		}
		if *x.to = int(v); x.signed {
			*x.to = int(int16(v))
		}
	}
	f.longLoca, f.descent = format != 0, -f.descent
	entry := 2
	if f.longLoca {
		entry = 4
	}
	switch {
	case f.unitsPerEm < 16 || f.unitsPerEm > 16384:
		return nil, fmt.Errorf("parse font: %d units an em: want 16 to 16384", f.unitsPerEm)
	case f.glyphs == 0:
		return nil, errors.New("parse font: it has no glyphs")
	case len(f.loca) < entry*(f.glyphs+1):
		return nil, fmt.Errorf("parse font: table loca has %d bytes: too few for %d glyphs", len(f.loca), f.glyphs)
	case f.advances == 0 || f.advances > f.glyphs || len(f.hmtx) < 4*f.advances:
		return nil, fmt.Errorf("parse font: table hmtx has %d bytes: want %d advances of %d glyphs", len(f.hmtx), f.advances, f.glyphs)
	}
	if f.cmap, err = characters(tables["cmap"]); err != nil {
		return nil, err
	}
	return f, nil
}

// directory finds the tables.
func directory(data []byte) (map[string]table, error) {
	whole := table(data)
	if kind, ok := whole.u32(0); !ok || kind != 0x00010000 {
		return nil, errors.New("parse font: it does not begin as a TrueType font")
	}
	n, _ := whole.u16(4)
	tables := make(map[string]table, n)
	for i := range int(n) {
		at := 12 + 16*i
		offset, ok := whole.u32(at + 8)
		length, ok2 := whole.u32(at + 12)
		if !ok || !ok2 {
			return nil, fmt.Errorf("parse font: its directory ends before table %d of %d", i+1, n)
		}
		name := string(whole[at : at+4])
		if tables[name], ok = whole.part(offset, length); !ok {
			return nil, fmt.Errorf("parse font: table %q lies outside of it", name)
		}
	}
	return tables, nil
}

// characters finds the subtable that maps Unicode's first 65,536 characters.
func characters(cmap table) (table, error) {
	n, _ := cmap.u16(2)
	for i := range int(n) {
		platform, _ := cmap.u16(4 + 8*i)
		encoding, _ := cmap.u16(6 + 8*i)
		offset, ok := cmap.u32(8 + 8*i)
		if !ok || platform != 3 || encoding != 1 || uint64(offset) > uint64(len(cmap)) {
			continue
		}
		sub := cmap[offset:]
		format, _ := sub.u16(0)
		length, _ := sub.u16(2)
		if sub, ok = sub.part(0, uint32(length)); ok && format == 4 && length >= 16 {
			return sub, nil
		}
	}
	return nil, errors.New("parse font: table cmap has no Unicode characters in format 4")
}

// glyph returns the number of a character's glyph, 0 for one that the font
// lacks.
func (f *Font) glyph(r rune) int {
	if r < 0 || r > 0xffff {
		return 0
	}
	// Four arrays with an entry for each segment of characters: their ends, with
	// 16 bits behind them, their starts, what is added to a character, and where
	// the glyphs of the segment are listed, from that entry on.
	twice, _ := f.cmap.u16(6)
	n := int(twice) / 2
	ends, starts, deltas, lists := 14, 16+2*n, 16+4*n, 16+6*n
	low, high := 0, n
	for low < high {
		i := (low + high) / 2
		if end, _ := f.cmap.u16(ends + 2*i); rune(end) < r {
			low = i + 1
		} else {
			high = i
		}
	}
	start, ok := f.cmap.u16(starts + 2*low)
	if low == n || !ok || r < rune(start) {
		return 0
	}
	delta, _ := f.cmap.u16(deltas + 2*low)
	list, ok := f.cmap.u16(lists + 2*low)
	if !ok {
		return 0
	}
	glyph := uint16(r)
	if list != 0 {
		if glyph, ok = f.cmap.u16(lists + 2*low + int(list) + 2*int(r-rune(start))); !ok || glyph == 0 {
			return 0
		}
	}
	if glyph += delta; int(glyph) >= f.glyphs {
		return 0
	}
	return int(glyph)
}

// advance returns how far a glyph takes the pen, in units.
func (f *Font) advance(glyph int) int {
	v, _ := f.hmtx.u16(4 * min(glyph, f.advances-1)) // Parse has looked at the length
	return int(v)
}

// data returns the description of a glyph; an empty one has no outline.
func (f *Font) data(glyph int) (table, error) {
	if glyph < 0 || glyph >= f.glyphs {
		return nil, fmt.Errorf("read glyph %d: the font has %d", glyph, f.glyphs)
	}
	var from, to uint32
	if f.longLoca {
		from, _ = f.loca.u32(4 * glyph)
		to, _ = f.loca.u32(4*glyph + 4)
	} else {
		a, _ := f.loca.u16(2 * glyph)
		b, _ := f.loca.u16(2*glyph + 2)
		from, to = 2*uint32(a), 2*uint32(b)
	}
	if from > to {
		return nil, fmt.Errorf("read glyph %d: it ends before it begins", glyph)
	}
	d, ok := f.glyf.part(from, to-from)
	if !ok {
		return nil, fmt.Errorf("read glyph %d: it lies outside of table glyf", glyph)
	}
	return d, nil
}
