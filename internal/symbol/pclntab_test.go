package symbol

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step says what holds for so many addresses.
type step struct {
	value int32
	span  uint32
}

// tableFunction is a function of a table that the tests write.
type tableFunction struct {
	name               string
	start              uint32
	size               uint32
	files, lines, tree []step
	calls              []inlinedCall // name is an index into the names
}

// writeTable writes a table as Go's linker does, of functions that lie one
// after the other, and their inlining trees.
func writeTable(names, files []string, functions []tableFunction) (table, trees []byte) {
	put := binary.LittleEndian
	var nameTab, fileTab, unitTab, steps, funcs []byte
	nameAt := make(map[string]uint32)
	for _, n := range names {
		nameAt[n] = uint32(len(nameTab))
		nameTab = append(append(nameTab, n...), 0)
	}
	for _, f := range files {
		unitTab = put.AppendUint32(unitTab, uint32(len(fileTab)))
		fileTab = append(append(fileTab, f...), 0)
	}
	steps = []byte{0}
	addSteps := func(list []step) uint32 {
		if list == nil {
			return 0
		}
		at := uint32(len(steps))
		last := int32(-1)
		for _, s := range list {
			d := s.value - last
			last = s.value
			steps = binary.AppendUvarint(steps, uint64(uint32(d<<1)^uint32(d>>31)))
			steps = binary.AppendUvarint(steps, uint64(s.span))
		}
		steps = append(steps, 0)
		return at
	}
	index := make([]byte, 0, 8*len(functions)+4)
	records := uint32(8*len(functions) + 4)
	entry := uint32(0)
	for _, f := range functions {
		index = put.AppendUint32(put.AppendUint32(index, entry), records+uint32(len(funcs)))
		tree := ^uint32(0)
		if f.calls != nil {
			tree = uint32(len(trees))
			for _, c := range f.calls {
				trees = append(trees, 0, 0, 0, 0)
				trees = put.AppendUint32(trees, nameAt[names[c.name]])
				trees = put.AppendUint32(put.AppendUint32(trees, c.parent), c.start)
			}
		}
		for _, field := range []uint32{entry, nameAt[f.name], 0, 0, 0, addSteps(f.files), addSteps(f.lines), 3, 0, f.start} {
			funcs = put.AppendUint32(funcs, field)
		}
		funcs = append(funcs, 0, 0, 0, 4)
		for _, field := range []uint32{0, 0, addSteps(f.tree), 0, 0, 0, tree} {
			funcs = put.AppendUint32(funcs, field)
		}
		entry += f.size
	}
	funcs = append(put.AppendUint32(index, entry), funcs...)

	table = put.AppendUint32(nil, magic120)
	table = append(table, 0, 0, 1, 8)
	at := uint64(8 + 8*8)
	words := []uint64{uint64(len(functions)), uint64(len(files)), 0}
	for _, part := range [][]byte{nameTab, unitTab, fileTab, steps, funcs} {
		words = append(words, at)
		at += uint64(len(part))
	}
	for _, w := range words {
		table = put.AppendUint64(table, w)
	}
	for _, part := range [][]byte{nameTab, unitTab, fileTab, steps, funcs} {
		table = append(table, part...)
	}
	return table, trees
}

// sample returns a table in which, at 0x1010 to 0x1018, c is inlined into b, which
// is inlined into a.
func sample() (table, trees []byte) {
	return writeTable([]string{"m.a", "m.b[go.shape.int]", "m.c", "m.other"}, []string{"a.go", "b.go"}, []tableFunction{
		{
			name: "m.a", start: 10, size: 0x20,
			files: []step{{0, 0x10}, {1, 8}, {0, 8}},
			lines: []step{{11, 8}, {12, 8}, {33, 4}, {34, 4}, {13, 8}},
			tree:  []step{{-1, 8}, {0, 8}, {1, 8}, {-1, 8}},
			// b is called at 0x1000, c at 0x1008.
			calls: []inlinedCall{{name: 1, parent: 0, start: 20}, {name: 2, parent: 8, start: 30}},
		},
		{name: "m.other", start: 40, size: 0x10, files: []step{{0, 0x10}}, lines: []step{{41, 0x10}}},
	})
}

