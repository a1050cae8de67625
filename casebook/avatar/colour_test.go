package avatar

import (
	"hash/fnv"
	"math"
	"strconv"
	"testing"
)

// White on each background is readable: a contrast of at least 4.5 by the
// definition of WCAG 2.
func TestContrast(t *testing.T) {
	luminance := func(r, g, b uint8) float64 {
		linear := func(c uint8) float64 {
			v := float64(c) / 255
			if v <= 0.04045 {
				return v / 12.92
			}
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	if white := luminance(255, 255, 255); math.Abs(white-1) > 1e-9 {
		t.Fatalf("the luminance of white is %v", white)
	}
	for _, c := range palette {
		if contrast := 1.05 / (luminance(c.R, c.G, c.B) + 0.05); contrast < 4.5 || c.A != 0xff {
			t.Errorf("white on %v has a contrast of %.2f, want at least 4.5", c, contrast)
		}
	}
}

func TestColourOf(t *testing.T) {
	counts := make([]int, Colours)
	for i := range 64 * Colours {
		name := "Ann " + strconv.Itoa(i*i)
		h := fnv.New32a()
		h.Write([]byte(name))
		if got, want := colourOf(name), uint16(h.Sum32()%16); got != want {
			t.Errorf("%q has colour %d, want %d", name, got, want)
		}
		counts[colourOf(name)]++
	}
	for i, n := range counts {
		if n < 32 || n > 128 {
			t.Errorf("colour %d is that of %d names in %d, want about 64", i, n, 64*Colours)
		}
	}
	if p := (Picture{Colour: math.MaxUint16}); p.Background() != palette[15] {
		t.Error("a colour out of range is not taken modulo their number")
	}
}
