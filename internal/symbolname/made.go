package symbolname

import "strings"

// Kind says for what the compiler made a function.
type Kind uint8

const (
	Written  Kind = iota // a function of the source
	Literal              // F.func1, and 2 in F.func1.2
	GoCall               // F.gowrap1: what a go statement calls
	Deferred             // F.deferwrap1: what a defer statement calls
	Range                // F-range1: the body of a range over a function
	Bound                // T.M-fm: a method value
)

var kindNames = [...]string{"", "func", "gowrap", "deferwrap", "range", "fm"}

// String returns the word that stands for the kind in names, without its number.
func (k Kind) String() string { return kindNames[k] }

// Cut takes the last part from a name that the compiler added: "F.func1.gowrap2"
// is ("F.func1", GoCall). A name without one is returned as it is.
func Cut(symbol string) (outer string, kind Kind) {
	n := Parse(symbol)
	symbol = strings.TrimSuffix(symbol, n.ABI)
	cut := strings.LastIndexAny(n.Made, ".-")
	if cut < 0 || n.Initial() && isNumber(n.Made[1:]) {
		return symbol, Written
	}
	last := n.Made[cut:]
	if kind = kindOf(last); kind == Written {
		return symbol, Written
	}
	return symbol[:len(symbol)-len(last)], kind
}

// kindOf reads ".func1" or "-fm".
func kindOf(part string) Kind {
	name := part[1:]
	word := strings.TrimRight(name, "0123456789")
	numbered := len(word) < len(name)
	switch {
	case part[0] == '-':
		switch {
		case name == "fm":
			return Bound
		case word == "range" && numbered:
			return Range
		}
	case !numbered:
	case word == "", word == "func":
		return Literal
	case word == "gowrap":
		return GoCall
	case word == "deferwrap":
		return Deferred
	}
	return Written
}

// isMade reports whether a part between dots is the compiler's.
func isMade(part string) bool {
	return part != "" && kindOf("."+part) != Written
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
