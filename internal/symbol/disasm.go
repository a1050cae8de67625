package symbol

import (
	"encoding/binary"
	"fmt"
	"io"

	"golang.org/x/arch/arm/armasm"
	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/ppc64/ppc64asm"
	"golang.org/x/arch/riscv64/riscv64asm"
	"golang.org/x/arch/x86/x86asm"
)

// Instruction is an instruction of the code.
type Instruction struct {
	Address uint64 // in the file
	Size    int
	Text    string // in the assembler's language of Go; "?" for bytes that are none
}

// maxCode bounds what is disassembled at once.
const maxCode = 16 << 20

// Disassemble returns the instructions between two addresses of the file.
func (b *Binary) Disassemble(start, end uint64) (out []Instruction, err error) {
	decode, ok := decoders[b.arch]
	if !ok {
		return nil, fmt.Errorf("disassemble %s: instructions of %q are not known here", b.name, b.arch)
	}
	if end < start || end-start > maxCode {
		return nil, fmt.Errorf("disassemble %s: from %#x to %#x it is more than %d MiB", b.name, start, end, maxCode>>20)
	}
	code, err := b.at(start, end-start)
	if err != nil {
		return nil, fmt.Errorf("disassemble %s: %w", b.name, err)
	}
	defer func() { // the decoders are fed with anything
		if p := recover(); p != nil {
			err = fmt.Errorf("disassemble %s: %v", b.name, p)
		}
	}()
	name := func(address uint64) (string, uint64) {
		f, ok := holding(b.tables().names, address)
		if !ok || f.Start == 0 {
			return "", 0
		}
		return f.Name, f.Start
	}
	for at := uint64(0); at < uint64(len(code)); {
		text, size := decode(code[at:], start+at, name)
		size = min(max(size, 1), len(code)-int(at))
		out = append(out, Instruction{Address: start + at, Size: size, Text: text})
		at += uint64(size)
	}
	return out, nil
}

// Padding reports whether an instruction only fills the space between
// functions: it is never executed.
func (i Instruction) Padding() bool {
	return i.Text == "INT $0x3" || i.Text == "?"
}

// namer names the function at an address, and where it begins.
type namer = func(address uint64) (string, uint64)

// decoder returns the first instruction of code, which lies at address.
type decoder func(code []byte, address uint64, name namer) (text string, size int)

var decoders = map[string]decoder{
	"386": func(code []byte, address uint64, name namer) (string, int) { return decodeX86(code, address, name, 32) },
	"amd64": func(code []byte, address uint64, name namer) (string, int) {
		return decodeX86(code, address, name, 64)
	},
	"arm": func(code []byte, address uint64, name namer) (string, int) {
		i, err := armasm.Decode(code, armasm.ModeARM)
		if err != nil || i.Len == 0 || i.Op == 0 {
			return "?", 4
		}
		return armasm.GoSyntax(i, address, name, codeReader{code, address}), i.Len
	},
	"arm64": func(code []byte, address uint64, name namer) (string, int) {
		i, err := arm64asm.Decode(code)
		if err != nil || i.Op == 0 {
			return "?", 4
		}
		return arm64asm.GoSyntax(i, address, name, codeReader{code, address}), 4
	},
	"ppc64le": func(code []byte, address uint64, name namer) (string, int) {
		i, err := ppc64asm.Decode(code, binary.LittleEndian)
		if err != nil || i.Len == 0 {
			return "?", 4
		}
		return ppc64asm.GoSyntax(i, address, name), i.Len
	},
	"riscv64": func(code []byte, address uint64, name namer) (string, int) {
		i, err := riscv64asm.Decode(code)
		if err != nil || i.Op == 0 {
			return "?", 2
		}
		return riscv64asm.GoSyntax(i, address, name, codeReader{code, address}), i.Len
	},
}

func decodeX86(code []byte, address uint64, name namer, mode int) (string, int) {
	i, err := x86asm.Decode(code, mode)
	if err != nil || i.Len == 0 || i.Op == 0 {
		return "?", 1
	}
	return x86asm.GoSyntax(i, address, name), i.Len
}

// codeReader lets a decoder read constants that lie among the instructions.
type codeReader struct {
	code    []byte
	address uint64
}

func (r codeReader) ReadAt(data []byte, offset int64) (int, error) {
	if offset < 0 || uint64(offset) < r.address || uint64(offset)-r.address >= uint64(len(r.code)) {
		return 0, io.EOF
	}
	n := copy(data, r.code[uint64(offset)-r.address:])
	if n < len(data) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}
