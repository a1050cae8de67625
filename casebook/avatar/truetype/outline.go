package truetype

import "fmt"

const (
	maxPoints = 4096
	maxDepth  = 4
)

// point is one of an outline, in units, with y upwards.
type point struct {
	x, y int
	on   bool // on the curve; else it controls one
	last bool // of its contour
}

// outline returns the points of a glyph.
func (f *Font) outline(glyph int) ([]point, error) {
	return f.appendOutline(nil, glyph, 0)
}

func (f *Font) appendOutline(points []point, glyph, depth int) ([]point, error) {
	d, err := f.data(glyph)
	if err != nil || len(d) == 0 {
		return points, err
	}
	contours, ok := d.u16(0)
	if !ok || len(d) < 10 {
		return nil, fmt.Errorf("read glyph %d: it has %d bytes", glyph, len(d))
	}
	if int16(contours) < 0 {
		return f.appendParts(points, glyph, d[10:], depth)
	}
	points, ok = appendSimple(points, d[10:], int(contours))
	if !ok {
		return nil, fmt.Errorf("read glyph %d: it ends within its outline, or has more than %d points", glyph, maxPoints)
	}
	return points, nil
}

// Flags of a point.
const (
	onCurve = 1 << iota
	shortX  // its difference in x is a byte
	shortY
	repeats // a byte follows: for how many more points the flags stand
	sameX   // where shortX is set: the byte is positive; else: there is none
	sameY
)

// appendSimple appends an outline that is described by its points: the last
// point of each contour, hinting, flags, and the differences in x and in y.
func appendSimple(points []point, d table, contours int) (_ []point, ok bool) {
	if contours == 0 {
		return points, true
	}
	last, ok := d.u16(2 * (contours - 1))
	hinting, ok2 := d.u16(2 * contours)
	n, first := int(last)+1, len(points)
	at := 2*contours + 2 + int(hinting)
	if !ok || !ok2 || first+n > maxPoints || at > len(d) {
		return nil, false
	}
	flags := make([]byte, 0, n)
	for len(flags) < n {
		if at >= len(d) {
			return nil, false
		}
		flag, times := d[at], 1
		at++
		if flag&repeats != 0 {
			if at >= len(d) {
				return nil, false
			}
			times += int(d[at])
			at++
		}
		for range min(times, n-len(flags)) {
			flags = append(flags, flag)
		}
	}
	for _, flag := range flags {
		points = append(points, point{on: flag&onCurve != 0})
	}
	own := points[first:]
	// difference reads one of a point and moves on.
	difference := func(flag, short, same byte) (v int, ok bool) {
		switch {
		case flag&short != 0:
			if at >= len(d) {
				return 0, false
			}
			if v = int(d[at]); flag&same == 0 {
				v = -v
			}
			at++
		case flag&same == 0:
			u, ok := d.u16(at)
			if !ok {
				return 0, false
			}
			v = int(int16(u))
			at += 2
		}
		return v, true
	}
	x, y := 0, 0
	for i, flag := range flags {
		v, ok := difference(flag, shortX, sameX)
		if !ok {
			return nil, false
		}
		x += v
		own[i].x = x
	}
	for i, flag := range flags {
		v, ok := difference(flag, shortY, sameY)
		if !ok {
			return nil, false
		}
		y += v
		own[i].y = y
	}
	for i := range contours {
		end, _ := d.u16(2 * i)
		if int(end) >= n {
			return nil, false
		}
		own[end].last = true
	}
	return points, true
}

// Flags of a component.
const (
	wideOffsets = 0x0001
	areOffsets  = 0x0002 // else they are numbers of points
	hasScale    = 0x0008
	moreFollow  = 0x0020
	hasScales   = 0x0040 // one for x, one for y
	hasMatrix   = 0x0080
)

// appendParts appends an outline that is composed of others, which are moved
// and scaled.
func (f *Font) appendParts(points []point, glyph int, d table, depth int) ([]point, error) {
	if depth == maxDepth {
		return nil, fmt.Errorf("read glyph %d: its components are nested more than %d deep", glyph, maxDepth)
	}
	for at := 0; ; {
		flags, ok := d.u16(at)
		part, ok2 := d.u16(at + 2)
		dx, dy, size, ok3 := offsets(d, at+4, flags)
		at += 4 + size
		// 2.14 fixed point: x' = xx x + yx y, y' = xy x + yy y.
		xx, xy, yx, yy, size, ok4 := matrix(d, at, flags)
		at += size
		if !ok || !ok2 || !ok3 || !ok4 {
			return nil, fmt.Errorf("read glyph %d: a component ends too early, or is attached by points", glyph)
		}
		first := len(points)
		var err error
		if points, err = f.appendOutline(points, int(part), depth+1); err != nil {
			return nil, fmt.Errorf("glyph %d: %w", glyph, err)
		}
		for i := range points[first:] {
			p := &points[first+i]
			p.x, p.y = (p.x*xx+p.y*yx)>>14+dx, (p.x*xy+p.y*yy)>>14+dy
		}
		if flags&moreFollow == 0 {
			return points, nil
		}
	}
}

func offsets(d table, at int, flags uint16) (dx, dy, size int, ok bool) {
	if flags&areOffsets == 0 {
		return 0, 0, 0, false
	}
	a, ok := d.u16(at)
	if flags&wideOffsets == 0 {
		return int(int8(a >> 8)), int(int8(a)), 2, ok
	}
	b, ok2 := d.u16(at + 2)
	return int(int16(a)), int(int16(b)), 4, ok && ok2
}

func matrix(d table, at int, flags uint16) (xx, xy, yx, yy, size int, ok bool) {
	const one = 1 << 14
	n := 0
	switch {
	case flags&hasScale != 0:
		n = 1
	case flags&hasScales != 0:
		n = 2
	case flags&hasMatrix != 0:
		n = 4
	}
	var v [4]int
	for i := range n {
		u, ok := d.u16(at + 2*i)
		if !ok {
			return 0, 0, 0, 0, 0, false
		}
		v[i] = int(int16(u))
	}
	switch n {
	case 1:
		return v[0], 0, 0, v[0], 2, true
	case 2:
		return v[0], 0, 0, v[1], 4, true
	case 4:
		return v[0], v[1], v[2], v[3], 8, true
	}
	return one, 0, 0, one, 0, true
}
