package symbol

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/recording"
)

// TestSlim: a Go binary as recordings keep it names every address as the whole one
// does, has the same instructions and ids, and takes less than two thirds packed.
func TestSlim(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	programs, err := built()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"elf", "pie", "arm64"} {
		data, err := os.ReadFile(programs[name])
		if err != nil {
			t.Fatal(err)
		}
		slim := recording.Slim(data)
		if !bytes.Equal(recording.Slim(slim), slim) {
			t.Errorf("%s: what is slim changes when it is made slim", name)
		}
		if before, after := packed(t, data), packed(t, slim); after*3 > before*2 {
			t.Errorf("%s: %d bytes packed, %d slim", name, before, after)
		}
		f, err := elf.NewFile(bytes.NewReader(slim))
		if err != nil {
			t.Fatal(err)
		}
		if d, err := f.DWARF(); err == nil {
			if e, err := d.Reader().Next(); e != nil {
				t.Errorf("%s: it still has debug information: %v, %v", name, e, err)
			}
		}
		whole := open(t, name)
		got, err := Read(bytes.NewReader(slim), name)
		if err != nil {
			t.Fatal(err)
		}
		if got.BuildID() != whole.BuildID() || got.GoBuildID() != whole.GoBuildID() || got.BuildInfo().String() != whole.BuildInfo().String() || len(got.Warnings()) > 0 {
			t.Errorf("%s: ids or build info differ, or there are warnings: %q", name, got.Warnings())
		}
		all := func(Function) bool { return true }
		functions := whole.Functions(all)
		if len(functions) < 1000 || !cmp.Equal(got.Functions(all), functions) {
			t.Errorf("%s: %d functions, slim %d", name, len(functions), len(got.Functions(all)))
		}
		for i, f := range functions {
			for _, address := range []uint64{f.Start, f.Start + (f.End-f.Start)/2} {
				if d := cmp.Diff(whole.Frames(address), got.Frames(address)); d != "" {
					t.Fatalf("%s: %s at %#x: %s", name, f.Name, address, d)
				}
			}
			if i%50 == 0 {
				theirs, err := whole.Disassemble(f.Start, f.End)
				ours, err2 := got.Disassemble(f.Start, f.End)
				if err != nil || err2 != nil || !cmp.Equal(ours, theirs) {
					t.Errorf("%s: the instructions of %s differ: %v, %v", name, f.Name, err, err2)
				}
			}
		}
	}
}

// TestSlimLeaves: what is no Go program, has code in C, or is of another format stays
// as it is, and so does what is damaged.
func TestSlimLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	programs, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=1", "CGO_CFLAGS=-g -O2", "GOFLAGS=-buildvcs=false")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
	}
	files := map[string]string{"go.mod": "module mixed\n\ngo 1.26\n", "main.go": "package main\n\n// int twice(int x) { return 2 * x; }\nimport \"C\"\n\nfunc main() { println(C.twice(21)) }\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("go", "build", "-ldflags=-linkmode=external", "-o", "mixed", ".")
	source, err := filepath.Abs(filepath.Join("testdata", "c", "inline.c"))
	if err != nil {
		t.Fatal(err)
	}
	run("gcc", "-g", "-O2", "-o", "c", source)
	for _, name := range []string{filepath.Join(dir, "mixed"), filepath.Join(dir, "c"), programs["stripped"], programs["pe"], programs["macho"]} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(recording.Slim(data), data) {
			t.Errorf("%s was changed", filepath.Base(name))
		}
	}
	data, err := os.ReadFile(programs["elf"])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 3, 63, 64, 1000, len(data) / 2, len(data) - 1} {
		if cut := data[:n]; !bytes.Equal(recording.Slim(cut), cut) {
			t.Errorf("the first %d bytes of a program were changed", n)
		}
	}
}

// TestSlimSuspects: a program whose tables say that debug information lies among what is
// loaded, outside the file or in headers, or is larger than memory, stays as it is.
func TestSlimSuspects(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	programs, err := built()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(programs["elf"])
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(recording.Slim(data), data) {
		t.Fatal("the program has nothing to lose")
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	table := le.Uint64(data[0x28:])
	index := func(name string) int {
		i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return s.Name == name })
		if i < 0 {
			t.Fatalf("no section %s", name)
		}
		return i
	}
	header := func(of []byte, i int) []byte { return of[int(table)+i*64:][:64] }
	frame, info := index(".debug_frame"), index(".debug_info")
	const flags, offset, size = 0x08, 0x18, 0x20 // of Elf64_Shdr; sh_type is at 4
	for name, change := range map[string]func(of []byte){
		"over the text":            func(of []byte) { le.PutUint64(header(of, frame)[offset:], f.Section(".text").Offset+5) },
		"over the first header":    func(of []byte) { le.PutUint64(header(of, frame)[offset:], 0) },
		"over the sections' table": func(of []byte) { le.PutUint64(header(of, frame)[offset:], table+64) },
		"over what is not loaded":  func(of []byte) { le.PutUint64(header(of, frame)[offset:], f.Section(".symtab").Offset) },
		"beyond the file":          func(of []byte) { le.PutUint64(header(of, frame)[offset:], uint64(len(of))) },
		"around zero": func(of []byte) {
			le.PutUint64(header(of, frame)[offset:], 1<<64-8)
			le.PutUint64(header(of, frame)[size:], 16)
		},
		"4 GiB":             func(of []byte) { le.PutUint64(header(of, frame)[size:], 4<<30) },
		"more than all":     func(of []byte) { le.PutUint64(header(of, info)[size:], 1<<63-1) },
		"in no file":        func(of []byte) { le.PutUint32(header(of, frame)[4:], uint32(elf.SHT_NOBITS)) },
		"a segment outside": func(of []byte) { le.PutUint64(of[le.Uint64(of[0x20:])+0x20:], 1<<62) },
		"packed, 1 TiB": func(of []byte) {
			h := header(of, frame)
			le.PutUint64(h[flags:], uint64(elf.SHF_COMPRESSED))
			packed := of[le.Uint64(h[offset:]):] // Elf64_Chdr: type, size, alignment
			le.PutUint32(packed, uint32(elf.COMPRESS_ZLIB))
			le.PutUint64(packed[8:], 1<<40)
		},
		"packed in the older way, 1 TiB": func(of []byte) {
			packed := of[f.Sections[frame].Offset:]
			copy(packed, "ZLIB")
			binary.BigEndian.PutUint64(packed[4:], 1<<40)
		},
		"32 bits": func(of []byte) { of[4] = byte(elf.ELFCLASS32) },
	} {
		changed := bytes.Clone(data)
		change(changed)
		if bytes.Equal(changed, data) {
			t.Errorf("%s: nothing is changed", name)
		}
		if slim := recording.Slim(changed); !bytes.Equal(slim, changed) {
			t.Errorf("%s: it lost something", name)
		}
	}
}

func packed(t *testing.T, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
