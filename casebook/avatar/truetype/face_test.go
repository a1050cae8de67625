package truetype

import (
	"slices"
	"testing"

	"golang.org/x/image/math/fixed"
)

// Contours may begin beside the curve, and end there.
func TestContour(t *testing.T) {
	at := func(x, y int) fixed.Point26_6 { return fixed.Point26_6{X: fixed.Int26_6(x), Y: fixed.Int26_6(-y)} }
	on := func(x, y int) point { return point{x: x, y: y, on: true} }
	off := func(x, y int) point { return point{x: x, y: y} }
	for _, tt := range []struct {
		what   string
		points []point
		want   []segment
	}{
		{"lines", []point{on(0, 0), on(0, 20), on(20, 0)}, []segment{
			{moveTo, at(0, 0), at(0, 0)}, {lineTo, at(0, 0), at(0, 0)}, {lineTo, at(0, 20), at(0, 20)}, {lineTo, at(20, 0), at(20, 0)}, {lineTo, at(0, 0), at(0, 0)}}},
		{"a curve between lines", []point{on(0, 0), off(0, 20), on(20, 20)}, []segment{
			{moveTo, at(0, 0), at(0, 0)}, {lineTo, at(0, 0), at(0, 0)}, {curveTo, at(0, 20), at(20, 20)}, {lineTo, at(0, 0), at(0, 0)}}},
		{"a curve to the start", []point{on(0, 0), on(20, 20), off(20, 0)}, []segment{
			{moveTo, at(0, 0), at(0, 0)}, {lineTo, at(0, 0), at(0, 0)}, {lineTo, at(20, 20), at(20, 20)}, {curveTo, at(20, 0), at(0, 0)}, {lineTo, at(0, 0), at(0, 0)}}},
		{"control points alone", []point{off(0, 0), off(0, 20), off(20, 20), off(20, 0)}, []segment{
			{moveTo, at(10, 0), at(10, 0)}, {curveTo, at(0, 0), at(0, 10)}, {curveTo, at(0, 20), at(10, 20)}, {curveTo, at(20, 20), at(20, 10)}, {curveTo, at(20, 0), at(10, 0)}, {lineTo, at(10, 0), at(10, 0)}}},
		{"the last on the curve", []point{off(0, 0), off(0, 20), on(20, 20)}, []segment{
			{moveTo, at(20, 20), at(20, 20)}, {curveTo, at(0, 0), at(0, 10)}, {curveTo, at(0, 20), at(20, 20)}, {lineTo, at(20, 20), at(20, 20)}}},
	} {
		face := NewFace(&Font{unitsPerEm: 64}, 64) // a unit is a 64th of a pixel
		if face.addContour(tt.points); !slices.Equal(face.segments, tt.want) {
			t.Errorf("%s:\n%v, want\n%v", tt.what, face.segments, tt.want)
		}
	}
}
