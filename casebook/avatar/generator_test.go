package avatar

import (
	"image"
	"image/color"
	"testing"
)

func drawn(t *testing.T, initials string, size uint16) *image.RGBA {
	t.Helper()
	g, err := NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	p := Picture{Size: size, Colour: 6}
	copy(p.Initials[:], []rune(initials))
	if p.Text() != initials {
		t.Fatalf("text of %q is %q", initials, p.Text())
	}
	return g.Draw(p)
}

// ink returns the smallest rectangle that holds all that is not background.
func ink(img *image.RGBA) (r image.Rectangle) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.RGBAAt(x, y) != palette[6] {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// Each colour of a picture lies between the background and white, all of it
// covered.
func TestShades(t *testing.T) {
	img := drawn(t, "Wg", 64)
	white := 0
	for y := range 64 {
		for x := range 64 {
			c := img.RGBAAt(x, y)
			if c.A != 255 || c.R < palette[6].R || c.G < palette[6].G || c.B < palette[6].B {
				t.Fatalf("pixel %d, %d is %v on %v", x, y, c, palette[6])
			}
			if c == (color.RGBA{255, 255, 255, 255}) {
				white++
			}
		}
	}
	if white == 0 {
		t.Error("no pixel is white")
	}
}

// The letters are the ones asked for: where they have ink and where not.
func TestLetters(t *testing.T) {
	white := color.RGBA{255, 255, 255, 255}
	for _, tt := range []struct {
		letter          string
		inked, notInked [][2]float64 // from the left and the top of the letter's ink
	}{
		{"I", [][2]float64{{.5, .5}, {.5, .1}, {.5, .9}}, nil},
		{"O", [][2]float64{{.5, .05}, {.5, .95}, {.06, .5}, {.94, .5}}, [][2]float64{{.5, .5}, {.02, .02}, {.98, .98}}},
		{"L", [][2]float64{{.08, .1}, {.08, .9}, {.8, .95}}, [][2]float64{{.8, .1}, {.8, .5}}},
		{"T", [][2]float64{{.5, .5}, {.1, .05}, {.9, .05}, {.5, .9}}, [][2]float64{{.1, .5}, {.9, .9}}},
		{"H", [][2]float64{{.06, .1}, {.94, .1}, {.06, .9}, {.94, .9}, {.5, .47}}, [][2]float64{{.5, .1}, {.5, .9}}},
		{"7", [][2]float64{{.5, .05}}, [][2]float64{{.05, .6}, {.95, .9}}},
		{"Л", [][2]float64{{.94, .5}, {.5, .05}}, [][2]float64{{.5, .9}}},
		{"Γ", [][2]float64{{.08, .5}, {.8, .05}}, [][2]float64{{.8, .9}}},
	} {
		img := drawn(t, tt.letter, 256)
		r := ink(img)
		at := func(p [2]float64) color.RGBA {
			return img.RGBAAt(r.Min.X+int(p[0]*float64(r.Dx())), r.Min.Y+int(p[1]*float64(r.Dy())))
		}
		for _, p := range tt.inked {
			if c := at(p); c != white {
				t.Errorf("%s at %v is %v, want white", tt.letter, p, c)
			}
		}
		for _, p := range tt.notInked {
			if c := at(p); c != palette[6] {
				t.Errorf("%s at %v is %v, want background", tt.letter, p, c)
			}
		}
	}
}

// The letters are in the middle and half as high as the picture: capitals fill
// the height of capitals, which in Go Regular is 1,480 of 2,048 units.
func TestCentred(t *testing.T) {
	for _, initials := range []string{"H", "HH", "I", "XX", "HI", "ЖЖ"} {
		for _, size := range []uint16{16, 33, 128, 512} {
			r := ink(drawn(t, initials, size))
			n := int(size)
			if high := float64(size) / 2 * 1480 / 2048; float64(r.Dy()) < high-2 || float64(r.Dy()) > high+2 {
				t.Errorf("%s at %d pixels is %d high, want %.1f", initials, size, r.Dy(), high)
			}
			// Space beside a letter's ink counts as the letter's, and is not the
			// same on both sides.
			if d := r.Min.X - (n - r.Max.X); d < -2-n/25 || d > 2+n/25 {
				t.Errorf("%s at %d pixels is %d from the left and %d from the right", initials, size, r.Min.X, n-r.Max.X)
			}
			if d := r.Min.Y - (n - r.Max.Y); d < -2 || d > 2 {
				t.Errorf("%s at %d pixels is %d from the top and %d from the bottom", initials, size, r.Min.Y, n-r.Max.Y)
			}
		}
	}
}

// Two letters stand in their order and apart.
func TestTwoLetters(t *testing.T) {
	a, b := drawn(t, "IL", 128), drawn(t, "LI", 128)
	if string(a.Pix) == string(b.Pix) {
		t.Error("IL and LI are one picture")
	}
	r := ink(drawn(t, "II", 128))
	if c := drawn(t, "II", 128).RGBAAt((r.Min.X+r.Max.X)/2, 64); c != palette[6] {
		t.Errorf("between the letters of II is %v", c)
	}
}

// Letters that the font lacks are drawn as one box, and blank is none of them.
func TestMissingGlyph(t *testing.T) {
	box := drawn(t, "山", 64)
	if string(box.Pix) != string(drawn(t, "太", 64).Pix) || ink(box).Empty() {
		t.Error("letters that the font lacks are not drawn as its box")
	}
}
