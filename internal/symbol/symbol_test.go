package symbol

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// built are the programs that tests share; they are built once.
var built = sync.OnceValues(func() (map[string]string, error) {
	dir, err := os.MkdirTemp("", "symbol-test")
	if err != nil {
		return nil, err
	}
	buildDir = dir
	text, err := os.ReadFile(filepath.Join("testdata", "program", "main.go.txt"))
	if err != nil {
		return nil, err
	}
	for name, data := range map[string][]byte{"main.go": text, "go.mod": []byte("module program\n\ngo 1.26\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return nil, err
		}
	}
	out := make(map[string]string)
	for name, c := range map[string]struct{ os, arch, flags string }{
		"elf":       {"linux", "amd64", ""},
		"stripped":  {"linux", "amd64", "-ldflags=-s -w"},
		"pie":       {"linux", "amd64", "-buildmode=pie"},
		"pieless":   {"linux", "amd64", "-buildmode=pie -ldflags=-s"},
		"arm64":     {"linux", "arm64", "-trimpath"},
		"pe":        {"windows", "amd64", ""},
		"peless":    {"windows", "amd64", "-ldflags=-s"},
		"macho":     {"darwin", "arm64", ""},
		"macholess": {"darwin", "arm64", "-ldflags=-s"},
	} {
		out[name] = filepath.Join(dir, name+".bin")
		args := []string{"build", "-o", out[name]}
		for _, flag := range strings.SplitAfter(c.flags, " ") {
			if flag == "-w" && len(args) > 3 {
				args[len(args)-1] += " -w"
			} else if flag != "" {
				args = append(args, strings.TrimSpace(flag))
			}
		}
		cmd := exec.Command("go", append(args, ".")...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS="+c.os, "GOARCH="+c.arch, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOAMD64=v1")
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s: %w\n%s", name, err, text)
		}
	}
	return out, nil
})

var buildDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

func open(t testing.TB, name string) *Binary {
	t.Helper()
	programs, err := built()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(programs[name])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

var all = []struct{ name, like, format, arch string }{
	{"elf", "elf", "ELF", "amd64"}, {"stripped", "elf", "ELF", "amd64"},
	{"pie", "pie", "ELF", "amd64"}, {"pieless", "pie", "ELF", "amd64"},
	{"arm64", "arm64", "ELF", "arm64"},
	{"pe", "pe", "PE", "amd64"}, {"peless", "pe", "PE", "amd64"},
	{"macho", "macho", "Mach-O", "arm64"}, {"macholess", "macho", "Mach-O", "arm64"},
}

// TestFormats reads what the three formats say of themselves.
func TestFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	for _, c := range all {
		b := open(t, c.name)
		if b.Format() != c.format || b.Arch() != c.arch {
			t.Errorf("%s is %s for %s", c.name, b.Format(), b.Arch())
		}
		if len(b.Warnings()) > 0 {
			t.Errorf("%s: %q", c.name, b.Warnings())
		}
		if b.BuildInfo() == nil || b.BuildInfo().Main.Path != "program" {
			t.Errorf("%s: build info %v", c.name, b.BuildInfo())
		}
		want, err := exec.Command("go", "tool", "buildid", b.Name()).Output()
		if err != nil || b.GoBuildID() != strings.TrimSpace(string(want)) {
			t.Errorf("%s: Go's build id is %q, go tool buildid has %q, %v", c.name, b.GoBuildID(), want, err)
		}
		if (b.BuildID() == "") != (c.format == "PE") {
			t.Errorf("%s: build id %q", c.name, b.BuildID())
		}
	}
	// readelf is the second source for the GNU build id.
	b := open(t, "elf")
	notes, err := exec.Command("readelf", "-n", b.Name()).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(notes), "Build ID: "+b.BuildID()+"\n") {
		t.Errorf("build id %q is not in\n%s", b.BuildID(), notes)
	}
}

