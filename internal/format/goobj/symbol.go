package goobj

import (
	"encoding/binary"
	"net/url"
)

// Symbol is the attributes of a symbol, other than its name and content.
type Symbol struct {
	ABI   uint16
	Kind  uint8
	Flags Flags
	// Size is that in memory; data may be shorter, and zeros follow.
	Size, Align uint32
}

// StaticABI is the ABI of symbols that only their own object can name.
const StaticABI = 1<<16 - 1

// Flags of a symbol.
type Flags uint16

// The flags that decide what a linker keeps. The other bits have no name here.
const (
	DuplicateOK   Flags = 1 << 0 // defined in several packages, all alike
	ReflectMethod Flags = 1 << 5 // the function looks methods up by reflection
	GoType        Flags = 1 << 6 // a type descriptor
	UsedInIface   Flags = 1 << 8 // a type that is converted to an interface
	Itab          Flags = 1 << 9
)

// The kinds of symbols that are told apart.
const (
	KindText     = 1
	KindTextFIPS = 2
	kindData     = 7
	kindBSS      = 9
	lastLoaded   = 11 // what follows is debugging information, and counters of tests
	lastDebug    = 21
)

// IsText reports whether the symbol is code.
func (s Symbol) IsText() bool { return s.Kind == KindText || s.Kind == KindTextFIPS }

// IsScanned reports whether the symbol is a variable with pointers.
func (s Symbol) IsScanned() bool { return s.Kind == kindData || s.Kind == kindBSS }

// IsLoaded reports whether the symbol is code or data that a program has in
// memory.
func (s Symbol) IsLoaded() bool { return s.Kind >= KindText && s.Kind <= lastLoaded }

// IsDebug reports whether the symbol is debugging information.
func (s Symbol) IsDebug() bool { return s.Kind > lastLoaded && s.Kind <= lastDebug }

// Defs returns the number of symbols that the object defines, and Symbols how many it defines
// or refers to by name. Those that it defines come first.
func (o *Object) Defs() int { return o.defs }

// Symbols is Defs and the references by name.
func (o *Object) Symbols() int { return o.all }

// Own returns the number of symbols that other packages can refer to by number, which
// come before all others.
func (o *Object) Own() int { return o.first[1] }

// Hashed reports whether a symbol is known by its content alone.
func (o *Object) Hashed(i int) bool { return i >= o.first[1] && i < o.first[3] }

// Symbol returns the i-th.
func (o *Object) Symbol(i int) Symbol {
	b := o.b[o.symbol(i):][:symbolSize]
	return Symbol{
		ABI: binary.LittleEndian.Uint16(b[8:]), Kind: b[10], Flags: Flags(b[11]) | Flags(b[12])<<8,
		Size: binary.LittleEndian.Uint32(b[13:]), Align: binary.LittleEndian.Uint32(b[17:]),
	}
}

// Name returns the name of the i-th symbol, "" for some that only one other
// symbol refers to.
func (o *Object) Name(i int) []byte { return o.string(o.symbol(i)) }

// Data returns the content of a symbol that is defined here.
func (o *Object) Data(i int) []byte {
	low, high := o.index(blockDataIndex, i)
	return o.b[o.at[blockData]+low : o.at[blockData]+high : o.at[blockData]+high]
}

func (o *Object) index(block, i int) (low, high uint32) {
	off := o.at[block] + uint32(i)*indexSize
	return o.uint32(off), o.uint32(off + indexSize)
}

// Relocs are the places in a symbol's content that a linker fills in.
type Relocs struct {
	o      *Object
	off, n uint32
}

// Relocs returns the relocs of a symbol that is defined here, by offset.
func (o *Object) Relocs(i int) Relocs {
	low, high := o.index(blockRelocIndex, i)
	return Relocs{o, o.at[blockRelocs] + low*relocSize, high - low}
}

// Len returns their number.
func (r Relocs) Len() int { return int(r.n) }

// After returns the relocs after the first ones of this type.
func (r Relocs) After(typ uint16) Relocs {
	for r.n > 0 && r.At(0).Type == typ {
		r.off, r.n = r.off+relocSize, r.n-1
	}
	return r
}

// Reloc is one of them.
type Reloc struct {
	Off  int32
	Size uint8
	Type uint16
	Add  int64
	Ref  Ref
}

// The types of relocations that say what a linker keeps; all have the same
// numbers on all processors.
const (
	UseType        = 22 // for debugging information
	UseIface       = 23 // the type is converted to an interface
	UseIfaceMethod = 24 // the method of an interface is called
	UseNamedMethod = 25 // methods of this name are called
	MethodOff      = 26 // one of three of a type's method
	InitOrder      = 99 // the package is initialised after that one; before all others of its symbol
	Weak           = 1 << 15
)

