package quantity

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// pprof prints sampled values in its own way, which its users know by heart:
// two digits after the point, no blank before the unit, and kB, MB and GB that
// stand for powers of 1,024. The functions here print the same, to the digit.
// They are for views that take pprof's layout; everything else prints as the
// rest of this package does.

// pprofUnit is a unit with the names profiles call it by.
type pprofUnit struct {
	name    string
	factor  float64
	aliases []string
}

// pprofUnits are the families of units, each from small to large, with the
// index of the one that zero and unknown targets are printed in.
var pprofUnits = []struct {
	units []pprofUnit
	zero  int
}{
	{units: []pprofUnit{
		{"B", 1, []string{"b", "byte"}},
		{"kB", 1 << 10, []string{"kb", "kbyte", "kilobyte"}},
		{"MB", 1 << 20, []string{"mb", "mbyte", "megabyte"}},
		{"GB", 1 << 30, []string{"gb", "gbyte", "gigabyte"}},
		{"TB", 1 << 40, []string{"tb", "tbyte", "terabyte"}},
		{"PB", 1 << 50, []string{"pb", "pbyte", "petabyte"}},
	}},
	{zero: 3, units: []pprofUnit{
		{"ns", 1, []string{"ns", "nanosecond"}},
		{"us", 1e3, []string{"μs", "us", "microsecond"}},
		{"ms", 1e6, []string{"ms", "millisecond"}},
		{"s", 1e9, []string{"s", "sec", "second"}},
		{"hrs", 3600e9, []string{"hour", "hr"}},
	}},
	{zero: 3, units: []pprofUnit{
		{"n*GCU", 1e-9, []string{"nanogcu"}},
		{"u*GCU", 1e-6, []string{"microgcu"}},
		{"m*GCU", 1e-3, []string{"milligcu"}},
		{"GCU", 1, []string{"gcu"}},
		{"k*GCU", 1e3, []string{"kilogcu"}},
		{"M*GCU", 1e6, []string{"megagcu"}},
		{"G*GCU", 1e9, []string{"gigagcu"}},
		{"T*GCU", 1e12, []string{"teragcu"}},
		{"P*GCU", 1e15, []string{"petagcu"}},
	}},
}

// findPprofUnit returns the family and the unit that a profile's word for it
// means: "nanoseconds", "bytes", "kB".
func findPprofUnit(word string) (family, unit int, ok bool) {
	word = strings.ToLower(word)
	if utf8.RuneCountInString(word) > 2 {
		word = strings.TrimSuffix(word, "s")
	}
	for f := range pprofUnits {
		for u := range pprofUnits[f].units {
			for _, alias := range pprofUnits[f].units[u].aliases {
				if alias == word {
					return f, u, true
				}
			}
		}
	}
	return 0, 0, false
}

// PprofComparable reports whether two units measure the same: bytes and
// kilobytes, or one unit of no known family.
func PprofComparable(a, b string) bool {
	if a == b {
		return true
	}
	family, _, known := findPprofUnit(a)
	other, _, alsoKnown := findPprofUnit(b)
	return known && alsoKnown && family == other
}

// PprofKnows reports whether values can be asked for in a unit: one of a family,
// a word for "as suits the values", or one for plain counts.
func PprofKnows(unit string) bool {
	switch unit {
	case "", "minimum", "auto", "count", "sample", "unit":
		return true
	}
	_, _, ok := findPprofUnit(unit)
	return ok
}

// PprofScale converts value from one unit to another. The target "minimum"
// stands for the largest unit in which the value is at least 1. Units of no
// known family, such as "count", stay as they are and print without a unit.
func PprofScale(value int64, from, to string) (float64, string) {
	if value < 0 && value != math.MinInt64 {
		v, unit := PprofScale(-value, from, to)
		return -v, unit
	}
	family, unit, ok := findPprofUnit(from)
	if !ok {
		switch to {
		case "count", "sample", "unit", "minimum", "auto":
			to = ""
		}
		return float64(value), to
	}
	units := pprofUnits[family].units
	v := float64(value) * units[unit].factor
	target := pprofUnits[family].zero
	if to == "minimum" || to == "auto" {
		for i, u := range units {
			if v/u.factor >= 1 {
				target = i
			}
		}
	} else if f, u, ok := findPprofUnit(to); ok && f == family {
		target = u
	}
	return v / units[target].factor, units[target].name
}

// PprofLabel prints value as pprof does: "1.50s", "512kB", "12".
func PprofLabel(value int64, from, to string) string {
	v, unit := PprofScale(value, from, to)
	s := strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00")
	if s == "0" || s == "-0" {
		return "0"
	}
	return s + unit
}

// PprofPercent prints value's share of total as pprof does, six characters
// wide at least: "43.21%", "  100%", "0.012%". Without a total it is zero.
func PprofPercent(value, total int64) string {
	percent := 0.0
	if total != 0 {
		percent = math.Abs(float64(value)/float64(total)) * 100
	}
	switch {
	case percent >= 99.95 && percent <= 100.05:
		return "  100%"
	case percent >= 1:
		return fmt.Sprintf("%5.2f%%", percent)
	}
	return fmt.Sprintf("%5.2g%%", percent)
}

// PprofUnit returns the one unit pprof prints all values of a table in, given
// the smallest of them that is not zero, and the total: the smallest one's, or
// a larger unit where that would make the total too long to read.
func PprofUnit(smallest, total int64, unit string) string {
	_, small := PprofScale(smallest, unit, "minimum")
	_, large := PprofScale(total, unit, "minimum")
	if small != large && smallest*100 < total {
		_, small = PprofScale(100*smallest, unit, "minimum")
	}
	if small == "" {
		return unit
	}
	return small
}
