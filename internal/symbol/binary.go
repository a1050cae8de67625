package symbol

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"sort"
	"sync"

	"whet/internal/callstack"
)

// Frame is a function at an address.
type Frame struct {
	Function string // as the linker names it, and profiles: "main.Sum[go.shape.int]"
	System   string // mangled, where that differs
	File     string
	Line     int
	Column   int // 0 when unknown, as always in Go code
	Start    int // the function's first line, 0 when unknown
}

// Function is the code of one function.
type Function struct {
	Name       string // as the linker has it
	Start, End uint64 // addresses of the file, End after the last one
}

// maxSection bounds what is read of one section, unpacked: tables of the
// largest Go programs are a fifth of it.
const maxSection = 1 << 30

// ErrNotBinary means that a file has none of the supported formats.
var ErrNotBinary = errors.New("it is no ELF, Mach-O or PE binary")

// Binary is an executable or library. Its methods may be called from several
// goroutines.
type Binary struct {
	image
	name   string
	closer io.Closer
	info   *debug.BuildInfo

	tables   func() symbolTables
	debugged func() *debugInfo
}

// symbolTables are the tables that name code without DWARF.
type symbolTables struct {
	pcln      *pclntab   // nil when there is none
	symbols   []Function // of the symbol table, by address
	names     []Function // of all that has one there, data and marks too
	functions []Function // all there are, by address
	warnings  []string
}

// image is what the three formats have in common.
type image struct {
	format   string
	arch     string // as GOARCH names it
	order    binary.ByteOrder
	ptr      int // bytes of a pointer
	buildID  string
	sections []section
	base     func(m callstack.Mapping, address uint64) (uint64, error)
	symtab   func() ([]tableSymbol, error)
	dwarf    func() (*dwarf.Data, error)
	// relocate writes what the loader would write into data, which lies at
	// addr; nil where data in the file is as it is in memory.
	relocate func(addr uint64, data []byte)
}

type section struct {
	name string
	addr uint64
	size uint64 // unpacked
	code bool
	data io.ReaderAt // as in memory; nil when the file holds nothing of it
}

// tableSymbol is an entry of the symbol table.
type tableSymbol struct {
	name       string
	addr, size uint64
	code       bool
}

// Open opens a binary.
func Open(name string) (*Binary, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open binary: %w", err)
	}
	b, err := Read(file, name)
	if err != nil {
		file.Close()
		return nil, err
	}
	b.closer = file
	return b, nil
}

// Read reads a binary. The name is for messages; r must stay open as long as
// the Binary is used.
func Read(r io.ReaderAt, name string) (b *Binary, err error) {
	// The standard library's readers promise nothing for damaged files.
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, fmt.Errorf("read binary %s: damaged: %v", name, p)
		}
	}()
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil {
		return nil, fmt.Errorf("read binary %s: %w", name, ErrNotBinary)
	}
	b = &Binary{name: name}
	switch {
	case string(magic[:]) == "\x7fELF":
		b.image, err = readELF(r)
	case string(magic[:2]) == "MZ":
		b.image, err = readPE(r)
	case slices.Contains([]uint32{0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe}, binary.BigEndian.Uint32(magic[:])):
		b.image, err = readMachO(r)
	default:
		err = ErrNotBinary
	}
	if err != nil {
		return nil, fmt.Errorf("read binary %s: %w", name, err)
	}
	b.info, _ = buildinfo.Read(r) // C programs have none
	b.tables = sync.OnceValue(b.readTables)
	b.debugged = sync.OnceValue(b.readDebugInfo)
	return b, nil
}

// Close ends the use of the binary.
func (b *Binary) Close() error {
	if b.closer == nil {
		return nil
	}
	return b.closer.Close()
}

// Name returns the name it was opened by.
func (b *Binary) Name() string { return b.name }

// Format returns "ELF", "Mach-O" or "PE".
func (b *Binary) Format() string { return b.format }

// Arch returns the architecture as GOARCH names it, "" when unknown.
func (b *Binary) Arch() string { return b.arch }

// BuildID returns the id that profiles carry: the GNU build id in ELF files,
// the UUID in Mach-O; "" when there is none.
func (b *Binary) BuildID() string { return b.buildID }

// BuildInfo returns the go command's record of modules and settings, nil if there is
// none.
func (b *Binary) BuildInfo() *debug.BuildInfo { return b.info }

// GoBuildID returns the id of the go command, "" when there is none.
func (b *Binary) GoBuildID() string {
	for _, s := range b.sections {
		if s.name == ".note.go.buildid" {
			if data, err := s.read(0, min(s.size, 1<<10)); err == nil && len(data) > 16 {
				n := min(uint64(b.order.Uint32(data[4:])), uint64(len(data)-16))
				return string(data[16 : 16+n])
			}
		}
	}
	const head, tail = "\xff Go build ID: \"", "\"\n \xff"
	for _, s := range b.sections {
		if !s.code {
			continue
		}
		data, err := s.read(0, min(s.size, 64<<10))
		if err != nil {
			continue
		}
		if _, after, ok := bytes.Cut(data, []byte(head)); ok {
			if id, _, ok := bytes.Cut(after, []byte(tail)); ok {
				return string(id)
			}
		}
	}
	return ""
}

