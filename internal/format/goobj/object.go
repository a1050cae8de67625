package goobj

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const magic = "\x00go120ld"

// The blocks of an object, in their order.
const (
	blockImports = iota
	blockPackages
	blockFiles
	blockDefs
	blockHashed64Defs
	blockHashedDefs
	blockNamedDefs
	blockNamedRefs
	blockRefFlags
	blockHash64
	blockHash
	blockRelocIndex
	blockAuxIndex
	blockDataIndex
	blockRelocs
	blockAux
	blockData
	blockRefNames
	blockEnd
	blocks
)

// The sizes of the elements of blocks.
const (
	stringSize = 8
	importSize = stringSize + 8
	symbolSize = stringSize + 2 + 1 + 1 + 1 + 4 + 4
	flagsSize  = 8 + 1 + 1
	relocSize  = 4 + 1 + 2 + 8 + 8
	auxSize    = 1 + 8
	indexSize  = 4
)

var elementSize = [blocks]uint32{
	blockImports: importSize, blockPackages: stringSize, blockFiles: stringSize,
	blockDefs: symbolSize, blockHashed64Defs: symbolSize, blockHashedDefs: symbolSize, blockNamedDefs: symbolSize, blockNamedRefs: symbolSize,
	blockRefFlags: flagsSize, blockRelocIndex: indexSize, blockAuxIndex: indexSize, blockDataIndex: indexSize, blockRelocs: relocSize, blockAux: auxSize,
}

// Object is an object file.
type Object struct {
	Line string // the first of its text: system, processor, release, experiments
	Text string // all that stands before the object, without its build id
	// Fingerprint is of what other packages see of this one.
	Fingerprint [8]byte
	Std         bool // of the standard library
	Assembly    bool // the assembler's

	b     []byte
	at    [blocks]uint32
	first [5]int // of symbols: defs, short hashed, hashed, named, references
	defs  int
	all   int // defs and references
}

// The flags of objects.
const (
	objectAssembly = 1 << 2
	objectStd      = 1 << 4
)

// maxObject bounds an object: offsets have 32 bits.
const maxObject = 1<<31 - 1

func readObject(body []byte) (*Object, error) {
	line, text, b, err := preamble(body)
	if err != nil {
		return nil, err
	}
	const header = len(magic) + 8 + 4 + 4*blocks
	switch {
	case len(b) < header || string(b[:len(magic)]) != magic:
		return nil, errors.New("its object has another format")
	case len(b) > maxObject:
		return nil, fmt.Errorf("its object has %d bytes, more than offsets can address", len(b))
	}
	o := &Object{Line: line, Text: text, b: b}
	copy(o.Fingerprint[:], b[len(magic):])
	flags := o.uint32(uint32(len(magic) + 8))
	o.Std, o.Assembly = flags&objectStd != 0, flags&objectAssembly != 0
	last := uint32(header)
	for i := range o.at {
		o.at[i] = o.uint32(uint32(len(magic) + 12 + 4*i))
		if o.at[i] < last || o.at[i] > uint32(len(b)) {
			return nil, fmt.Errorf("block %d begins at byte %d, outside of the %d that are left for it", i, o.at[i], len(b))
		}
		last = o.at[i]
	}
	for i, size := range elementSize {
		if size != 0 && (o.at[i+1]-o.at[i])%size != 0 {
			return nil, fmt.Errorf("block %d does not end with an element", i)
		}
	}
	for i := range o.first {
		o.first[i] = o.all
		if i == len(o.first)-1 {
			o.defs = o.all
		}
		o.all += o.count(blockDefs + i)
	}
	return o, o.check()
}

// check makes sure that everything the accessors follow is there.
func (o *Object) check() error {
	for i := range o.all {
		if !o.hasString(o.symbol(i)) {
			return fmt.Errorf("the name of symbol %d lies outside of the object", i)
		}
	}
	for _, block := range []int{blockImports, blockPackages, blockFiles} {
		for i := range o.count(block) {
			if !o.hasString(o.at[block] + uint32(i)*elementSize[block]) {
				return fmt.Errorf("name %d of block %d lies outside of the object", i, block)
			}
		}
	}
	ends := map[int]int{blockRelocIndex: o.count(blockRelocs), blockAuxIndex: o.count(blockAux), blockDataIndex: int(o.at[blockData+1] - o.at[blockData])}
	for block, end := range ends {
		if n := o.count(block); n != o.defs+1 {
			return fmt.Errorf("index %d has %d entries for %d symbols", block, n, o.defs)
		}
		last := uint32(0)
		for i := range o.defs + 1 {
			v := o.uint32(o.at[block] + uint32(i)*indexSize)
			if v < last || int(v) > end {
				return fmt.Errorf("entry %d of index %d is %d, of %d", i, block, v, end)
			}
			last = v
		}
	}
	for i := range o.count(blockRelocs) {
		if err := o.checkRef(o.at[blockRelocs] + uint32(i)*relocSize + 15); err != nil {
			return fmt.Errorf("relocation %d: %w", i, err)
		}
	}
	for i := range o.count(blockAux) {
		if err := o.checkRef(o.at[blockAux] + uint32(i)*auxSize + 1); err != nil {
			return fmt.Errorf("auxiliary symbol %d: %w", i, err)
		}
	}
	for i := range o.count(blockRefFlags) {
		if err := o.checkRef(o.at[blockRefFlags] + uint32(i)*flagsSize); err != nil {
			return fmt.Errorf("flags %d: %w", i, err)
		}
	}
	return nil
}

// checkRef makes sure that ref can follow the reference at this offset.
func (o *Object) checkRef(off uint32) error { return o.checkTarget(ref(o.b[off:])) }

// checkTarget makes sure that a reference leads to something.
func (o *Object) checkTarget(r Ref) error {
	pkg, index := r.pkg, r.index
	low, n := 0, 0
	switch pkg {
	case 0:
		if index != 0 {
			return fmt.Errorf("symbol %d of no package", index)
		}
		return nil
	case refBuiltin:
		return nil
	case refSelf:
		low, n = o.first[0], o.count(blockDefs)
	case refHashed64:
		low, n = o.first[1], o.count(blockHashed64Defs)
	case refHashed:
		low, n = o.first[2], o.count(blockHashedDefs)
	case refNamed:
		low, n = o.first[3], o.all-o.first[3]
	default:
		if int(pkg) >= o.count(blockPackages) {
			return fmt.Errorf("package %d of %d", pkg, o.count(blockPackages))
		}
		return nil
	}
	if int64(index) >= int64(n) {
		return fmt.Errorf("symbol %d of the %d from %d on", index, n, low)
	}
	return nil
}

func (o *Object) uint32(off uint32) uint32 { return binary.LittleEndian.Uint32(o.b[off:]) }

func (o *Object) count(block int) int {
	return int((o.at[block+1] - o.at[block]) / elementSize[block])
}

// symbol returns the offset of a symbol.
func (o *Object) symbol(i int) uint32 { return o.at[blockDefs] + uint32(i)*symbolSize }

func (o *Object) hasString(off uint32) bool {
	return uint64(o.uint32(off))+uint64(o.uint32(off+4)) <= uint64(len(o.b))
}

func (o *Object) string(off uint32) []byte {
	n, at := o.uint32(off), o.uint32(off+4)
	return o.b[at : at+n : at+n]
}
