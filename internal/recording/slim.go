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

// Slim returns a binary without the debug information of Go code, which is half of its
// compressed size: Go's own table of functions, which is loaded with the program, names
// functions, inlined calls and lines. Everything keeps its position, so that the rest
// is the same byte for byte. A binary with C code, whose lines only debug information
// knows, and one in a format other than ELF are returned unchanged.
func Slim(data []byte) (slim []byte) {
	defer func() {
		if recover() != nil { // debug/elf promises nothing for damaged files
			slim = data
		}
	}()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil || f.Class != elf.ELFCLASS64 || !slices.ContainsFunc(f.Sections, isFunctionTable) {
		return data
	}
	table := f.ByteOrder.Uint64(data[0x28:])     // e_shoff
	size := int(f.ByteOrder.Uint16(data[0x3a:])) // e_shentsize
	segments := span{f.ByteOrder.Uint64(data[0x20:]), uint64(len(f.Progs)) * uint64(f.ByteOrder.Uint16(data[0x36:]))}
	if !apart(f, data, span{0, 0x40}, segments, span{table, uint64(len(f.Sections) * size)}) || !onlyGo(f) {
		return data
	}
	slim = bytes.Clone(data)
	for i, s := range f.Sections {
		if !isDebug(s) {
			continue
		}
		clear(slim[s.Offset : s.Offset+s.FileSize])
		header := slim[int(table)+i*size:][:size]
		clear(header) // SHT_NULL: an entry that is not used
	}
	return slim
}

func isDebug(s *elf.Section) bool {
	return s.Flags&elf.SHF_ALLOC == 0 && strings.HasPrefix(s.Name, ".debug_")
}

const (
	maxSections   = 1000    // the Go linker makes some 40
	maxDebugBytes = 1 << 30 // of debug information unpacked, which is held in memory
)

// span is a part of a file.
type span struct{ at, length uint64 }

func (s span) within(length int) bool {
	return s.length <= uint64(length) && s.at <= uint64(length)-s.length
}

// apart reports whether debug information lies in the file, shares no byte with headers,
// segments or another section, and is no more than can be read. Linkers make no other.
func apart(f *elf.File, data []byte, used ...span) bool {
	if len(f.Sections) > maxSections || len(f.Progs) > maxSections {
		return false
	}
	var debug []span
	var unpacked uint64
	for _, s := range f.Sections {
		switch at := (span{s.Offset, s.FileSize}); {
		case strings.HasPrefix(s.Name, ".zdebug_"): // an older way to pack it
			return false
		case !isDebug(s):
			if s.Type != elf.SHT_NOBITS && s.Type != elf.SHT_NULL {
				used = append(used, at)
			}
		case s.Type == elf.SHT_NOBITS || s.Size > maxDebugBytes || !at.within(len(data)) || bytes.HasPrefix(data[s.Offset:], []byte("ZLIB")):
			return false
		default:
			debug = append(debug, at)
			unpacked += s.Size
		}
	}
	for _, p := range f.Progs {
		used = append(used, span{p.Off, p.Filesz})
	}
	for _, u := range used {
		if !u.within(len(data)) {
			return false
		}
		for _, d := range debug {
			if d.at < u.at+u.length && u.at < d.at+d.length {
				return false
			}
		}
	}
	return unpacked <= maxDebugBytes
}

// isFunctionTable reports whether a section is Go's table of functions, which is among
// the relocated sections in position-independent programs.
func isFunctionTable(s *elf.Section) bool { return strings.HasSuffix(s.Name, ".gopclntab") }

// onlyGo reports whether there is debug information, all of it by Go's compiler and
// assembler.
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
