package typeview

import (
	"go/types"
	"sync"

	"whet/internal/document"
)

// View is the type information that the type checker needs in addition to the stored
// sources.
type View struct {
	GoVersion string    // of the build: "go1.26.8"; "" unknown
	GOARCH    string    // of the build: sizes
	Packages  []Package // that are checked from source, by path

	content content // of imported packages
}

// Package is a package that is checked from source. There is one of a path: where
// the measured binary is a test, its test files are among its files, and its
// external tests are a package of their own.
type Package struct {
	Path, Name string
	GoVersion  string            // language version of its module, "go1.24"; "" unknown
	Files      []string          // its Go files as frames name them, in the compiler's order
	Imports    map[string]string // path in the import declaration → the package's path, where they differ
	Uncertain  string            // why its types may differ from the build's; "" if they are not in doubt
}

// Limits bound the size of a view. Larger ones are refused.
type Limits struct {
	MaxBytes int64 // of a view when it is unpacked
	MaxTypes int   // records
	MaxDepth int   // of types inside types: structs in structs, pointers to pointers
	MaxParts int   // of one type without a name, and of the fields that a struct holds in the end
	MaxWork  int   // fields, parameters, methods and other parts that are decoded in all
}

// DefaultLimits are far above any view seen: that of 200 packages unpacks to 10
// MB with 60,000 types.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 64 << 20, MaxTypes: 1 << 20, MaxDepth: 200, MaxParts: 1 << 20, MaxWork: 1 << 24}
}

// Sizes returns the sizes of the build, or amd64's where its processor is not known.
func (v *View) Sizes() types.Sizes {
	if s := types.SizesFor("gc", v.GOARCH); s != nil {
		return s
	}
	return types.SizesFor("gc", "amd64")
}

// magic begins a view.
const magic = document.Types + "\n"

// kind is what a record of a type begins with.
type kind byte

const (
	kindBasic kind = iota
	kindPointer
	kindSlice
	kindArray
	kindMap
	kindChan
	kindStruct
	kindSignature
	kindInterface
	kindUnion
	kindParameter
	kindNamed
	kindAlias
	kindInstance
	kindKept
)

// What a package of the table is.
const (
	isKept     = 1 << iota // its objects are those of its source
	isImported             // by a kept package: its exported objects follow
)

// objectKind is what an entry of a package is.
type objectKind byte

const (
	objectConst objectKind = iota
	objectType
	objectVar
	objectFunc
)

// valueKind is how a constant's value is written.
type valueKind byte

const (
	valueUnknown valueKind = iota
	valueFalse
	valueTrue
	valueString
	valueInt64
	valueInt     // bytes of its magnitude, little-endian, and its sign
	valueRat     // numerator and denominator, as valueInt
	valueFloat   // as big.Float encodes itself
	valueComplex // two values
)

// predeclared are the types that need no record of their own, by their names.
// What the universe has under a name goes before what go/types calls so.
var predeclared = sync.OnceValue(func() map[string]types.Type {
	all := make(map[string]types.Type)
	for _, t := range types.Typ {
		all[basicName(t)] = t
	}
	for _, name := range types.Universe.Names() {
		if obj, ok := types.Universe.Lookup(name).(*types.TypeName); ok {
			all[name] = obj.Type()
		}
	}
	return all
})

// basicName tells package unsafe's Pointer from what else may be called so.
func basicName(t *types.Basic) string {
	if t.Kind() == types.UnsafePointer {
		return "unsafe.Pointer"
	}
	return t.Name()
}
