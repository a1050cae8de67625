package symbol

import (
	"debug/dwarf"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestC holds functions, inlined calls and lines of C code against addr2line.
func TestC(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	for _, version := range []string{"4", "5"} {
		out := filepath.Join(t.TempDir(), "c")
		if text, err := exec.Command("gcc", "-g", "-gdwarf-"+version, "-O2", "-no-pie", "-o", out, filepath.Join("testdata", "c", "inline.c")).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%s", err, text)
		}
		b, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if b.BuildInfo() != nil || len(b.Warnings()) > 0 || b.GoBuildID() != "" {
			t.Errorf("a C program has build info %v, a Go build id %q, warnings %q", b.BuildInfo(), b.GoBuildID(), b.Warnings())
		}
		f, ok := b.FunctionNamed(t, "outer")
		if !ok {
			t.Fatal("no outer")
		}
		deepest := 0
		list, err := b.Disassemble(f.Start, f.End)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range list {
			var ours []string
			for _, f := range b.Frames(in.Address) {
				ours = append(ours, f.Function, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line))
			}
			text, err := exec.Command("addr2line", "-f", "-i", "-s", "-e", out, fmt.Sprintf("%#x", in.Address)).Output()
			if err != nil {
				t.Fatal(err)
			}
			var theirs []string
			for _, line := range strings.Fields(string(text)) {
				if !strings.HasPrefix(line, "(") { // (discriminator 3)
					theirs = append(theirs, line)
				}
			}
			if len(theirs) == 0 {
				break // all words were such
			}
			if got, want := strings.Join(ours, " "), onlyWords(theirs); got != want {
				t.Errorf("DWARF %s, %#x: %s, addr2line has %s", version, in.Address, got, want)
			}
			deepest = max(deepest, len(ours)/2)
		}
		if deepest != 3 {
			t.Errorf("inlined calls are %d deep, want 3", deepest)
		}
		// Without DWARF the symbol table has the name.
		if text, err := exec.Command("strip", "-g", out).CombinedOutput(); err != nil {
			t.Fatalf("strip: %v\n%s", err, text)
		}
		bare, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer bare.Close()
		if frames := bare.Frames(f.Start + 1); len(frames) != 1 || frames[0].Function != "outer" || frames[0].Line != 0 {
			t.Errorf("without DWARF: %+v", frames)
		}
	}
}

// TestSequencesThatMeet: the second function's code lies before the first's.
func TestSequencesThatMeet(t *testing.T) {
	u := unit{lines: []dwarf.LineEntry{
		{Address: 0x20, Line: 7}, {Address: 0x30, EndSequence: true},
		{Address: 0x10, Line: 3}, {Address: 0x20, EndSequence: true},
	}}
	u.sortLines()
	for address, want := range map[uint64]int{0xf: 0, 0x10: 3, 0x1f: 3, 0x20: 7, 0x2f: 7, 0x30: 0} {
		if got := u.line(address).Line; got != want {
			t.Errorf("%#x is of line %d, want %d", address, got, want)
		}
	}
}

// onlyWords leaves discriminators' numbers out: "3)".
func onlyWords(words []string) string {
	var out []string
	for _, w := range words {
		if !strings.HasSuffix(w, ")") {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