// Base returns the number to subtract from a process's address to get the file's. The address decides between segments where a mapping shows several.
func (b *Binary) Base(m callstack.Mapping, address uint64) (uint64, error) {
	if m.Start == 0 && m.Offset == 0 && (m.Limit == 0 || m.Limit == ^uint64(0)) {
		return 0, nil // a mapping of all there is: the recorder knew none
	}
	return b.base(m, address)
}

// Warnings lists unusable parts of the binary.
func (b *Binary) Warnings() []string { return b.tables().warnings }

// Functions returns the functions that match, in order of address.
func (b *Binary) Functions(match func(Function) bool) []Function {
	var out []Function
	for _, f := range b.tables().functions {
		if match(f) {
			out = append(out, f)
		}
	}
	return out
}

// Function returns the function at an address of the file.
func (b *Binary) Function(address uint64) (Function, bool) {
	return holding(b.tables().functions, address)
}

func holding(functions []Function, address uint64) (Function, bool) {
	i := sort.Search(len(functions), func(i int) bool { return functions[i].Start > address }) - 1
	if i < 0 || address >= functions[i].End {
		return Function{}, false
	}
	return functions[i], true
}

// Frames returns the functions at an address of the file, innermost first:
// each but the last is inlined into the next. Nothing is known of an address
// that it returns none for.
func (b *Binary) Frames(address uint64) []Frame {
	t := b.tables()
	if t.pcln != nil {
		if frames := t.pcln.frames(address); len(frames) > 0 {
			return frames
		}
	}
	if frames := b.debugged().frames(address); len(frames) > 0 {
		if f, ok := holding(t.symbols, address); ok && frames[len(frames)-1].Function == "" {
			frames[len(frames)-1].Function = f.Name
		}
		return frames
	}
	if f, ok := holding(t.symbols, address); ok {
		return []Frame{{Function: f.Name}}
	}
	return nil
}

func (b *Binary) readTables() (t symbolTables) {
	defer func() {
		if p := recover(); p != nil {
			t.warnings = append(t.warnings, fmt.Sprintf("%s: its tables are damaged: %v", b.name, p))
		}
	}()
	symbols, err := b.symtab()
	if err != nil {
		t.warnings = append(t.warnings, fmt.Sprintf("%s: symbol table: %v", b.name, err))
	}
	for _, s := range symbols {
		switch s.name {
		case "runtime.text", "text", "_text", "runtime.etext", "etext", "_etext":
			continue // these name sections
		}
		f := Function{Name: s.name, Start: s.addr, End: s.addr + s.size}
		if f.End < f.Start {
			continue
		}
		t.names = append(t.names, f)
		if s.code && s.size > 0 {
			t.symbols = append(t.symbols, f)
		}
	}
	byStart := func(x, y Function) int { return cmp.Compare(x.Start, y.Start) }
	slices.SortStableFunc(t.symbols, byStart)
	slices.SortStableFunc(t.names, byStart)
	t.pcln, err = b.readPclntab(symbols)
	if err != nil {
		t.warnings = append(t.warnings, fmt.Sprintf("%s: Go's table of functions: %v", b.name, err))
	}
	t.functions = t.symbols
	if t.pcln != nil && len(t.symbols) == 0 {
		t.functions = t.pcln.functions()
		t.names = t.functions
	}
	return t
}

// read reads size bytes at an offset of the section.
func (s section) read(offset, size uint64) ([]byte, error) {
	if s.data == nil || offset > s.size || size > s.size-offset {
		return nil, fmt.Errorf("section %s holds %d bytes, %d are wanted at %d", s.name, s.size, size, offset)
	}
	if size > maxSection {
		return nil, fmt.Errorf("section %s: %d bytes are more than %d MiB", s.name, size, maxSection>>20)
	}
	// Grown as bytes arrive: the size is what the file says of itself.
	data, err := io.ReadAll(io.NewSectionReader(s.data, int64(offset), int64(size)))
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", s.name, err)
	}
	if uint64(len(data)) < size {
		return nil, fmt.Errorf("section %s: %w", s.name, io.ErrUnexpectedEOF)
	}
	return data, nil
}

// at returns size bytes of what lies at an address.
func (b *Binary) at(address, size uint64) ([]byte, error) {
	for _, s := range b.sections {
		if s.data != nil && address >= s.addr && address-s.addr < s.size {
			return s.read(address-s.addr, size)
		}
	}
	return nil, fmt.Errorf("nothing is loaded at %#x", address)
}
