package truetype

import "fmt"

const maxPoints = 4096

// point is one of an outline, in units, with y upwards.
type point struct {
	x, y int
	on   bool // on the curve; else it controls one
	last bool // of its contour
}

// outline returns the points of a glyph.
func (f *Font) outline(glyph int) ([]point, error) {
	d, err := f.data(glyph)
	if err != nil || len(d) == 0 {
		return nil, err
	}
	contours, ok := d.u16(0)
	switch {
	case !ok || len(d) < 10:
		return nil, fmt.Errorf("read glyph %d: it has %d bytes", glyph, len(d))
	case int16(contours) < 0:
		return nil, fmt.Errorf("read glyph %d: it is composed of others, which no glyph of Go Regular is", glyph)
	}
	points, ok := readPoints(d[10:], int(contours))
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

// readPoints reads an outline: the number of the last point of each contour,
// hinting, the points' flags, and their differences in x and in y.
func readPoints(d table, contours int) (points []point, ok bool) {
	if contours == 0 {
		return nil, true
	}
	last, ok := d.u16(2 * (contours - 1))
	hinting, ok2 := d.u16(2 * contours)
	n := int(last) + 1
	at := 2*contours + 2 + int(hinting)
	if !ok || !ok2 || n > maxPoints || at > len(d) {
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
	points = make([]point, n)
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
		points[i].x, points[i].on = x, flag&onCurve != 0
	}
	for i, flag := range flags {
		v, ok := difference(flag, shortY, sameY)
		if !ok {
			return nil, false
		}
		y += v
		points[i].y = y
	}
	for i := range contours {
		end, _ := d.u16(2 * i)
		if int(end) >= n {
			return nil, false
		}
		points[end].last = true
	}
	return points, true
}
