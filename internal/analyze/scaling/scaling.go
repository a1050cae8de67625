package scaling

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"whet/internal/lazyregexp"
	"whet/internal/stat"
)

// Measured is the cost of an operation in one benchmark; NaN is unknown.
type Measured struct {
	Name              string // without the suffix for processors
	Ns, Bytes, Allocs float64
}

// Family is a list of benchmarks that differ in one number.
type Family struct {
	Name      string  // with "…" for the number
	Parameter string  // name of the number in the benchmark's name, "n" or "size"; "n" without one
	Points    []Point // by size
	// Time, Bytes and Allocs are nil where too few points know them, or one is zero.
	Time, Bytes, Allocs *Growth
}

// Point is a benchmark of a family.
type Point struct {
	Size float64
	Measured
}

// Growth is a power of the size.
type Growth struct {
	Exponent  float64
	Low, High float64 // its interval, at 95 %
	Last      float64 // the slope between the two largest sizes
}

// Bends reports whether the two largest sizes lie on another slope than all do: of a
// cost with a fixed part theirs is nearer to that of still larger ones.
func (g *Growth) Bends() bool {
	return math.Abs(g.Last-g.Exponent) > max(g.Exponent-g.Low, 0.1)
}

// Flat reports whether the cost is constant within the accuracy of the points.
func (g *Growth) Flat() bool { return g.Low > -0.1 && g.High < 0.1 }

// Sure reports whether the interval separates one power from the next.
func (g *Growth) Sure() bool { return g.High-g.Low < 1 }

const (
	fewest     = 3
	leastRange = 4.0 // of the largest size to the smallest
	confidence = 0.95
)

// number is one in a name, with what multiplies it and the unit of bytes.
var number = lazyregexp.Pattern{Text: `\d+(?:_\d+)*(?:\.\d+)?(?:[eE]\+?\d+)?(?:([kKmMgG])(i?[bB])?|[bB])?`}

// kinds are words whose number is part of their name: by themselves, or as the last
// word of several in capitals.
var kinds = lazyregexp.Pattern{Text: `(?:^|[^A-Za-z])(?i:int|uint|float|complex|sha|md|crc|fnv|aes|utf|base|http|ipv|v|x|tls|amd|arm|murmur|xxh|siphash|rsa|ed|rc|des)-?$|[a-z](?:Int|Uint|Float|Complex|SHA|Sha|MD|CRC|Crc|FNV|Fnv|AES|Aes|UTF|Utf|Base|HTTP|Http|IPv|TLS|XXH|RSA|Ed)-?$`}

// Families finds the benchmarks that belong together, in the order of their names.
func Families(all []Measured) []Family {
	of := make(map[string]*Family)
	for _, m := range all {
		for _, at := range number.Regexp().FindAllStringSubmatchIndex(m.Name, -1) {
			size, ok := sizeAt(m.Name, at)
			if !ok {
				continue
			}
			name := m.Name[:at[0]] + "…" + m.Name[at[1]:]
			f := of[name]
			if f == nil {
				f = &Family{Name: name, Parameter: parameter(m.Name[:at[0]])}
				of[name] = f
			}
			if !slices.ContainsFunc(f.Points, func(p Point) bool { return p.Size == size }) {
				f.Points = append(f.Points, Point{size, m})
			}
		}
	}
	var out []Family
	for _, f := range of {
		slices.SortFunc(f.Points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
		if n := len(f.Points); n < fewest || f.Points[n-1].Size < leastRange*f.Points[0].Size {
			continue
		}
		f.Time = f.growth(func(p Point) float64 { return p.Ns })
		f.Bytes = f.growth(func(p Point) float64 { return p.Bytes })
		f.Allocs = f.growth(func(p Point) float64 { return p.Allocs })
		if f.Time != nil || f.Bytes != nil || f.Allocs != nil {
			out = append(out, *f)
		}
	}
	slices.SortFunc(out, func(a, b Family) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// sizeAt reads a number of a name; ok is false where it is part of a word.
func sizeAt(name string, at []int) (size float64, ok bool) {
	before, text := name[:at[0]], name[at[0]:at[1]]
	if kinds.Regexp().MatchString(before) {
		return 0, false
	}
	if rest := name[at[1]:]; rest != "" && isLetter(rest[0]) {
		return 0, false // "100ms", "2x"
	}
	digits := strings.ReplaceAll(strings.TrimRight(text, "kKmMgGiIbB"), "_", "")
	size, err := strconv.ParseFloat(digits, 64)
	if err != nil || size <= 0 || math.IsInf(size, 0) {
		return 0, false
	}
	if at[2] < 0 {
		return size, true
	}
	thousand := 1000.0
	if at[4] >= 0 && name[at[4]] == 'i' {
		thousand = 1024
	}
	power := map[byte]float64{'k': 1, 'm': 2, 'g': 3}[name[at[2]]|' ']
	return size * math.Pow(thousand, power), true
}

func isLetter(c byte) bool { return 'a' <= c|' ' && c|' ' <= 'z' }

// parameter returns the word before a number: of "Sort/n=" and of "Sort/size-" what
// stands before the sign.
func parameter(before string) string {
	word := before[strings.LastIndexByte(before, '/')+1:]
	word = strings.TrimRight(word, "=-_:. ")
	if i := strings.LastIndexFunc(word, func(r rune) bool { return r > 127 || !isLetter(byte(r)) }); i >= 0 {
		word = word[i+1:]
	}
	if word == "" || strings.HasPrefix(word, "Benchmark") {
		return "n"
	}
	return word
}

// growth fits the points' costs.
func (f *Family) growth(cost func(Point) float64) *Growth {
	var sizes, costs []float64
	for _, p := range f.Points {
		v := cost(p)
		if math.IsNaN(v) {
			continue
		}
		if v <= 0 {
			return nil
		}
		sizes, costs = append(sizes, p.Size), append(costs, v)
	}
	if len(sizes) < fewest {
		return nil
	}
	g, n := fit(sizes, costs), len(sizes)
	g.Last = math.Log(costs[n-1]/costs[n-2]) / math.Log(sizes[n-1]/sizes[n-2])
	return &g
}

// fit returns the slope of the costs' logarithms over the sizes', by least squares, with
// Student's interval.
func fit(sizes, costs []float64) Growth {
	n := float64(len(sizes))
	var mx, my float64
	for i := range sizes {
		mx, my = mx+math.Log(sizes[i])/n, my+math.Log(costs[i])/n
	}
	var sxx, sxy float64
	for i := range sizes {
		d := math.Log(sizes[i]) - mx
		sxx, sxy = sxx+d*d, sxy+d*(math.Log(costs[i])-my)
	}
	slope := sxy / sxx
	var rest float64
	for i := range sizes {
		d := math.Log(costs[i]) - my - slope*(math.Log(sizes[i])-mx)
		rest += d * d
	}
	half := stat.StudentQuantile((1+confidence)/2, len(sizes)-2) * math.Sqrt(rest/(n-2)/sxx)
	return Growth{Exponent: slope, Low: slope - half, High: slope + half}
}
