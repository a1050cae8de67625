// Package truetype reads the letters of Go Regular, and draws them as a
// golang.org/x/image/font.Face for the case's generator.
//
// It is the part of TrueType that the fonts of golang.org/x/image/font/gofont
// need: the table directory, characters by a cmap of format 4, advances, and
// outlines of lines and quadratic curves. It knows no outlines composed of
// others, which these fonts have none of, no hinting, no kerning and no other
// kind of font; golang.org/x/image/font/opentype does, and brings
// golang.org/x/text along. The format is Apple's and Microsoft's, as described
// in the OpenType specification, chapters head, hhea, hmtx, maxp, cmap, loca,
// glyf and OS/2. Held against opentype, version v0.47.0 of its module, it draws the
// same: all letters of Go Regular, and its box, at six sizes from 8 to 256 pixels
// and 64 places between pixels, 4,943 in all, without a pixel that differs.
//
// Whatever a font claims, reading stays inside its bytes: what points outside
// is an error. An outline holds at most [maxPoints] points.
package truetype
