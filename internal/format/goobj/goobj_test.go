package goobj

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const source = `package p

import "strings"

type T struct{ a, b int }

func (t *T) Sum() int { return t.a + t.b }

var V = [3]string{"x", "y", "z"}

var F = func(s string) []string { return strings.Split(s, V[1]) }

func Asm(x int) int

func G[E any](e E) any { return e }

var _ = G(T{})

func inlined(x int) int { return x*V2 + 1 }

var V2 int

func Calls(x int) int {
	return 3 ^ inlined(x)
}
`

// callLine is the line of the call above that is inlined.
const callLine = 24

const assembly = "TEXT ·Asm(SB), 4, $0-16\n\tRET\n"

// compiled returns the archive of the source above.
func compiled(tb testing.TB) (file string, data []byte) {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": source, "p_" + runtime.GOARCH + ".s": assembly} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	cmd := exec.Command("go", "list", "-export", "-trimpath", "-f", "{{.Export}}", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	file = strings.TrimSpace(string(out))
	if data, err = os.ReadFile(file); err != nil {
		tb.Fatal(err)
	}
	return file, data
}

// What go tool nm reads is read: names and sizes of all symbols that are
// defined.
func TestNm(t *testing.T) {
	file, data := compiled(t)
	a, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Objects) != 2 || !a.Objects[1].Assembly || a.Objects[0].Assembly || a.Objects[0].Std || len(a.Foreign) != 0 {
		t.Fatalf("%d objects, foreign %q", len(a.Objects), a.Foreign)
	}
	out, err := exec.Command("go", "tool", "nm", "-size", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^.*?\s+(\d+) ([TtDdRrBb]) (.*)$`)
	want := make(map[string]bool)
	for _, m := range line.FindAllStringSubmatch(string(out), -1) {
		want[m[1]+" "+strings.TrimSuffix(m[3], "<1>")] = true // nm's mark of static symbols
	}
	if len(want) < 20 {
		t.Fatalf("nm shows %d symbols", len(want))
	}
	got := make(map[string]bool)
	for _, o := range a.Objects {
		for i := range o.Defs() {
			got[fmt.Sprintf("%d %s", o.Symbol(i).Size, o.Name(i))] = true
		}
	}
	for s := range want {
		if !got[s] {
			t.Errorf("nm shows %q", s)
		}
	}
}

// What a function refers to is there: V's second string, and strings.Split's
// implementation by package and number.
func TestReferences(t *testing.T) {
	_, data := compiled(t)
	a, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	o := a.Objects[0]
	index := func(name string) int {
		for i := range o.Defs() {
			if string(o.Name(i)) == name {
				return i
			}
		}
		t.Fatalf("no symbol %s", name)
		return 0
	}
	var texts []string
	relocs := o.Relocs(index("p.V"))
	for j := range relocs.Len() {
		i, ok := o.Local(relocs.At(j).Ref)
		if !ok {
			t.Fatal("not a string of this object")
		}
		texts = append(texts, string(o.Data(i)))
	}
	if !slices.Equal(texts, []string{"x", "y", "z"}) {
		t.Errorf("V refers to %q", texts)
	}
	f := index("p.init.func1")
	if !o.Symbol(f).IsText() || int(o.Symbol(f).Size) != len(o.Data(f)) {
		t.Errorf("%+v with %d bytes", o.Symbol(f), len(o.Data(f)))
	}
	var packages []string
	relocs = o.Relocs(f)
	for j := range relocs.Len() {
		if r := relocs.At(j).Ref; !r.Nil() {
			if _, local := o.Local(r); !local {
				if _, builtin := r.Builtin(); !builtin {
					n, _ := r.Package()
					packages = append(packages, o.Packages()[n])
				}
			}
		}
	}
	if !slices.Contains(packages, "strings") {
		t.Errorf("it refers to %q", packages)
	}
	frame := 0
	for j := range o.NumAux(f) {
		if x := o.Aux(f, j); x.Kind == AuxFuncInfo {
			i, _ := o.Local(x.Ref)
			if FuncInfo(o.Data(i)) != nil {
				frame++
			}
		}
	}
	if frame != 1 {
		t.Errorf("%d frames", frame)
	}
	if !slices.ContainsFunc(o.Imports(), func(i Import) bool { return i.Path == "strings" && i.Fingerprint != [8]byte{} }) {
		t.Errorf("imports %v", o.Imports())
	}
}

// Debugging information is what the auxiliary symbols of that kind are, and what the
// compiler names so; no code or data refers to it.
func TestDebug(t *testing.T) {
	_, data := compiled(t)
	a, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	o, n := a.Objects[0], 0
	debug := func(r Ref) (is, here bool) {
		i, local := o.Local(r)
		if !local || i >= o.Defs() {
			return false, false
		}
		return o.Symbol(i).IsDebug(), true
	}
	for i := range o.Defs() {
		s := o.Symbol(i)
		if named := bytes.HasPrefix(o.Name(i), []byte("go:info.")); named && !s.IsDebug() || s.IsDebug() && s.IsLoaded() {
			t.Errorf("%s is of kind %d", o.Name(i), s.Kind)
		}
		for j := range o.NumAux(i) {
			x := o.Aux(i, j)
			want := x.Kind >= AuxDwarfInfo && x.Kind <= AuxDwarfLines
			if is, here := debug(x.Ref); here && is != want {
				t.Errorf("%s has a symbol of kind %d: debugging information %v", o.Name(i), x.Kind, is)
			} else if is {
				n++
			}
		}
		relocs := o.Relocs(i)
		for j := range relocs.Len() {
			if is, _ := debug(relocs.At(j).Ref); is && s.IsLoaded() {
				t.Errorf("%s refers to debugging information", o.Name(i))
			}
		}
	}
	if n < 10 {
		t.Errorf("%d symbols have debugging information", n)
	}
}

// Only objects of releases whose numbers are known are read.
func TestKnown(t *testing.T) {
	for line, want := range map[string]bool{
		"go object linux amd64 go1.26.8 GOAMD64=v1 X:regabiwrappers": true,
		"go object darwin arm64 go1.26":                              true,
		"go object linux amd64 go1.25.4":                             false,
		"go object linux amd64 go1.27":                               false,
		"go object linux amd64 devel go1.27-0123abc":                 false,
		"": false,
	} {
		if got := Known(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	_, data := compiled(t)
	for _, c := range [][2]string{{" go1.", " go9."}, {magic, "\x00go121ld"}, {archiveMagic, "!<arhc>\n"}} {
		if _, err := Read(bytes.Replace(data, []byte(c[0]), []byte(c[1]), -1)); err == nil {
			t.Errorf("with %q for %q it is read", c[1], c[0])
		}
	}
}

// Files, lines and inlined calls are those that go tool objdump prints, which has
// the innermost of each instruction.
func TestPlaces(t *testing.T) {
	file, data := compiled(t)
	a, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "objdump", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	printed := make(map[string][]string)
	name := ""
	for line := range strings.Lines(string(out)) {
		switch f := strings.Fields(line); {
		case len(f) > 1 && f[0] == "TEXT":
			name = strings.TrimSuffix(f[1], "(SB)")
		case len(f) > 1 && strings.Contains(f[0], ":"):
			if all := printed[name]; len(all) == 0 || all[len(all)-1] != f[0] {
				printed[name] = append(all, f[0])
			}
		}
	}
	o := a.Objects[0]
	compared, calls, reads := 0, 0, 0
	for i := range o.Defs() {
		name := string(o.Name(i))
		if !o.Symbol(i).IsText() || len(printed[name]) == 0 || strings.HasPrefix(name, "p.Asm") { // Asm's are of the assembler's object
			continue
		}
		p, ok := o.Places(i)
		if !ok {
			t.Fatalf("%s has none", name)
		}
		if got := places(t, p); !slices.Equal(got, printed[name]) {
			t.Errorf("%s: %q, not %q", name, got, printed[name])
		}
		for _, c := range p.Inlined {
			if k, ok := o.Local(c.Func); !ok || string(o.Name(k)) != "p.inlined" {
				continue // of others
			}
			if calls++; name != "p.Calls" || c.Parent != -1 || filepath.Base(c.File) != "p.go" || int(c.Line) != callLine {
				t.Errorf("%s has the inlined call %+v", name, c)
			}
		}
		for j, relocs := 0, o.Relocs(i); name == "p.Calls" && j < relocs.Len(); j++ { // the call reads V2, and returning is no part of it
			if k, ok := o.Local(relocs.At(j).Ref); ok && string(o.Name(k)) == "p.V2" {
				if in, after := p.CallAt(uint64(relocs.At(j).Off)), p.CallAt(p.Size-1); in != 0 || after != -1 {
					t.Errorf("V2 is read by call %d, and the end is of call %d", in, after)
				}
				reads++
			}
		}
		compared++
	}
	if compared < 4 || calls != 1 || reads != 1 {
		t.Errorf("%d functions, %d inlined calls, %d reads", compared, calls, reads)
	}
}

// places returns the base of the file and the line of each piece of code.
func places(t *testing.T, p Places) (out []string) {
	t.Helper()
	type run struct {
		line int64
		size uint64
	}
	var lines []run
	line := int64(-1)
	for data := p.Lines; len(data) > 1; { // a zero ends it
		delta, n := binary.Varint(data)
		size, m := binary.Uvarint(data[n:])
		if n <= 0 || m <= 0 {
			t.Fatal("the table of lines ends within a number")
		}
		line += delta
		lines, data = append(lines, run{line, size}), data[n+m:]
	}
	files := slices.Clone(p.Files)
	for len(files) > 0 && len(lines) > 0 {
		if one := fmt.Sprintf("%s:%d", filepath.Base(files[0].File), lines[0].line); len(out) == 0 || out[len(out)-1] != one {
			out = append(out, one)
		}
		size := min(files[0].Size, lines[0].size)
		files[0].Size, lines[0].size = files[0].Size-size, lines[0].size-size
		if files[0].Size == 0 {
			files = files[1:]
		}
		if lines[0].size == 0 {
			lines = lines[1:]
		}
	}
	if len(files)+len(lines) > 0 {
		t.Errorf("%d files and %d lines are left", len(files), len(lines))
	}
	return out
}

// walk follows everything that an archive refers to, and counts it.
func walk(a *Archive) (symbols, bytes int) {
	for _, o := range a.Objects {
		o.Imports()
		o.RefsUsedInIface()
		packages := o.Packages()
		for i := range o.Symbols() {
			o.Name(i)
			o.Symbol(i)
			symbols++
		}
		follow := func(r Ref) {
			if i, ok := o.Local(r); ok {
				o.Name(i)
			} else if _, ok := r.Builtin(); !ok && !r.Nil() {
				n, _ := r.Package()
				_ = packages[n]
			}
		}
		for i := range o.Defs() {
			bytes += len(o.Data(i))
			relocs := o.Relocs(i)
			for j := range relocs.Len() {
				relocs.Shape(j)
				follow(relocs.At(j).Ref)
			}
			for j := range o.NumAux(i) {
				follow(o.Aux(i, j).Ref)
			}
			p, _ := o.Places(i)
			p.CallAt(p.Size / 2)
			for _, c := range p.Inlined {
				follow(c.Func)
			}
		}
	}
	return symbols, bytes
}

// Whatever comes, what is read can be followed to its ends, and the content of
// all symbols together is no more than the archive.
func FuzzRead(f *testing.F) {
	_, data := compiled(f)
	f.Add(data)
	start := bytes.Index(data, []byte(magic))
	for i := range blocks {
		damaged := bytes.Clone(data)
		binary.LittleEndian.PutUint32(damaged[start+len(magic)+12+4*i:], 1<<31)
		f.Add(damaged)
	}
	f.Add(data[:len(data)-100])
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Read(data)
		if err != nil {
			return
		}
		if _, n := walk(a); n > len(data) {
			t.Errorf("%d bytes of symbols in %d", n, len(data))
		}
	})
}
