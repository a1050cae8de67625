package symbol

import (
	"debug/dwarf"
	"debug/macho"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"whet/internal/callstack"
)

func readMachO(r io.ReaderAt) (image, error) {
	f, err := macho.NewFile(r)
	if err != nil {
		if f, err = fatMember(r, err); err != nil {
			return image{}, err
		}
	}
	im := image{
		format: "Mach-O", arch: machoArch(f.Cpu), order: f.ByteOrder, ptr: 4,
		base:   func(m callstack.Mapping, _ uint64) (uint64, error) { return machoBase(f, m) },
		symtab: func() ([]tableSymbol, error) { return machoSymbols(f), nil },
		dwarf:  func() (*dwarf.Data, error) { return machoDWARF(f) },
	}
	if f.Magic == macho.Magic64 {
		im.ptr = 8
	}
	for _, l := range f.Loads {
		const uuid = 0x1b
		if raw := l.Raw(); len(raw) >= 24 && f.ByteOrder.Uint32(raw) == uuid {
			im.buildID = hex.EncodeToString(raw[8:24])
		}
	}
	for _, s := range f.Sections {
		one := section{name: s.Name, addr: s.Addr, size: s.Size, code: s.Name == "__text" || s.Flags&0x80000000 != 0}
		if kind := s.Flags & 0xff; kind != 1 && kind != 0xc && s.Seg != "__DWARF" { // 1 and 0xc are zeros
			one.data = s.ReaderAt
		}
		if s.Seg == "__DWARF" {
			continue
		}
		im.sections = append(im.sections, one)
	}
	return im, nil
}

// fatMember returns the program for this architecture from a file that holds
// several.
func fatMember(r io.ReaderAt, first error) (*macho.File, error) {
	fat, err := macho.NewFatFile(r)
	if err != nil {
		return nil, first
	}
	var have []string
	for _, a := range fat.Arches {
		if machoArch(a.Cpu) == runtime.GOARCH {
			return a.File, nil
		}
		have = append(have, a.Cpu.String())
	}
	if len(fat.Arches) == 1 {
		return fat.Arches[0].File, nil
	}
	return nil, fmt.Errorf("it holds programs for %s, none for this machine: take one out with lipo -thin", strings.Join(have, ", "))
}

func machoArch(cpu macho.Cpu) string {
	switch cpu {
	case macho.Cpu386:
		return "386"
	case macho.CpuAmd64:
		return "amd64"
	case macho.CpuArm:
		return "arm"
	case macho.CpuArm64:
		return "arm64"
	case macho.CpuPpc64:
		return "ppc64"
	}
	return ""
}

func machoBase(f *macho.File, m callstack.Mapping) (uint64, error) {
	text := f.Segment("__TEXT")
	if text == nil {
		return 0, errors.New("it has no __TEXT segment")
	}
	return m.Start - text.Addr, nil
}

// machoSymbols takes a symbol's size from where the next one begins.
func machoSymbols(f *macho.File) []tableSymbol {
	if f.Symtab == nil {
		return nil
	}
	var out []tableSymbol
	for _, s := range f.Symtab.Syms {
		const debugging = 0xe0
		if s.Type&debugging != 0 || s.Sect == 0 || int(s.Sect) > len(f.Sections) {
			continue
		}
		in := f.Sections[s.Sect-1]
		if s.Value < in.Addr || s.Value-in.Addr > in.Size {
			continue
		}
		// Mach-O writes a low line before the names of C.
		out = append(out, tableSymbol{name: strings.TrimPrefix(s.Name, "_"), addr: s.Value, size: in.Addr + in.Size - s.Value, code: in.Name == "__text"})
	}
	return sized(out)
}

func machoDWARF(f *macho.File) (*dwarf.Data, error) {
	var size uint64
	for _, s := range f.Sections {
		if s.Seg == "__DWARF" {
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