// At returns the j-th.
func (r Relocs) At(j int) Reloc {
	b := r.o.b[r.off+uint32(j)*relocSize:][:relocSize]
	return Reloc{
		Off: int32(binary.LittleEndian.Uint32(b)), Size: b[4], Type: binary.LittleEndian.Uint16(b[5:]),
		Add: int64(binary.LittleEndian.Uint64(b[7:])), Ref: ref(b[15:]),
	}
}

// Shape returns the bytes of the j-th that say where and how, without its
// symbol.
func (r Relocs) Shape(j int) []byte { return r.o.b[r.off+uint32(j)*relocSize:][:15] }

// AuxKind says what an auxiliary symbol is for.
type AuxKind uint8

// The kinds of auxiliary symbols.
const (
	AuxGoType AuxKind = iota
	AuxFuncInfo
	AuxFuncdata
	AuxDwarfInfo
	AuxDwarfLoc
	AuxDwarfRanges
	AuxDwarfLines
	AuxPcsp
	AuxPcfile
	AuxPcline
	AuxPcinline
	AuxPcdata
)

// Position reports whether the symbol only says where code comes from.
func (k AuxKind) Position() bool {
	switch k {
	case AuxDwarfInfo, AuxDwarfLoc, AuxDwarfRanges, AuxDwarfLines, AuxPcfile, AuxPcline, AuxPcinline:
		return true
	}
	return false
}

// Aux is a symbol that belongs to another one.
type Aux struct {
	Kind AuxKind
	Ref  Ref
}

// Aux returns the j-th auxiliary symbol of a symbol that is defined here.
func (o *Object) Aux(i, j int) Aux {
	low, _ := o.index(blockAuxIndex, i)
	b := o.b[o.at[blockAux]+(low+uint32(j))*auxSize:][:auxSize]
	return Aux{AuxKind(b[0]), ref(b[1:])}
}

// NumAux returns the number of auxiliary symbols of a symbol.
func (o *Object) NumAux(i int) int {
	low, high := o.index(blockAuxIndex, i)
	return int(high - low)
}

// FuncInfo returns of a function's AuxFuncInfo what is no position: the bytes
// of its arguments and locals, its id and its flags; nil where it has another
// form.
func FuncInfo(data []byte) []byte {
	if len(data) < 20 {
		return nil
	}
	return data[:12]
}

// Ref refers to a symbol.
type Ref struct{ pkg, index uint32 }

// The packages of references that are none.
const (
	refNamed    = 1<<31 - 1
	refHashed64 = refNamed - 1
	refHashed   = refNamed - 2
	refBuiltin  = refNamed - 3
	refSelf     = refNamed - 4
)

func ref(b []byte) Ref {
	return Ref{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
}

// Nil reports whether it refers to nothing.
func (r Ref) Nil() bool { return r == Ref{} }

// Builtin returns the number of a symbol of package runtime that every
// compiler of the release knows.
func (r Ref) Builtin() (int, bool) { return int(r.index), r.pkg == refBuiltin }

// Local returns the index of a symbol of this object.
func (o *Object) Local(r Ref) (int, bool) {
	switch r.pkg {
	case refSelf:
		return int(r.index), true
	case refHashed64:
		return o.first[1] + int(r.index), true
	case refHashed:
		return o.first[2] + int(r.index), true
	case refNamed:
		return o.first[3] + int(r.index), true
	}
	return 0, false
}

// Package returns the number of another package, as in Packages, and the
// symbol's number there, where it refers to neither this object nor a builtin.
func (r Ref) Package() (pkg, index int) { return int(r.pkg), int(r.index) }

// Packages returns the import paths that references name by number.
func (o *Object) Packages() []string {
	out := make([]string, o.count(blockPackages))
	for i := range out {
		out[i] = unescape(string(o.string(o.at[blockPackages] + uint32(i)*stringSize)))
	}
	return out
}

// Import is a package that this one was compiled against.
type Import struct {
	Path        string
	Fingerprint [8]byte
}

// Imports are they.
func (o *Object) Imports() []Import {
	out := make([]Import, o.count(blockImports))
	for i := range out {
		off := o.at[blockImports] + uint32(i)*importSize
		out[i].Path = unescape(string(o.string(off)))
		copy(out[i].Fingerprint[:], o.b[off+stringSize:])
	}
	return out
}

// unescape undoes what is done to import paths in names of symbols: "%2e" stands
// for a dot in the last element. No import path has a percent sign.
func unescape(path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

// RefsUsedInIface returns the symbols of other packages that are marked as
// UsedInIface here.
func (o *Object) RefsUsedInIface() []Ref {
	var out []Ref
	for i := range o.count(blockRefFlags) {
		b := o.b[o.at[blockRefFlags]+uint32(i)*flagsSize:][:flagsSize]
		if (Flags(b[8])|Flags(b[9])<<8)&UsedInIface != 0 {
			out = append(out, ref(b))
		}
	}
	return out
}
