package recording

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"slices"
	"strings"
)

// dwarfLangGo is DW_LANG_Go. Units of assembly say 0x8001, the only other
// language that the Go linker writes units of.
const (
	dwarfLangGo        = 0x16
	dwarfLangAssembler = 0x8001
)

// Slim returns a binary without the debug information of Go code, which is half of
// what it takes packed: Go's own table of functions, which is loaded with the program,
// names functions, inlined calls and lines. Everything keeps its place, so that the
// rest is the same byte for byte. Where there is code in C, whose lines only debug
// information knows, and in formats other than ELF, data is returned as it is.
func Slim(data []byte) (slim []byte) {
	defer func() {
		if recover() != nil { // debug/elf promises nothing for damaged files
			slim = data
		}
	}()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil || f.Class != elf.ELFCLASS64 || !slices.ContainsFunc(f.Sections, isFunctionTable) || !onlyGo(f) {
		return data
	}
	table := f.ByteOrder.Uint64(data[0x28:])     // e_shoff
	size := int(f.ByteOrder.Uint16(data[0x3a:])) // e_shentsize
	slim = bytes.Clone(data)
	for i, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 || !strings.HasPrefix(s.Name, ".debug_") {
			continue
		}
		clear(slim[s.Offset : s.Offset+s.FileSize])
		header := slim[int(table)+i*size:][:size]
		clear(header) // SHT_NULL: an entry that is not used
	}
	return slim
}

// isFunctionTable reports whether a section is Go's table of functions, which stands
// among what is relocated in position-independent programs.
func isFunctionTable(s *elf.Section) bool { return strings.HasSuffix(s.Name, ".gopclntab") }

// onlyGo reports whether all debug information is of what Go's compiler and
// assembler made, and there is some.
func onlyGo(f *elf.File) bool {
	d, err := f.DWARF()
	if err != nil {
		return false
	}
	r := d.Reader()
	units := 0
	for {
		e, err := r.Next()
		if err != nil {
			return false
		}
		if e == nil {
			return units > 0
		}
		if e.Tag == dwarf.TagCompileUnit {
			switch lang, _ := e.Val(dwarf.AttrLanguage).(int64); lang {
			case dwarfLangGo, dwarfLangAssembler:
			default:
				return false
			}
			units++
		}
		r.SkipChildren()
	}
}
