package symbol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"strings"
)

// pclntab is the table by which the Go runtime names frames, as the linker
// writes it since Go 1.18: a header, and offsets from it to the tables of
// names, compilation units, files, of steps that say what holds from which
// address on, and of functions. Every function has steps for file, line and
// inlining; the inlining ones lead into a tree that lies in another place,
// among the functions' data (tree). All offsets are the file's word: each is
// checked where it is used.
type pclntab struct {
	order   binary.ByteOrder
	quantum uint64 // addresses advance by multiples of it
	go120   bool   // with first lines, and the tree as it is since

	names, units, files, steps, funcs []byte

	count int    // functions
	text  uint64 // address that the functions' are offsets from
	tree  []byte // nil when it was not found
}

// The magic numbers of the versions.
const (
	magic118 = 0xfffffff0
	magic120 = 0xfffffff1
)

var errNotTable = errors.New("its header is not known: it was built by a Go older than 1.18, or newer than this reader")

// parsePclntab reads the header.
func parsePclntab(data []byte, order binary.ByteOrder, text uint64) (*pclntab, error) {
	if len(data) < 16 {
		return nil, errNotTable
	}
	t := &pclntab{order: order, quantum: uint64(data[6]), text: text}
	magic, ptr := order.Uint32(data), int(data[7])
	t.go120 = magic == magic120
	if magic != magic118 && magic != magic120 || data[4] != 0 || data[5] != 0 || ptr != 4 && ptr != 8 || t.quantum == 0 || t.quantum > 4 {
		return nil, errNotTable
	}
	if len(data) < 8+8*ptr {
		return nil, errors.New("it ends within its header")
	}
	word := func(i int) uint64 {
		if ptr == 4 {
			return uint64(order.Uint32(data[8+4*i:]))
		}
		return order.Uint64(data[8+8*i:])
	}
	part := func(i int) []byte {
		return data[min(word(i), uint64(len(data))):]
	}
	t.names, t.units, t.files, t.steps, t.funcs = part(3), part(4), part(5), part(6), part(7)
	// A function has an entry of 8 bytes, and another one ends the table.
	if count := word(0); count > uint64(len(t.funcs))/8 || (count*2+1)*4 > uint64(len(t.funcs)) {
		return nil, fmt.Errorf("it names %d functions and holds %d bytes for them", count, len(t.funcs))
	}
	t.count = int(word(0))
	return t, nil
}

// u32 reads a number; ^0 where the table does not reach so far.
func (t *pclntab) u32(data []byte, at uint64) uint32 {
	if at > uint64(len(data)) || uint64(len(data))-at < 4 {
		return ^uint32(0)
	}
	return t.order.Uint32(data[at:])
}

// text32 reads a string that a zero ends.
func text32(data []byte, at uint32) string {
	if uint64(at) >= uint64(len(data)) {
		return ""
	}
	const longest = 64 << 10
	rest := data[at:min(uint64(len(data)), uint64(at)+longest)]
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		return string(rest[:end])
	}
	return ""
}

// entry returns where function i begins; the one after the last is the end.
func (t *pclntab) entry(i int) uint64 { return t.text + uint64(t.u32(t.funcs, uint64(i)*8)) }

// function is a function's record.
type function struct {
	t           *pclntab
	entry       uint64
	at          uint64 // of the record in t.funcs
	name, start uint32
	unit        uint32
	pcdata      uint64 // of their tables in t.funcs
	funcdata    uint64
	npcdata     uint32
	nfuncdata   uint32
}

func (t *pclntab) function(i int) (function, bool) {
	at := uint64(t.u32(t.funcs, uint64(i)*8+4))
	f := function{t: t, entry: t.entry(i), at: at, name: t.u32(t.funcs, at+4), unit: t.u32(t.funcs, at+32)}
	last := at + 36 // the word of small fields
	if t.go120 {
		f.start = t.u32(t.funcs, at+36)
		last = at + 40
	}
	if last+4 > uint64(len(t.funcs)) {
		return function{}, false
	}
	f.npcdata, f.nfuncdata = t.u32(t.funcs, at+28), uint32(t.funcs[last+3])
	f.pcdata = last + 4
	f.funcdata = f.pcdata + 4*uint64(f.npcdata)
	return f, true
}

// find returns the function that holds an address.
func (t *pclntab) find(address uint64) (function, bool) {
	i := sort.Search(t.count, func(i int) bool { return t.entry(i) > address }) - 1
	if i < 0 || address >= t.entry(i+1) {
		return function{}, false
	}
	return t.function(i)
}

