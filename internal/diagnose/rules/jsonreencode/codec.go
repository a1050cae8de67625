package jsonreencode

import (
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/symbolname"
)

const standard = "encoding/json"

// isDecoder and isEncoder know functions and methods by the stem of their names.
// No profile says which way a call goes, but a trip needs both of one package
// on one value, which nothing but a codec has.
func isDecoder(fn string) bool { return isCodec(fn, "Unmarshal", "Decode") }

func isEncoder(fn string) bool { return isCodec(fn, "Marshal", "Encode") }

func isCodec(fn string, stems ...string) bool {
	sym := symbolname.Parse(fn)
	if sym.Made != "" || sym.Package != standard && symbolname.Standard(sym.Package) {
		return false
	}
	return hasStem(sym.Name, stems...)
}

func hasStem(name string, stems ...string) bool {
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.HasPrefix(name, stem) })
}

// rawType returns what a package has for a value that is kept as it came, and
// rawMap a map of them.
func rawType(pkg string) string {
	if forJSON(pkg) {
		return "json.RawMessage"
	}
	return "the package's raw type (RawMessage, Raw, Node)"
}

func rawMap(pkg string) string {
	if forJSON(pkg) {
		return "a map[string]json.RawMessage"
	}
	return "a map"
}

func forJSON(pkg string) bool {
	return strings.Contains(pkg, "json") || strings.HasSuffix(pkg, "/sonic")
}

// avoidsDecoding reports whether a sample makes values: scanning the text
// remains.
func (t *trip) avoidsDecoding(c *hot.Classified, below []callstack.FrameID, allocation bool) bool {
	switch {
	case t.pkg == standard:
		return t.avoidsStandard(c, below)
	case t.whole:
		return true
	case t.typed:
		// Strings and slices may belong to fields of concrete types; maps and
		// boxed values do not.
		return !allocation && passes(c, below, boxes)
	}
	return allocation || passes(c, below, makes)
}

func passes(c *hot.Classified, below []callstack.FrameID, is func(string) bool) bool {
	return slices.ContainsFunc(below, func(id callstack.FrameID) bool { return is(c.Frame(id).Function) })
}

// boxes knows the runtime's functions that fill maps and interfaces.
func boxes(fn string) bool {
	return strings.HasPrefix(fn, "runtime.map") || strings.HasPrefix(fn, "runtime.makemap") || strings.HasPrefix(fn, "runtime.convT") ||
		strings.HasPrefix(fn, "internal/runtime/maps.")
}

// makes knows those that values are made with; the rest of a decoder scans.
func makes(fn string) bool {
	switch fn {
	case "runtime.newobject", "runtime.growslice", "runtime.makeslice", "runtime.slicebytetostring":
		return true
	}
	return boxes(fn) || strings.HasPrefix(fn, "runtime.mallocgc") || strings.HasPrefix(fn, "reflect.")
}

// avoidsStandard reads encoding/json's own frames.
func (t *trip) avoidsStandard(c *hot.Classified, below []callstack.FrameID) bool {
	for _, id := range below {
		name, ok := strings.CutPrefix(c.Frame(id).Function, standard+".")
		if !ok {
			continue
		}
		switch method := strings.TrimPrefix(name, "(*decodeState)."); method {
		case "scanNext", "scanWhile", "rescanLiteral", "skip", "readIndex":
			return false
		case "valueInterface", "objectInterface", "arrayInterface", "literalInterface":
			return true
		case "object", "array", "value", "literalStore":
			if t.whole {
				return true
			}
		default:
			if strings.HasPrefix(name, "(*scanner).") || strings.HasPrefix(name, "state") || name == "checkValid" || strings.HasPrefix(name, "(*Decoder).") {
				return false
			}
		}
	}
	return false
}

// avoidsEncoding reports whether a sample encodes a value, not the text as a
// whole.
func (t *trip) avoidsEncoding(c *hot.Classified, below []callstack.FrameID) bool {
	if t.pkg != standard {
		return true
	}
	return slices.ContainsFunc(below, func(id callstack.FrameID) bool {
		switch c.Frame(id).Function {
		case standard + ".(*encodeState).reflectValue":
			return t.bare
		case standard + ".interfaceEncoder":
			return true
		}
		return false
	})
}
