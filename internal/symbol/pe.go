package symbol

import (
	"cmp"
	"debug/dwarf"
	"debug/pe"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"whet/internal/callstack"
)

func readPE(r io.ReaderAt) (image, error) {
	f, err := pe.NewFile(r)
	if err != nil {
		return image{}, err
	}
	var start uint64
	im := image{format: "PE", order: binary.LittleEndian, ptr: 4}
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		start = uint64(h.ImageBase)
	case *pe.OptionalHeader64:
		start, im.ptr = h.ImageBase, 8
	default:
		return image{}, errors.New("it is no program: it says nothing of where it is loaded")
	}
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_I386:
		im.arch = "386"
	case pe.IMAGE_FILE_MACHINE_AMD64:
		im.arch = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		im.arch = "arm64"
	case pe.IMAGE_FILE_MACHINE_ARMNT:
		im.arch = "arm"
	}
	im.base = func(m callstack.Mapping, _ uint64) (uint64, error) {
		if m.Start == 0 {
			return 0, nil
		}
		return m.Start - start, nil
	}
	im.symtab = func() ([]tableSymbol, error) { return peSymbols(f, start), nil }
	im.dwarf = func() (*dwarf.Data, error) { return peDWARF(f) }
	for _, s := range f.Sections {
		const code = 0x20
		// What the file holds may be padded beyond what is loaded, or be less.
		im.sections = append(im.sections, section{
			name: s.Name, addr: start + uint64(s.VirtualAddress), size: uint64(min(s.VirtualSize, s.Size)),
			code: s.Characteristics&code != 0, data: s.ReaderAt,
		})
	}
	return im, nil
}

func peSymbols(f *pe.File, start uint64) []tableSymbol {
	var out []tableSymbol
	for _, s := range f.Symbols {
		if s.SectionNumber < 1 || int(s.SectionNumber) > len(f.Sections) {
			continue
		}
		in := f.Sections[s.SectionNumber-1]
		if s.Value > in.VirtualSize {
			continue
		}
		const code = 0x20
		out = append(out, tableSymbol{
			name: s.Name, addr: start + uint64(in.VirtualAddress) + uint64(s.Value),
			size: uint64(in.VirtualSize - s.Value), code: in.Characteristics&code != 0,
		})
	}
	return sized(out)
}

// sized cuts symbols, whose size reaches to the end of their section, where
// the next one begins.
func sized(symbols []tableSymbol) []tableSymbol {
	slices.SortStableFunc(symbols, func(x, y tableSymbol) int { return cmp.Compare(x.addr, y.addr) })
	next := ^uint64(0)
	for i := len(symbols) - 1; i >= 0; i-- {
		s := &symbols[i]
		if i+1 < len(symbols) && symbols[i+1].addr > s.addr {
			next = symbols[i+1].addr
		}
		if next > s.addr {
			s.size = min(s.size, next-s.addr)
		}
	}
	return symbols
}

func peDWARF(f *pe.File) (*dwarf.Data, error) {
	var size uint64
	for _, s := range f.Sections {
		size += uint64(s.Size)
	}
	if size > 2*maxSection {
		return nil, errTooLarge
	}
	return f.DWARF()
}
