package symbol

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"whet/internal/callstack"
)

func readELF(r io.ReaderAt) (image, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return image{}, err
	}
	im := image{
		format: "ELF", arch: elfArch(f), order: f.ByteOrder, ptr: 4,
		base:    func(m callstack.Mapping, address uint64) (uint64, error) { return elfBase(f, m, address) },
		symtab:  func() ([]tableSymbol, error) { return elfSymbols(f) },
		dwarf:   func() (*dwarf.Data, error) { return elfDWARF(f) },
		buildID: elfBuildID(f),
	}
	if f.Class == elf.ELFCLASS64 {
		im.ptr = 8
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		one := section{name: s.Name, addr: s.Addr, size: s.Size, code: s.Flags&elf.SHF_EXECINSTR != 0}
		if s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_COMPRESSED == 0 {
			one.data = s.ReaderAt
		}
		im.sections = append(im.sections, one)
	}
	if f.Type == elf.ET_DYN {
		im.relocate = func(addr uint64, data []byte) { elfRelocate(f, addr, data) }
	}
	return im, nil
}

func elfArch(f *elf.File) string {
	switch f.Machine {
	case elf.EM_386:
		return "386"
	case elf.EM_X86_64:
		return "amd64"
	case elf.EM_ARM:
		return "arm"
	case elf.EM_AARCH64:
		return "arm64"
	case elf.EM_LOONGARCH:
		return "loong64"
	case elf.EM_PPC64:
		if f.ByteOrder == binary.LittleEndian {
			return "ppc64le"
		}
		return "ppc64"
	case elf.EM_RISCV:
		return "riscv64"
	case elf.EM_S390:
		return "s390x"
	}
	return ""
}

// pageSize is what all systems that matter map by at least.
const pageSize = 4096

// elfBase follows pprof: the segment that the mapping shows says how far what
// is loaded lies from where the linker put it.
func elfBase(f *elf.File, m callstack.Mapping, address uint64) (uint64, error) {
	switch f.Type {
	case elf.ET_REL:
		if m.Offset != 0 {
			return 0, errors.New("an object file is mapped from its middle")
		}
		return m.Start, nil
	case elf.ET_EXEC, elf.ET_DYN:
	default:
		return 0, fmt.Errorf("file type %v: want an executable, a shared library or an object file", f.Type)
	}
	p, err := elfSegment(f, m, address)
	switch {
	case err != nil:
		return 0, err
	case p != nil:
		return m.Start - m.Offset + p.Off - p.Vaddr, nil
	case f.Type == elf.ET_EXEC:
		return 0, nil
	}
	return m.Start - m.Offset, nil
}

// elfSegment returns the segment that a mapping shows at an address, nil where
// the file has none at all.
func elfSegment(f *elf.File, m callstack.Mapping, address uint64) (*elf.Prog, error) {
	if m.Limit <= m.Start { // not known how far it reaches: that of the code
		for _, p := range f.Progs {
			if text := f.Section(".text"); text != nil && p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && text.Addr >= p.Vaddr && text.Addr-p.Vaddr < p.Memsz {
				return p, nil
			}
		}
		return nil, nil
	}
	if address < m.Start || address >= m.Limit {
		return nil, fmt.Errorf("address %#x is outside of the mapping from %#x to %#x", address, m.Start, m.Limit)
	}
	var shown []*elf.Prog
	loads := 0
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			loads++
			if elfShows(m, p) {
				shown = append(shown, p)
			}
		}
	}
	switch {
	case loads == 0:
		return nil, nil
	case len(shown) == 1:
		return shown[0], nil
	}
	var found *elf.Prog
	offset := address - m.Start + m.Offset
	for _, p := range shown {
		if offset >= p.Off && offset-p.Off < p.Memsz {
			if found != nil {
				return nil, fmt.Errorf("two segments hold the file's offset %#x", offset)
			}
			found = p
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no segment holds the file's offset %#x", offset)
	}
	return found, nil
}

