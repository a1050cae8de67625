package compiler

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"

	format "whet/internal/format/compiler"
	"whet/internal/gobench"
)

// What the compiler decides with a profile is what it decides in the build with that
// profile: it inlines a call beyond the budget where the profile says that it is hot.
func TestProfileGuided(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := t.TempDir()
	big := "package p\n\nfunc big(a []int, k int) (s int) {\n\tfor i := range a {\n" +
		strings.Repeat("\t\tif a[i] > k { s += a[i]*k }\n", 12) + "\t}\n\treturn s\n}\n"
	caller := "package p\n\nfunc Call(a []int) int {\n\treturn big(a, 1)\n}\n"
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "big.go": big, "call.go": caller} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The profile has a comment of its own: no earlier build has prepared it.
	f := &google.Function{ID: 1, Name: "example.com/p.big", StartLine: 3, Filename: filepath.Join(dir, "big.go")}
	g := &google.Function{ID: 2, Name: "example.com/p.Call", StartLine: 3, Filename: filepath.Join(dir, "call.go")}
	leaf := &google.Location{ID: 1, Address: 1, Line: []google.Line{{Function: f, Line: 5}}}
	above := &google.Location{ID: 2, Address: 2, Line: []google.Line{{Function: g, Line: 4}}}
	p := &google.Profile{
		SampleType: []*google.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample:     []*google.Sample{{Location: []*google.Location{leaf, above}, Value: []int64{1000, 10_000_000_000}}},
		Location:   []*google.Location{leaf, above}, Function: []*google.Function{f, g}, Comments: []string{rand.Text()},
	}
	pgo := filepath.Join(dir, "hot.pgo")
	out, err := os.Create(pgo)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	inlined := func(flags ...string) bool {
		t.Helper()
		o := gobench.BuildOptions{Flags: flags}
		target, err := gobench.Resolve(t.Context(), dir, ".", o)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := Decisions(t.Context(), target, o, []string{"example.com/p"}, false)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(r.Inlining, func(n format.Inlining) bool { return n.Outcome == format.CallInlined && n.Function == "big" })
	}
	if inlined() {
		t.Error("big is inlined without a profile: the test shows nothing")
	}
	if !inlined("-pgo=" + pgo) {
		t.Error("big is not inlined with a profile in which its call is all")
	}

	broken := filepath.Join(dir, "broken.pgo")
	if err := os.WriteFile(broken, []byte("none"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := gobench.BuildOptions{Flags: []string{"-pgo", broken}}
	target, err := gobench.Resolve(t.Context(), dir, ".", o)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Decisions(t.Context(), target, o, []string{"example.com/p"}, false); err == nil || !strings.Contains(err.Error(), "read the profile of -pgo: ") {
		t.Errorf("a profile that is none: %v", err)
	}
}
