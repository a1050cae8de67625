package flame

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"whet/internal/symbolname"
)

// Palette names a way to choose colours. All but package are those of the
// classic flame graph script.
type Palette string

// The palettes. Package colours frames by whose package they belong to, in hues
// that common colour blindness tells apart; wakeup and chain are for stacks of
// waiters and wakers, java and js for names with the suffixes _[j], _[i], _[k].
const (
	Package Palette = "package"
	Hot     Palette = "hot"
	Mem     Palette = "mem"
	IO      Palette = "io"
	Wakeup  Palette = "wakeup"
	Chain   Palette = "chain"
	Java    Palette = "java"
	JS      Palette = "js"
	Red     Palette = "red"
	Green   Palette = "green"
	Blue    Palette = "blue"
	Aqua    Palette = "aqua"
	Yellow  Palette = "yellow"
	Purple  Palette = "purple"
	Orange  Palette = "orange"
)

// Palettes lists all of them.
func Palettes() []Palette {
	return []Palette{Package, Hot, Mem, IO, Wakeup, Chain, Java, JS, Red, Green, Blue, Aqua, Yellow, Purple, Orange}
}

// Validate reports a palette that there is not.
func (p Palette) Validate() error {
	if slices.Contains(Palettes(), p) {
		return nil
	}
	names := make([]string, 0, len(Palettes()))
	for _, have := range Palettes() {
		names = append(names, string(have))
	}
	return fmt.Errorf("unknown palette %q: want %s", string(p), strings.Join(names, ", "))
}

// rgb is a colour.
type rgb struct{ r, g, b uint8 }

func (c rgb) String() string { return fmt.Sprintf("rgb(%d,%d,%d)", c.r, c.g, c.b) }

// ramp is a colour and by how much the name's hash may add to each channel.
type ramp struct {
	from rgb
	add  [3]float64
	by   [3]int // which half of the hash does: 0 the upper, 1 the lower
}

var ramps = map[Palette]ramp{
	Hot:    {rgb{205, 0, 0}, [3]float64{50, 230, 55}, [3]int{1, 0, 1}},
	Mem:    {rgb{0, 190, 0}, [3]float64{0, 50, 210}, [3]int{0, 1, 0}},
	IO:     {rgb{80, 80, 190}, [3]float64{60, 60, 55}, [3]int{0, 0, 1}},
	Red:    {rgb{200, 50, 50}, [3]float64{55, 80, 80}, [3]int{0, 0, 0}},
	Green:  {rgb{50, 200, 50}, [3]float64{60, 55, 60}, [3]int{0, 0, 0}},
	Blue:   {rgb{80, 80, 205}, [3]float64{60, 60, 50}, [3]int{0, 0, 0}},
	Yellow: {rgb{175, 175, 50}, [3]float64{55, 55, 20}, [3]int{0, 0, 0}},
	Purple: {rgb{190, 80, 190}, [3]float64{65, 60, 65}, [3]int{0, 0, 0}},
	Aqua:   {rgb{50, 165, 165}, [3]float64{60, 55, 55}, [3]int{0, 0, 0}},
	Orange: {rgb{190, 90, 0}, [3]float64{65, 65, 0}, [3]int{0, 0, 0}},
}

// color returns the color of a name.
func (p Palette) color(name, module string) rgb {
	switch p {
	case Package, "":
		return packageColor(name, module)
	case Wakeup:
		p = Aqua
	case Chain:
		p = Blue
		if strings.HasSuffix(name, "_[w]") {
			p = Aqua
		}
	case Java, JS:
		p = annotated(p, name)
	}
	h := hash(name)
	halves := [2]float64{float64(h>>16) / 65536, float64(h&65535) / 65536}
	at := ramps[p]
	channel := func(from uint8, i int) uint8 {
		return uint8(float64(from) + at.add[i]*halves[at.by[i]])
	}
	return rgb{channel(at.from.r, 0), channel(at.from.g, 1), channel(at.from.b, 2)}
}

// annotated returns the palette of one frame by the suffix that the profiler of a
// virtual machine gave it: compiled, inlined, kernel; or by its looks.
func annotated(p Palette, name string) Palette {
	switch {
	case strings.HasSuffix(name, "_[j]"):
		return Green
	case strings.HasSuffix(name, "_[i]"):
		return Aqua
	case strings.HasSuffix(name, "_[k]"):
		return Orange
	case strings.Contains(name, "::"):
		return Yellow
	case p == Java && strings.Contains(name, "/"), p == JS && strings.Contains(name, ".js"):
		return Green
	case p == JS && strings.Contains(name, ":"):
		return Aqua
	}
	return Red
}

// hash is FNV-1a of the name as it is shown, as in the page's script.
func hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(visible(name)))
	return h.Sum32()
}

// groupHue is the colour of a group of packages: hue in degrees, saturation.
// Orange, blue and purple after Okabe and Ito ("Color universal design", 2008),
// and grey.
var groupHue = [...][2]float64{groupOwn: {36, 0.88}, groupStd: {204, 0.68}, groupOther: {322, 0.42}, groupRuntime: {215, 0.09}, groupNone: {50, 0.04}}

// packageColor: the hue says whose package it is, the lightness which one.
func packageColor(name, module string) rgb {
	pkg := symbolname.Package(name)
	h := hash(pkg)
	g := groupHue[packageGroup(pkg, module)]
	return hsl(g[0]+float64(h>>8%13)-6, g[1], 0.66+0.045*float64(h%5))
}

// hsl converts by the definition of CSS Color 4, section 7.1.
func hsl(hue, saturation, lightness float64) rgb {
	channel := func(n float64) uint8 {
		k := n + hue/30
		for k >= 12 {
			k -= 12
		}
		for k < 0 {
			k += 12
		}
		a := saturation * min(lightness, 1-lightness)
		return uint8((lightness-a*max(-1, min(k-3, 9-k, 1)))*255 + 0.5)
	}
	return rgb{channel(0), channel(8), channel(4)}
}

// changeColor is that of a frame that holds more or less than it did: red or
// blue, the stronger the more of the largest change it is.
func changeColor(change, largest float64) rgb {
	if change == 0 || largest == 0 {
		return rgb{238, 238, 238}
	}
	strength := min(abs(change)/largest, 1)
	fade := uint8(225 - 130*strength)
	if change > 0 {
		return rgb{255, fade, fade}
	}
	return rgb{fade, uint8(min(255, int(fade)+20)), 255}
}

func abs(x float64) float64 { return max(x, -x) }
