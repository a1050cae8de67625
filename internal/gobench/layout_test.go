//go:build unix

package gobench

import (
	"bytes"
	"context"
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithLayout(t *testing.T) {
	for _, tt := range []struct {
		flags   []string
		goflags string
		seed    uint64
		want    []string
	}{
		{nil, "", 7, []string{"-ldflags=-w -randlayout=8"}},
		{[]string{"-tags=x", "-ldflags=-s"}, "", 7, []string{"-ldflags=-w -randlayout=8", "-tags=x", "-ldflags=-s -w -randlayout=8"}},
		{[]string{"-ldflags", "-X a.b=c"}, "", 1, []string{"-ldflags=-w -randlayout=2", "-ldflags=-X a.b=c -w -randlayout=2"}},
		{[]string{"--ldflags=all=-s"}, "", 1, []string{"-ldflags=-w -randlayout=2", "-ldflags=all=-s -w -randlayout=2"}},
		{[]string{"-ldflags="}, "", 1, []string{"-ldflags=-w -randlayout=2", "-ldflags=-w -randlayout=2"}},
		{[]string{"-trimpath"}, "-mod=mod '-ldflags=-X a.b=c d'", 1, []string{
			"-ldflags=-w -randlayout=2", "-ldflags=-X a.b=c d -w -randlayout=2", "-trimpath"}},
		// A value of its own at the end is the go command's to complain about.
		{[]string{"-ldflags"}, "", 1, []string{"-ldflags=-w -randlayout=2", "-ldflags"}},
		// The linker's generator tells 2^31-2 seeds apart; none becomes 0.
		{nil, "", 1<<31 - 2, []string{"-ldflags=-w -randlayout=1"}},
		{nil, "", 1<<31 - 3, []string{"-ldflags=-w -randlayout=2147483646"}},
		{nil, "", 1<<64 - 1, []string{"-ldflags=-w -randlayout=16"}}, // 2^31 is 2 modulo 2^31-2, so 2^62 is 4 and 2^64 is 16
	} {
		got, err := withLayout(tt.flags, tt.goflags, tt.seed)
		if err != nil {
			t.Errorf("%q: %v", tt.flags, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q, GOFLAGS %q, seed %d: %s", tt.flags, tt.goflags, tt.seed, d)
		}
	}
	if _, err := withLayout(nil, "'-ldflags=-s", 1); err == nil {
		t.Error("an open quote in GOFLAGS was accepted")
	}
}

// What is split was joined by quoting what needs it.
func FuzzSplitQuoted(f *testing.F) {
	f.Add("-a=b '-c=d e'  \"f'\"")
	f.Add("'")
	f.Fuzz(func(t *testing.T, s string) {
		fields, err := splitQuoted(s)
		if err != nil {
			return
		}
		var joined []string
		for _, f := range fields {
			switch {
			case f != "" && !strings.ContainsAny(f, " \t\n\r") && f[0] != '\'' && f[0] != '"':
				joined = append(joined, f)
			case !strings.Contains(f, "'"):
				joined = append(joined, "'"+f+"'")
			case !strings.Contains(f, `"`):
				joined = append(joined, `"`+f+`"`)
			default:
				t.Fatalf("%q: %q holds both quotes and cannot have been one field", s, f)
			}
		}
		again, err := splitQuoted(strings.Join(joined, "\n"))
		if err != nil || !slices.Equal(again, fields) {
			t.Errorf("%q splits to %q, and joined again to %q, %v", s, fields, again, err)
		}
	})
}

// order returns the binary's functions by address.
func order(t *testing.T, name string) []string {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	symbols = slices.DeleteFunc(symbols, func(s elf.Symbol) bool { return elf.ST_TYPE(s.Info) != elf.STT_FUNC })
	slices.SortStableFunc(symbols, func(a, b elf.Symbol) int {
		if a.Value < b.Value {
			return -1
		}
		return 1
	})
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	return names
}

// loaded returns the contents of all sections that are mapped when the program
// runs, but for the note that identifies the build.
func loaded(t *testing.T, name string) map[string][]byte {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := make(map[string][]byte)
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NOTE {
			continue
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		out[s.Name] = data
	}
	return out
}

// A seed gives one order of the functions, another seed another one of the
// same functions; what runs is the same with debugging information and without.
func TestLink(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads ELF binaries")
	}
	ctx := context.Background()
	b := zooBinary(t)
	dir := t.TempDir()
	link := func(seed uint64, name string, flags ...string) *Binary {
		t.Helper()
		linked, err := b.Link(ctx, BuildOptions{Flags: append([]string{"-trimpath"}, flags...)}, seed, filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return linked
	}
	own, one, two := link(0, "own.test"), link(1, "one.test"), link(2, "two.test")
	again := link(1, "again.test")
	a, err := os.ReadFile(one.Path)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := os.ReadFile(again.Path); err != nil || !bytes.Equal(a, c) {
		t.Errorf("the same seed gives two binaries, %v", err)
	}
	orders := [][]string{order(t, own.Path), order(t, one.Path), order(t, two.Path)}
	for i := range orders {
		if next := orders[(i+1)%3]; slices.Equal(orders[i], next) {
			t.Errorf("orders %d and %d are the same", i, (i+1)%3)
		}
		sorted := slices.Sorted(slices.Values(orders[i]))
		if first := slices.Sorted(slices.Values(orders[0])); !slices.Equal(sorted, first) {
			t.Errorf("order %d is not of the same functions", i)
		}
	}
	// Most functions have another one before them than in the linker's order.
	moved, before := 0, make(map[string]string)
	for i, name := range orders[0][1:] {
		before[name] = orders[0][i]
	}
	for i, name := range orders[1][1:] {
		if before[name] != orders[1][i] {
			moved++
		}
	}
	if n := len(orders[0]); moved < n*9/10 {
		t.Errorf("of %d functions only %d moved", n, moved)
	}

	// -w=0 comes before ours, so it changes nothing; -randlayout alone does.
	plain := filepath.Join(dir, "plain.test")
	if _, err := b.Target.make(ctx, BuildOptions{Flags: []string{"-trimpath", "-ldflags=-randlayout=2"}}, plain, "link", "test", "-c", "-vet=off"); err != nil {
		t.Fatal(err)
	}
	with, without := loaded(t, plain), loaded(t, one.Path)
	if len(with) < 5 || len(with[".text"]) == 0 {
		t.Fatalf("read only %d sections", len(with))
	}
	for name := range with {
		if !bytes.Equal(with[name], without[name]) {
			t.Errorf("section %s differs with debugging information and without", name)
		}
	}
	if st, err := os.Stat(plain); err != nil || st.Size() <= int64(len(a)) {
		t.Errorf("the binary without debugging information is no smaller: %v", err)
	}

	list, err := one.Benchmarks(ctx, "BenchmarkFatal")
	if err != nil || !slices.Equal(list, []string{"BenchmarkFatal"}) {
		t.Errorf("benchmarks of the linked binary: %v, %v", list, err)
	}
	can, err := b.Target.CanLayOut(ctx, BuildOptions{})
	if err != nil || !can {
		t.Errorf("CanLayOut: %v, %v", can, err)
	}
}

func TestLinkFails(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	b := zooBinary(t)
	dir := t.TempDir()
	_, err := b.Link(context.Background(), BuildOptions{Flags: []string{"-ldflags=-nosuch"}}, 3, filepath.Join(dir, "x.test"))
	wantError(t, "an unknown flag of the linker", err, KindCompile, `\S*zoo does not compile: flag provided but not defined: -nosuch`)
	_, err = b.Link(context.Background(), BuildOptions{Env: []string{"GOFLAGS='"}}, 0, filepath.Join(dir, "x.test"))
	if err == nil {
		t.Error("GOFLAGS that do not parse were accepted")
	}
}