// value goes through steps until the one that holds at an address: pairs of
// zigzag varints, by how much the value changes and how many addresses it
// holds for. A function's first value is one above −1 by the first step.
func (f function) value(steps uint32, address uint64) int32 {
	if steps == 0 || uint64(steps) >= uint64(len(f.t.steps)) {
		return -1
	}
	const longest = 16 << 20 // of any function there is
	data := f.t.steps[steps:min(uint64(len(f.t.steps)), uint64(steps)+longest)]
	value, at := int32(-1), f.entry
	for first := true; ; first = false {
		change, n := binary.Uvarint(data)
		if n <= 0 || change == 0 && !first {
			return -1
		}
		data = data[n:]
		length, n := binary.Uvarint(data)
		if n <= 0 {
			return -1
		}
		data = data[n:]
		value += int32(uint32(change)>>1) ^ -int32(change&1)
		at += uint64(uint32(length)) * f.t.quantum
		if address < at {
			return value
		}
	}
}

// place returns the file and line of an address of the function.
func (f function) place(address uint64) (string, int) {
	line := max(0, int(f.value(f.t.u32(f.t.funcs, f.at+24), address)))
	file := f.value(f.t.u32(f.t.funcs, f.at+20), address)
	if file < 0 || f.unit == ^uint32(0) {
		return "", line
	}
	offset := f.t.u32(f.t.units, (uint64(f.unit)+uint64(file))*4)
	if offset == ^uint32(0) {
		return "", line
	}
	return text32(f.t.files, offset), line
}

// inlinedCall is a node of the inlining tree: 16 bytes.
type inlinedCall struct {
	name   uint32
	parent uint32 // an address of the function whose place is the call
	start  uint32
}

// call returns the inlined call that an address lies in.
func (f function) call(address uint64) (inlinedCall, bool) {
	const pcdataTree, funcdataTree = 2, 3
	if f.t.tree == nil || !f.t.go120 || f.npcdata <= pcdataTree || f.nfuncdata <= funcdataTree {
		return inlinedCall{}, false
	}
	index := f.value(f.t.u32(f.t.funcs, f.pcdata+4*pcdataTree), address)
	tree := f.t.u32(f.t.funcs, f.funcdata+4*funcdataTree)
	if index < 0 || tree == ^uint32(0) {
		return inlinedCall{}, false
	}
	at := uint64(tree) + 16*uint64(index)
	if at+16 > uint64(len(f.t.tree)) {
		return inlinedCall{}, false
	}
	return inlinedCall{name: f.t.u32(f.t.tree, at+4), parent: f.t.u32(f.t.tree, at+8), start: f.t.u32(f.t.tree, at+12)}, true
}

// deepestInlining ends a tree that is a circle. The compiler stops far below.
const deepestInlining = 250

func (t *pclntab) frames(address uint64) []Frame {
	f, ok := t.find(address)
	if !ok {
		return nil
	}
	var out []Frame
	for range deepestInlining {
		call, inlined := f.call(address)
		file, line := f.place(address)
		frame := Frame{Function: text32(t.names, f.name), File: file, Line: line, Start: firstLine(f.start)}
		if inlined {
			frame.Function, frame.Start = text32(t.names, call.name), firstLine(call.start)
		}
		// Wrappers that the compiler made are left out, as the runtime leaves
		// them out of profiles, but where there is nothing else.
		if len(out) == 0 || file != "<autogenerated>" {
			out = append(out, frame)
		}
		if !inlined {
			break
		}
		address = f.entry + uint64(call.parent)
	}
	return out
}

func firstLine(n uint32) int {
	return max(0, int(int32(n)))
}

// functions lists all functions. One ends where the next begins: what fills
// the space between them belongs to it.
func (t *pclntab) functions() []Function {
	out := make([]Function, 0, t.count)
	for i := range t.count {
		f, ok := t.function(i)
		start, end := t.entry(i), t.entry(i+1)
		name := text32(t.names, f.name)
		if !ok || end <= start || name == "" || strings.HasPrefix(name, "go:") {
			continue
		}
		out = append(out, Function{Name: name, Start: start, End: end})
	}
	if !sort.SliceIsSorted(out, func(i, j int) bool { return out[i].Start < out[j].Start }) {
		return nil // damaged
	}
	return out
}