func TestPclntab(t *testing.T) {
	data, trees := sample()
	table, err := parsePclntab(data, binary.LittleEndian, 0x1000)
	if err != nil {
		t.Fatal(err)
	}
	table.tree = trees
	a := func(line int) Frame {
		return Frame{Function: "m.a", File: "a.go", Line: line, Start: 10}
	}
	b := Frame{Function: "m.b[go.shape.int]", File: "a.go", Line: 12, Start: 20}
	c := Frame{Function: "m.c", File: "b.go", Line: 33, Start: 30}
	c2 := c
	c2.Line = 34
	for address, want := range map[uint64][]Frame{
		0xfff: nil, 0x1000: {a(11)}, 0x1007: {a(11)},
		0x1008: {b, a(11)}, 0x1010: {c, b, a(11)}, 0x1013: {c, b, a(11)}, 0x1014: {c2, b, a(11)},
		0x1018: {a(13)}, 0x101f: {a(13)},
		0x1020: {{Function: "m.other", File: "a.go", Line: 41, Start: 40}}, 0x1030: nil,
	} {
		if d := cmp.Diff(want, table.frames(address)); d != "" {
			t.Errorf("%#x: -want +got:\n%s", address, d)
		}
	}
	want := []Function{{"m.a", 0x1000, 0x1020}, {"m.other", 0x1020, 0x1030}}
	if d := cmp.Diff(want, table.functions()); d != "" {
		t.Error(d)
	}
}

// TestCircularTree ends.
func TestCircularTree(t *testing.T) {
	data, trees := writeTable([]string{"m.a", "m.b"}, []string{"a.go"}, []tableFunction{{
		name: "m.a", size: 8, files: []step{{0, 8}}, lines: []step{{1, 8}}, tree: []step{{0, 8}}, calls: []inlinedCall{{name: 1, parent: 0}},
	}})
	table, err := parsePclntab(data, binary.LittleEndian, 0)
	if err != nil {
		t.Fatal(err)
	}
	table.tree = trees
	if n := len(table.frames(1)); n != deepestInlining {
		t.Errorf("%d frames", n)
	}
}

func TestBadHeaders(t *testing.T) {
	good, _ := sample()
	for what, change := range map[string]func([]byte) []byte{
		"short":     func(b []byte) []byte { return b[:15] },
		"header":    func(b []byte) []byte { return b[:40] },
		"magic":     func(b []byte) []byte { b[0] ^= 2; return b },
		"quantum":   func(b []byte) []byte { b[6] = 0; return b },
		"pointers":  func(b []byte) []byte { b[7] = 5; return b },
		"functions": func(b []byte) []byte { b[8+5] = 1; return b },
		"offset":    func(b []byte) []byte { b[8+7*8+6] = 1; return b },
	} {
		if _, err := parsePclntab(change(append([]byte(nil), good...)), binary.LittleEndian, 0); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// FuzzPclntab: what is found at an address lies where the list of functions
// has it, and is a chain that ends in the function itself.
func FuzzPclntab(f *testing.F) {
	data, trees := sample()
	f.Add(data, trees, uint64(0x1000))
	f.Add(data[:90], trees, uint64(0))
	f.Fuzz(func(t *testing.T, data, trees []byte, text uint64) {
		table, err := parsePclntab(data, binary.LittleEndian, text)
		if err != nil {
			return
		}
		table.tree = trees
		for i, fn := range table.functions() {
			if fn.Start >= fn.End {
				t.Fatalf("%+v ends before it begins", fn)
			}
			if i > 50 {
				break
			}
			for _, at := range []uint64{fn.Start, fn.Start + (fn.End-fn.Start)/2, fn.End - 1} {
				frames := table.frames(at)
				if len(frames) > deepestInlining {
					t.Fatalf("%d frames", len(frames))
				}
				found, ok := table.find(at)
				if ok && len(frames) == 0 {
					t.Fatalf("%#x lies in %#x and has no frames", at, found.entry)
				}
				if ok && !bytes.Contains(data, []byte("<autogenerated>")) && len(frames) < deepestInlining && frames[len(frames)-1].Function != text32(table.names, found.name) {
					t.Fatalf("%#x: the last of %+v is not the function", at, frames)
				}
			}
		}
	})
}
