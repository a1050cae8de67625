package quantity

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scale is a unit and how many of the base unit it holds.
type scale struct {
	name string
	size float64
}

var (
	times  = []scale{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}
	sizes  = []scale{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"PiB", 1 << 50}, {"EiB", 1 << 60}}
	counts = []scale{{"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}}
)

// Nanoseconds prints a time given in nanoseconds: "1.23 ms". Seconds are the
// largest unit, since a longer benchmark is compared in seconds.
func Nanoseconds(ns float64) string {
	if s, odd := unusual(ns); odd {
		return s
	}
	if a := math.Abs(ns); a < 0.001 {
		return tiny(ns, "0.001 ns")
	}
	return scaled(ns, times, 1000, significant)
}

// Bytes prints a number of bytes: "312 B", "1.5 KiB".
func Bytes(b float64) string {
	if s, odd := unusual(b); odd {
		return s
	}
	if a := math.Abs(b); a < 0.001 {
		return tiny(b, "0.001 B")
	}
	return scaled(b, sizes, 1024, func(v float64) string { return trimZeros(significant(v)) })
}

// Count prints a number of things: whole with separators up to six digits,
// "123,456", then "1.23 M" (10⁶), "G" (10⁹), "T", "P" and "E" (10¹⁸).
// A fraction (a mean) keeps three significant digits: "2.5", "0.125".
func Count(n float64) string {
	if s, odd := unusual(n); odd {
		return s
	}
	a := math.Abs(n)
	switch {
	case a < 0.001:
		return tiny(n, "0.001")
	case a == math.Trunc(a) && a < 1e6:
		return sign(n) + separate(strconv.FormatFloat(a, 'f', 0, 64))
	case math.RoundToEven(a) < 1e6:
		return sign(n) + trimZeros(significant(a))
	}
	return scaled(n, counts, 1000, significant)
}

// Percent prints a share of 1: 0.123 is "12.3 %". A share below a thousandth
// that is not zero is "<0.1 %", and one that is not the whole but would round
// to it ">99.9 %".
func Percent(ratio float64) string {
	if ratio == 0 {
		return "0 %"
	}
	if s, odd := unusual(ratio); odd {
		return s
	}
	// A sum of shares may miss 1 by a rounding error; that is no missing part.
	const slack = 1e-9
	p := math.Abs(ratio) * 100
	switch {
	case p < 0.1:
		return tiny(ratio, "0.1 %")
	case p >= 99.95 && p < 100*(1-slack):
		if ratio < 0 {
			return "<-99.9 %"
		}
		return ">99.9 %"
	case p >= 1e6:
		return sign(ratio) + significant(p) + " %"
	}
	return sign(ratio) + separate(strconv.FormatFloat(p, 'f', 1, 64)) + " %"
}

// Ratio prints a quotient: "9.21x".
func Ratio(x float64) string {
	if x == 0 {
		return "0x"
	}
	if s, odd := unusual(x); odd {
		return s
	}
	if math.Abs(x) < 0.001 {
		return tiny(x, "0.001x")
	}
	return sign(x) + significant(math.Abs(x)) + "x"
}

// Value prints v, which is counted in unit as pprof profiles name units
// ("nanoseconds", "bytes", "count" and their kin). A unit it does not know
// follows the number as it is; escaping it is the caller's.
func Value(v float64, unit string) string {
	switch unit {
	case "nanoseconds", "nanosecond", "ns":
		return Nanoseconds(v)
	case "microseconds", "microsecond", "us", "µs":
		return Nanoseconds(v * 1e3)
	case "milliseconds", "millisecond", "ms":
		return Nanoseconds(v * 1e6)
	case "seconds", "second", "s":
		return Nanoseconds(v * 1e9)
	case "bytes", "byte", "B":
		return Bytes(v)
	case "count", "":
		return Count(v)
	}
	return Count(v) + " " + unit
}

// unusual handles the values that no unit fits: zero, not known, infinite.
func unusual(v float64) (string, bool) {
	switch {
	case v == 0:
		return "0", true
	case math.IsNaN(v):
		return "unknown", true
	case math.IsInf(v, 1):
		return "∞", true
	case math.IsInf(v, -1):
		return "-∞", true
	}
	return "", false
}

// tiny prints a value nearer to zero than bound.
func tiny(v float64, bound string) string {
	if v < 0 {
		return ">-" + bound
	}
	return "<" + bound
}

// scaled prints v in the largest unit that leaves at least 1 before the point
// once rounded; step is the factor between units.
func scaled(v float64, units []scale, step float64, print func(float64) string) string {
	a := math.Abs(v)
	i := 0
	for i+1 < len(units) && round3(a/units[i].size) >= step {
		i++
	}
	return sign(v) + print(a/units[i].size) + " " + units[i].name
}

// round3 rounds a positive number to three significant digits, or to a whole
// number where it has more than three before the point.
func round3(a float64) float64 {
	if a >= 1000 {
		return math.RoundToEven(a)
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(a, 'e', 2, 64), 64)
	return r
}

// significant prints a positive number with three significant digits, without
// an exponent as long as it can be read without one.
func significant(a float64) string {
	r := round3(a)
	decimals := 0
	switch {
	case r >= 1e9 || r < 0.001:
		return strconv.FormatFloat(r, 'e', 2, 64)
	case r >= 100:
	case r >= 10:
		decimals = 1
	case r >= 1:
		decimals = 2
	case r >= 0.1:
		decimals = 3
	case r >= 0.01:
		decimals = 4
	default:
		decimals = 5
	}
	return separate(strconv.FormatFloat(r, 'f', decimals, 64))
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") || strings.Contains(s, "e") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// separate puts commas between the thousands of a decimal number.
func separate(s string) string {
	whole, fraction := s, ""
	if i := strings.IndexByte(s, '.'); i >= 0 {
		whole, fraction = s[:i], s[i:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + fraction
}

func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return ""
}

// Some names the first few of many: "a, b, c and 4 more".
func Some(names []string, most int) string {
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Plural prints a number of things with their name: "1 benchmark",
// "2 benchmarks", "12,345 benchmarks".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(float64(n)) + " " + noun + "s"
}

// Several returns the text about n things: none for 0, one for 1, else many with # replaced
// by the number.
func Several(n int, one, many string) []string {
	switch {
	case n < 1:
		return nil
	case n == 1:
		return []string{one}
	}
	return []string{strings.Replace(many, "#", Count(float64(n)), 1)}
}