// elfShows reports whether a mapping shows something of a segment. Loaders map
// whole pages, so that neighbours overlap by what fills their pages up.
func elfShows(m callstack.Mapping, p *elf.Prog) bool {
	limit, end := m.Offset+(m.Limit-m.Start), p.Off+p.Memsz
	if p.Filesz == 0 || m.Offset >= end || p.Off >= limit {
		return false
	}
	first := uint64(0) // the segment's first page
	if within := p.Vaddr & (p.Align - 1); p.Off > within {
		first = p.Off - within
	}
	if m.Offset < first {
		return false
	}
	// It begins within the segment's last page and goes on after it: it shows
	// the next one.
	return m.Offset <= p.Off || end >= m.Offset+pageSize || limit < end+pageSize
}

func elfSymbols(f *elf.File) ([]tableSymbol, error) {
	symbols, err := f.Symbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		symbols, err = f.DynamicSymbols()
		if errors.Is(err, elf.ErrNoSymbols) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	out := make([]tableSymbol, 0, len(symbols))
	for _, s := range symbols {
		one := tableSymbol{name: s.Name, addr: s.Value, size: s.Size}
		if i := int(s.Section); s.Section < elf.SHN_LORESERVE && i > 0 && i < len(f.Sections) {
			one.code = f.Sections[i].Flags&elf.SHF_EXECINSTR != 0
		}
		out = append(out, one)
	}
	return out, nil
}

// elfDWARF reads debug information unless it claims to be enormous.
func elfDWARF(f *elf.File) (*dwarf.Data, error) {
	var size uint64
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			if s.Size > maxSection {
				return nil, errTooLarge
			}
			size += s.Size
		}
	}
	if size > 2*maxSection {
		return nil, errTooLarge
	}
	return f.DWARF()
}

var errTooLarge = fmt.Errorf("the debug information is larger than %d MiB", 2*maxSection>>20)

// elfBuildID returns the GNU build id in hexadecimal, as profiles carry it.
func elfBuildID(f *elf.File) string {
	const maxNotes = 1 << 20
	find := func(r io.ReaderAt, size, align uint64) string {
		if align < 4 {
			align = 4
		}
		data, err := io.ReadAll(io.NewSectionReader(r, 0, int64(min(size, maxNotes))))
		if err != nil || align > 8 {
			return ""
		}
		up := func(n uint64) uint64 { return (n + align - 1) &^ (align - 1) }
		for len(data) >= 12 {
			name, desc := uint64(f.ByteOrder.Uint32(data)), uint64(f.ByteOrder.Uint32(data[4:]))
			kind := f.ByteOrder.Uint32(data[8:])
			at := up(12 + name)
			if name > maxNotes || desc > maxNotes || at+desc > uint64(len(data)) {
				return ""
			}
			if kind == 3 && strings.TrimRight(string(data[12:12+name]), "\x00") == "GNU" {
				return hex.EncodeToString(data[at : at+desc])
			}
			data = data[min(at+up(desc), uint64(len(data))):]
		}
		return ""
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			if id := find(p.ReaderAt, p.Filesz, p.Align); id != "" {
				return id
			}
		}
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE {
			if id := find(s.ReaderAt, s.Size, s.Addralign); id != "" {
				return id
			}
		}
	}
	return ""
}

// elfRelocate applies the relative relocations of a position-independent
// executable: its data holds addresses only once they are applied.
func elfRelocate(f *elf.File, addr uint64, data []byte) {
	if f.Class != elf.ELFCLASS64 {
		return
	}
	relative := map[elf.Machine]uint32{
		elf.EM_X86_64: uint32(elf.R_X86_64_RELATIVE), elf.EM_AARCH64: uint32(elf.R_AARCH64_RELATIVE),
		elf.EM_RISCV: uint32(elf.R_RISCV_RELATIVE), elf.EM_PPC64: uint32(elf.R_PPC64_RELATIVE),
		elf.EM_S390: uint32(elf.R_390_RELATIVE), elf.EM_LOONGARCH: uint32(elf.R_LARCH_RELATIVE),
	}
	kind, ok := relative[f.Machine]
	if !ok {
		return
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 || s.Size > maxSection {
			continue
		}
		entries, err := s.Data()
		if err != nil {
			continue
		}
		for ; len(entries) >= 24; entries = entries[24:] {
			at := f.ByteOrder.Uint64(entries) - addr
			if uint32(f.ByteOrder.Uint64(entries[8:])) == kind && at < uint64(len(data)) && uint64(len(data))-at >= 8 {
				f.ByteOrder.PutUint64(data[at:], f.ByteOrder.Uint64(entries[16:]))
			}
		}
	}
}
