// Package truetype reads the letters of Go Regular, and draws them as a
// golang.org/x/image/font.Face for the case's generator.
//
// It is the part of TrueType that the fonts of golang.org/x/image/font/gofont
// need: the table directory, characters by a cmap of format 4, advances,
// outlines of lines and quadratic curves, and outlines composed of others. It
// knows no hinting, no kerning and no other kind of font, as the pictures of
// the case need none; golang.org/x/image/font/opentype does, and brings
// golang.org/x/text along. The format is Apple's and Microsoft's, as described
// in the OpenType specification, chapters head, hhea, hmtx, maxp, cmap, loca,
// glyf and OS/2.
//
// Whatever a font claims, reading stays inside its bytes: what points outside
// is an error. An outline holds at most [maxPoints] points, in components that
// are nested at most [maxDepth] deep.
package truetype
