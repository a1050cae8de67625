package best

import (
	"context"
	"image"
	"testing"

	"whet/casebook/avatar"
)

// What a painter draws is what the generator draws, pixel by pixel, whatever it
// drew before, with a palette and where letters overlap without.
func TestPainter(t *testing.T) {
	generator, err := avatar.NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	p := newPainter(generator)
	kinds := map[bool]int{}
	colour := uint16(0)
	for _, size := range []uint16{40, 16, 17, 64, 41} {
		for _, initials := range [][2]rune{{'A'}, {'W', 'W'}, {'A', 'V'}, {'L', 'T'}, {'Ǆ', 'Ǆ'}, {'Ĳ', 'M'}, {'f', 'f'}, {'Ж', 'Я'}, {'山', 'I'}, {'1', '7'}, {'Ĵ', 'Ĵ'}} {
			picture := avatar.Picture{Initials: initials, Size: size, Colour: colour}
			colour = (colour + 1) % uint16(avatar.Colours)
			got, want := p.draw(picture), generator.Draw(picture)
			_, paletted := got.(*image.Paletted)
			kinds[paletted]++
			for i := range int(size) * int(size) {
				x, y := i%int(size), i/int(size)
				if g, w := got.At(x, y), want.RGBAAt(x, y); g != w {
					t.Fatalf("%q at %d pixels: pixel %d, %d is %v, want %v", picture.Text(), size, x, y, g, w)
				}
			}
		}
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("%d pictures have a palette, %d do not: the other kind is not tested", kinds[true], kinds[false])
	}
}

// What a painter has made stays as it is when it paints again.
func TestPaintedIsKept(t *testing.T) {
	generator, err := avatar.NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	p := newPainter(generator)
	picture := avatar.Picture{Initials: [2]rune{'A', 'B'}, Size: 32}
	first, err := p.paint(context.Background(), picture)
	if err != nil {
		t.Fatal(err)
	}
	before := string(first)
	picture.Initials = [2]rune{'X', 'Y'}
	if _, err := p.paint(context.Background(), picture); err != nil {
		t.Fatal(err)
	}
	if string(first) != before {
		t.Error("a later picture changed an earlier one")
	}
}
