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
`

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

// walk follows everything that an archive refers to, and counts it.
func walk(a *Archive) (symbols, bytes int) {
	for _, o := range a.Objects {
		o.Imports()
		o.RefsUsedInIface()
		o.SameFiles(o)
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