// TestStrippedIsTheSame compares every function and every instruction's frames
// of a stripped program with those of the whole one.
func TestStrippedIsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	for _, c := range all {
		if c.name == c.like {
			continue
		}
		whole, less := open(t, c.like), open(t, c.name)
		if len(less.tables().symbols) > 0 {
			t.Fatalf("%s has a symbol table", c.name)
		}
		inMain := func(f Function) bool { return strings.HasPrefix(f.Name, "main.") || f.Name == "runtime.mallocgc" }
		want, got := whole.Functions(inMain), less.Functions(inMain)
		if len(want) < 6 || len(want) != len(got) {
			t.Fatalf("%s: %d functions, %d of them stripped", c.name, len(want), len(got))
		}
		deepest := 0
		for i := range want {
			if want[i].Name != got[i].Name || got[i].End < want[i].End-1 {
				t.Errorf("%s: %v, stripped %v", c.name, want[i], got[i])
			}
			size := want[i].End - want[i].Start
			for at := range size {
				theirs, ours := whole.Frames(want[i].Start+at), less.Frames(got[i].Start+at)
				if d := cmp.Diff(theirs, ours); d != "" {
					t.Fatalf("%s: %s+%#x: -whole +stripped:\n%s", c.name, want[i].Name, at, d)
				}
				deepest = max(deepest, len(ours))
			}
		}
		if deepest < 3 {
			t.Errorf("%s: inlined calls are at most %d deep", c.name, deepest)
		}
	}
}

// TestFramesAreTheRuntimes asks for addresses all over this test's own code,
// and the runtime for the same. The runtime names the innermost frame.
func TestFramesAreTheRuntimes(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	self, ok := b.FunctionNamed(t, "whet/internal/symbol.TestFramesAreTheRuntimes")
	if !ok {
		t.Fatal("this test is not in its binary")
	}
	slide := runtime.FuncForPC(callerPC()).Entry() - uintptr(self.Start)
	checked := 0
	for _, f := range b.Functions(func(f Function) bool {
		return strings.Contains(f.Name, "symbol.") || strings.HasPrefix(f.Name, "strings.")
	}) {
		for at := f.Start; at+1 < f.End; at += 3 { // +1 is the next function's for the last byte
			frames := b.Frames(at)
			if len(frames) == 0 || frames[0].Line == 0 {
				continue
			}
			want, _ := runtime.CallersFrames([]uintptr{uintptr(at) + slide + 1}).Next()
			if want.Function != withoutTypes(frames[0].Function) || want.File != frames[0].File || want.Line != frames[0].Line {
				t.Fatalf("%#x: %+v, the runtime has %s %s:%d", at, frames[0], want.Function, want.File, want.Line)
			}
			checked++
		}
	}
	if checked < 1000 {
		t.Errorf("%d addresses", checked)
	}
}

// withoutTypes leaves type arguments out, as the runtime does for people.
func withoutTypes(name string) string {
	before, after, ok := strings.Cut(name, "[")
	if !ok {
		return name
	}
	return before + "[...]" + after[strings.LastIndexByte(after, ']')+1:]
}

// callerPC returns an address of its caller.
func callerPC() uintptr {
	pc, _, _, _ := runtime.Caller(1)
	return pc
}

// FunctionNamed is for tests.
func (b *Binary) FunctionNamed(t testing.TB, symbol string) (Function, bool) {
	t.Helper()
	found := b.Functions(func(f Function) bool { return f.Name == symbol })
	if len(found) != 1 {
		return Function{}, false
	}
	return found[0], true
}

// TestInlinedCallsAreThoseOfDWARF compares Go's inlining tree with what the
// compiler wrote for debuggers.
func TestInlinedCallsAreThoseOfDWARF(t *testing.T) {
	b := open(t, "elf")
	compared := 0
	for _, f := range b.Functions(func(f Function) bool { return strings.HasPrefix(f.Name, "main.") }) {
		for at := f.Start; at < f.End; at++ {
			ours, dwarf := b.tables().pcln.frames(at), b.debugged().frames(at)
			if len(ours) == 0 || len(dwarf) < 2 || len(ours) != len(dwarf) {
				continue // DWARF's ranges leave some instructions to the caller
			}
			for i := range ours {
				if ours[i].Function != dwarf[i].Function || ours[i].File != dwarf[i].File || ours[i].Line != dwarf[i].Line {
					t.Fatalf("%#x, frame %d: %+v, DWARF has %+v", at, i, ours[i], dwarf[i])
				}
			}
			compared++
		}
	}
	if compared < 10 {
		t.Errorf("%d addresses with inlined calls", compared)
	}
}

