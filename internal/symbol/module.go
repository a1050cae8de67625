package symbol

import (
	"bytes"
	"errors"
)

// readPclntab finds Go's table of functions and what belongs to it. Without a
// symbol table it is found by the runtime's own record of the module
// (moduledata), which points to all of it: its first word is the table's
// address.
func (b *Binary) readPclntab(symbols []tableSymbol) (*pclntab, error) {
	address, data, err := b.findPclntab(symbols)
	if data == nil {
		return nil, err
	}
	var text, tree uint64
	for _, s := range symbols {
		switch s.name {
		case "runtime.text":
			text = s.addr
		case "go:func.*", "go.func.*":
			tree = s.addr
		}
	}
	if text == 0 || tree == 0 {
		if m, ok := b.module(address, data); ok {
			text, tree = m.text, m.tree
		}
	}
	if text == 0 {
		for _, s := range b.sections {
			if s.name == ".text" || s.name == "__text" {
				text = s.addr
			}
		}
	}
	t, err := parsePclntab(data, b.order, text)
	if err != nil {
		return nil, err
	}
	if tree == 0 {
		return t, errors.New("the inlining tree was not found: inlined calls are not shown")
	}
	for _, s := range b.sections {
		if s.data != nil && tree >= s.addr && tree-s.addr < s.size {
			if t.tree, err = s.read(tree-s.addr, s.size-(tree-s.addr)); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// findPclntab returns the table and its address; no table and no error for
// what no Go linker wrote.
func (b *Binary) findPclntab(symbols []tableSymbol) (uint64, []byte, error) {
	for _, s := range b.sections {
		if s.name == ".gopclntab" || s.name == ".data.rel.ro.gopclntab" || s.name == "__gopclntab" {
			data, err := s.read(0, s.size)
			return s.addr, data, err
		}
	}
	for _, one := range symbols {
		if one.name != "runtime.pclntab" {
			continue
		}
		for _, s := range b.sections {
			if one.addr >= s.addr && one.addr-s.addr < s.size {
				data, err := s.read(one.addr-s.addr, s.size-(one.addr-s.addr))
				return one.addr, data, err
			}
		}
	}
	if b.info == nil {
		return 0, nil, nil
	}
	// PE files without symbols: by its first bytes, which a module must
	// confirm.
	magic := make([]byte, 6)
	for _, version := range []uint32{magic120, magic118} {
		b.order.PutUint32(magic, version)
		for _, s := range b.sections {
			if s.data == nil || s.code {
				continue
			}
			data, err := s.read(0, s.size)
			if err != nil {
				continue
			}
			for from := 0; ; {
				i := bytes.Index(data[from:], magic)
				if i < 0 {
					break
				}
				at := from + i
				from = at + 1
				if at%b.ptr != 0 {
					continue
				}
				if _, ok := b.module(s.addr+uint64(at), data[at:]); ok {
					return s.addr + uint64(at), data[at:], nil
				}
			}
		}
	}
	return 0, nil, errors.New("it was not found")
}

// module is what is needed of the runtime's record.
type module struct{ text, tree uint64 }

// module finds the record that points to the table at an address. What it says
// of where code lies must agree with the table.
func (b *Binary) module(table uint64, data []byte) (module, bool) {
	t, err := parsePclntab(data, b.order, 0)
	if err != nil || t.count == 0 {
		return module{}, false
	}
	// Positions of its words: since Go 1.20 there are two more before the
	// functions' data.
	const lowest, highest, text = 20, 21, 22
	tree := 40
	if !t.go120 {
		tree = 38
	}
	want := make([]byte, b.ptr)
	b.putWord(want, table)
	for _, s := range b.sections {
		if s.data == nil || s.code || s.size < uint64((tree+1)*b.ptr) {
			continue
		}
		loaded, err := s.read(0, s.size)
		if err != nil {
			continue
		}
		if b.relocate != nil {
			b.relocate(s.addr, loaded)
		}
		for from := 0; ; {
			i := bytes.Index(loaded[from:], want)
			if i < 0 {
				break
			}
			at := from + i
			from = at + 1
			if at%b.ptr != 0 || len(loaded)-at < (tree+1)*b.ptr {
				continue
			}
			word := func(i int) uint64 { return b.word(loaded[at+i*b.ptr:]) }
			t.text = word(text)
			if t.entry(0) == word(lowest) && t.entry(t.count) == word(highest) {
				return module{text: word(text), tree: word(tree)}, true
			}
		}
	}
	return module{}, false
}

func (b *Binary) word(data []byte) uint64 {
	if b.ptr == 4 {
		return uint64(b.order.Uint32(data))
	}
	return b.order.Uint64(data)
}

func (b *Binary) putWord(data []byte, v uint64) {
	if b.ptr == 4 {
		b.order.PutUint32(data, uint32(v))
		return
	}
	b.order.PutUint64(data, v)
}
