package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"whet/internal/callstack"
)

// smallELF returns the smallest program there is: a header, a segment, code, and a
// section that names it.
func smallELF() []byte {
	var b bytes.Buffer
	names := "\x00.text\x00.shstrtab\x00"
	code := []byte{0x90, 0x90, 0xc3}
	const header, segment = 64, 56
	at := uint64(header + segment)
	namesAt := at + uint64(len(code))
	sections := namesAt + uint64(len(names))
	h := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: header, Shoff: sections,
		Ehsize: header, Phentsize: segment, Phnum: 1, Shentsize: 64, Shnum: 3, Shstrndx: 2,
	}
	for _, part := range []any{
		h, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: at, Vaddr: 0x1000 + at, Filesz: 3, Memsz: 3, Align: 0x1000},
		code, []byte(names), elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: 0x1000 + at, Off: at, Size: 3},
		elf.Section64{Name: 7, Type: uint32(elf.SHT_STRTAB), Off: namesAt, Size: uint64(len(names))},
	} {
		binary.Write(&b, binary.LittleEndian, part)
	}
	return b.Bytes()
}

func TestSmallELF(t *testing.T) {
	b, err := Read(bytes.NewReader(smallELF()), "small")
	if err != nil {
		t.Fatal(err)
	}
	// The segment is loaded 0x1000 above its place in the file, of which the
	// first page is mapped at 0x7000: file offset 120 is there at 0x7078, and
	// the linker's address of it is 0x1078.
	base, err := b.Base(callstack.Mapping{Start: 0x7000, Limit: 0x8000}, 0x7078)
	if err != nil || base != 0x6000 {
		t.Errorf("base %#x, %v", base, err)
	}
	code, err := b.Disassemble(0x1078, 0x107b)
	if err != nil || len(code) != 3 || code[2].Text != "RET" {
		t.Errorf("%v, %v", code, err)
	}
	if _, err := b.Base(callstack.Mapping{Start: 0x7000, Limit: 0x8000}, 0x9000); err == nil {
		t.Error("an address outside of the mapping has a base")
	}
	if _, err := b.Disassemble(0x1078, 0x2000); err == nil {
		t.Error("more code than there is")
	}
}

// TestSegmentsOfOnePage: loaders map whole pages, so that the page in which one
// segment ends and the next begins is mapped for both.
func TestSegmentsOfOnePage(t *testing.T) {
	text := &elf.Prog{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Off: 0, Vaddr: 0, Filesz: 0x5100, Memsz: 0x5100, Align: 0x1000}}
	data := &elf.Prog{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Off: 0x5100, Vaddr: 0x6100, Filesz: 0x2000, Memsz: 0x2000, Align: 0x1000}}
	empty := &elf.Prog{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Off: 0x5100, Vaddr: 0x9000, Memsz: 0x2000, Align: 0x1000}}
	ofText := callstack.Mapping{Start: 0x10000, Limit: 0x16000, Offset: 0}
	ofData := callstack.Mapping{Start: 0x16000, Limit: 0x19000, Offset: 0x5000}
	for _, c := range []struct {
		m    callstack.Mapping
		p    *elf.Prog
		want bool
	}{{ofText, text, true}, {ofText, data, false}, {ofData, data, true}, {ofData, text, false}, {ofText, empty, false}, {ofData, empty, false}} {
		if got := elfShows(c.m, c.p); got != c.want {
			t.Errorf("the mapping from %#x shows the segment from %#x: %v", c.m.Start, c.p.Off, got)
		}
	}
}

// TestNoBinary says what a file is not.
func TestNoBinary(t *testing.T) {
	for _, data := range []string{"", "MZ", "#!/bin/sh\n", "\x7fELF\x02\x01\x01\x00\x00\x00", "\xfe\xed\xfa\xcf\x00\x00\x00\x00", "\xca\xfe\xba\xbe\x00\x00\x00\x01"} {
		if b, err := Read(bytes.NewReader([]byte(data)), "x"); err == nil {
			t.Errorf("%q: %+v", data, b.Format())
		}
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a directory is a binary")
	}
}

// FuzzRead: whatever is read, every question has an answer of bounded size,
// and what it says of functions holds together.
func FuzzRead(f *testing.F) {
	f.Add(smallELF())
	out := filepath.Join(f.TempDir(), "c")
	if text, err := exec.Command("gcc", "-g", "-O1", "-nostdlib", "-Wl,-e,outer", "-o", out, filepath.Join("testdata", "c", "inline.c")).CombinedOutput(); err != nil {
		f.Fatalf("gcc: %v\n%s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("MZ\x00\x00\x00\x00"))
	f.Add(append([]byte("\xcf\xfa\xed\xfe"), make([]byte, 64)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		b.GoBuildID()
		functions := b.Functions(func(Function) bool { return true })
		for i, fn := range functions {
			if fn.Start >= fn.End || i > 0 && functions[i-1].Start > fn.Start {
				t.Fatalf("function %d of %+v", i, functions)
			}
			if i > 20 {
				break
			}
			if got, ok := b.Function(fn.Start); ok && got.Start != fn.Start {
				t.Fatalf("%+v lies at the start of %+v", got, fn)
			}
			if frames := b.Frames(fn.Start); len(frames) == 0 || len(frames) > 2*maxDepth {
				t.Fatalf("%d frames in %+v", len(frames), fn)
			}
			if list, err := b.Disassemble(fn.Start, fn.End); err == nil {
				at := fn.Start
				for _, in := range list {
					if in.Address != at || in.Size < 1 {
						t.Fatalf("%+v, want one at %#x", in, at)
					}
					at += uint64(in.Size)
				}
				if at != fn.End {
					t.Fatalf("the code of %+v ends at %#x", fn, at)
				}
			}
		}
		for i := range b.sections {
			b.Base(callstack.Mapping{Start: 0x1000, Limit: 0x100000, Offset: uint64(i) << 12}, 0x2000)
		}
	})
}