// TestFirstLines are the lines of the declarations in the program's source.
func TestFirstLines(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "program", "main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lineOf := func(s string) int { return 1 + bytes.Count(text[:bytes.Index(text, []byte(s))], []byte("\n")) }
	b := open(t, "stripped")
	f, ok := b.FunctionNamed(t, "main.outer")
	if !ok {
		t.Fatal("no main.outer")
	}
	seen := make(map[string]int)
	for at := f.Start; at < f.End; at++ {
		for _, frame := range b.Frames(at) {
			seen[frame.Function] = frame.Start
		}
	}
	want := map[string]int{"main.outer": lineOf("func outer("), "main.middle": lineOf("func middle("), "main.inner": lineOf("func inner(")}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
	if sums := b.Functions(func(f Function) bool { return strings.HasPrefix(f.Name, "main.Sum[") }); len(sums) != 2 || sums[0].Name != "main.Sum[go.shape.float64]" && sums[0].Name != "main.Sum[go.shape.int]" {
		t.Errorf("the shapes of Sum: %v", sums)
	}
}

// TestCodeThatEndsWithin: an instruction of which half is asked for has that
// half's size.
func TestCodeThatEndsWithin(t *testing.T) {
	b := open(t, "arm64")
	f, _ := b.FunctionNamed(t, "main.outer")
	list, err := b.Disassemble(f.Start, f.Start+6)
	if err != nil || len(list) != 2 || list[0].Size != 4 || list[1].Size != 2 || list[1].Text != "?" {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := b.Disassemble(f.Start, f.Start-1); err == nil {
		t.Errorf("backwards: %+v", list)
	}
}

// TestDisassembly holds instructions, files and lines against go tool objdump.
func TestDisassembly(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	for _, name := range []string{"elf", "pie", "arm64", "pe", "macho"} {
		b := open(t, name)
		out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.`, b.Name()).Output()
		if err != nil {
			t.Fatal(err)
		}
		type instruction struct{ place, address, text string }
		want := make(map[string][]instruction)
		function := ""
		lines := bufio.NewScanner(bytes.NewReader(out))
		for lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), "TEXT "); ok {
				function, _, _ = strings.Cut(rest, "(SB)")
				continue
			}
			fields := strings.FieldsFunc(lines.Text(), func(r rune) bool { return r == '\t' })
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
			if len(fields) >= 4 { // place, address, bytes, text
				want[function] = append(want[function], instruction{fields[0], fields[1], strings.TrimSpace(fields[3])})
			}
		}
		if len(want) < 5 {
			t.Fatalf("%s: %d functions in\n%s", name, len(want), out)
		}
		for function, theirs := range want {
			f, ok := b.FunctionNamed(t, function)
			if !ok {
				t.Errorf("%s: no %s", name, function)
				continue
			}
			list, err := b.Disassemble(f.Start, f.End)
			if err != nil {
				t.Fatal(err)
			}
			var ours []instruction
			for _, in := range list {
				frames := b.Frames(in.Address)
				place := ""
				if len(frames) > 0 {
					place = filepath.Base(frames[0].File) + ":" + strconv.Itoa(frames[0].Line)
				}
				ours = append(ours, instruction{place, fmt.Sprintf("%#x", in.Address), in.Text})
			}
			// What fills the space after the code has no line; objdump makes
			// one up.
			for i := len(ours) - 1; i >= 0 && i < len(theirs) && ours[i].text == theirs[i].text && strings.HasSuffix(ours[i].place, ":0"); i-- {
				theirs[i].place = ours[i].place
			}
			if !slices.Equal(theirs, ours) {
				t.Errorf("%s: -objdump +whet:\n%s", name, cmp.Diff(theirs, ours, cmp.AllowUnexported(instruction{})))
			}
		}
	}
}
