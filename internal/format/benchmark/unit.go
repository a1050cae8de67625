package benchmark

import (
	"slices"
	"strings"
)

// Better is the better direction of a unit's values.
type Better int

// The directions; nobody knows that of most units that benchmarks make up.
const (
	Lower   Better = -1
	Unknown Better = 0
	Higher  Better = 1
)

// String returns the word of the format, "" for Unknown.
func (b Better) String() string {
	switch b {
	case Lower:
		return "lower"
	case Higher:
		return "higher"
	}
	return ""
}

// ParseBetter reads the word of the format; any other is Unknown.
func ParseBetter(word string) Better {
	switch word {
	case "lower":
		return Lower
	case "higher":
		return Higher
	}
	return Unknown
}

// BetterOf returns which values of a unit are better, from its name: smaller for time
// per anything and for bytes and allocations per operation; larger for rates per
// second, hits in a hundred, and instructions per cycle.
func BetterOf(unit string) Better {
	unit = strings.ToLower(unit)
	amount, of, rate := strings.Cut(unit, "/")
	last := amount[strings.LastIndexAny(amount, "-_")+1:]
	switch {
	case slices.Contains(timeUnits[:], last), amount == "s":
		return Lower
	case rate && of == "op" && slices.Contains(memoryUnits[:], last):
		return Lower
	case rate && slices.Contains(seconds[:], of[strings.LastIndex(of, "/")+1:]):
		return Higher
	case unit == "ipc", slices.ContainsFunc(hits[:], func(s string) bool { return strings.HasSuffix(unit, s) }):
		return Higher
	}
	return Unknown
}

// Names are in lower case.
var (
	timeUnits   = [...]string{"ns", "us", "µs", "μs", "ms", "sec", "secs", "second", "seconds"}
	memoryUnits = [...]string{"b", "byte", "bytes", "alloc", "allocs"}
	seconds     = [...]string{"s", "sec", "second"}
	hits        = [...]string{"%hit", "%hits", "hit%", "hits%"}
)

// unitLine takes a line "Unit lines/op better=higher", which says of a unit what
// its name does not. Of two that contradict each other the last counts.
func (p *Parser) unitLine(line string) bool {
	f := strings.Fields(line)
	if len(f) < 3 || f[0] != "Unit" {
		return false
	}
	for _, property := range f[2:] {
		if word, ok := strings.CutPrefix(property, "better="); ok && (p.units[f[1]] != Unknown || len(p.units) < maxKeys) {
			if b := ParseBetter(word); b != Unknown {
				if p.units == nil {
					p.units = map[string]Better{}
				}
				p.units[f[1]] = b
			}
		}
	}
	return true
}

// Units returns the directions that the text declares, nil where there are none.
func (p *Parser) Units() map[string]Better { return p.units }

// Unit declares which values of a unit are better; it writes nothing where
// nobody knows.
func (w *Writer) Unit(unit string, b Better) {
	if b != Unknown {
		w.printf("Unit %s better=%s\n", unit, b)
	}
}
