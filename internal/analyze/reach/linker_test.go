package reach

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whet/internal/format/goobj"
)

// program returns the test program of a package, as seen from a directory.
func program(t *testing.T, dir, pkg string) *Program {
	t.Helper()
	cmd := exec.Command("go", "list", "-test", "-deps", "-export", "-f", `{{.ImportPath}}{{"\t"}}{{.Export}}{{if eq .Name "main"}}{{range .Deps}}{{"\t"}}{{.}}{{end}}{{end}}`, pkg)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	files := make(map[string]string)
	var main []string
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) > 1 {
			files[f[0]] = f[1]
		}
		if f[0] == pkg+".test" {
			main = f[2:]
		}
	}
	table, packages := NewTable(), make(map[string]*Package)
	add := func(path, file string) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := goobj.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		packages[path] = table.Add(path, a)
	}
	add("main", files[pkg+".test"])
	for _, dep := range main {
		if path, _, _ := strings.Cut(dep, " "); files[dep] != "" {
			add(path, files[dep])
		}
	}
	p, err := table.Link(packages)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// linked returns the symbols of code that the linker kept of the test program of a
// package of whet's, by name, and its packages as they are initialised after the
// runtime.
func linked(t *testing.T, pkg string) (kept map[string]bool, inits []string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "p.test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	kept = make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^\s*[0-9a-f]+ [Tt] (.*)$`).FindAllStringSubmatch(string(out), -1) {
		kept[strings.TrimSuffix(m[1], ".abi0")] = true
	}
	cmd := exec.Command(binary, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	if out, err = cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @`).FindAllStringSubmatch(string(out), -1) {
		if inits = append(inits, m[1]); m[1] == "runtime" {
			inits = nil
		}
	}
	return kept, inits
}

// With the lists of tests followed, too, what is reached is what the linker
// keeps: all of it, and but for the runtime, C code and initialisation of maps
// hardly more.
func TestLinker(t *testing.T) {
	if testing.Short() {
		t.Skip("links a test binary")
	}
	const pkg = "whet/internal/analyze/compare"
	p := program(t, "", pkg)
	kept, inits := linked(t, pkg)
	var order []string
	for _, task := range p.initOrder() {
		if name := strings.TrimSuffix(task, "..inittask"); slices.Contains(inits, name) { // the runtime's imports are not
			order = append(order, name)
		}
	}
	if len(inits) < 10 || !slices.Equal(order, inits) {
		t.Errorf("initialised are %q, not %q", inits, order)
	}
	w := newWalk(p, p)
	w.cut = nil
	w.roots()
	main := p.packages["main"]
	o := main.archive.Objects[0]
	for i := range o.Defs() {
		if string(o.Name(i)) == "main.main" {
			w.reach(main.nodes[0][i], main.nodes[0][i])
		}
	}
	w.flood()
	if w.why != "" {
		t.Fatal(w.why)
	}
	reached := make(map[string]bool)
	own, more := 0, 0
	for n, b := range w.bits {
		d, ok := p.definition(node(n))
		if b&visited == 0 || !ok || !p.t.object(d).Symbol(int(d.symbol)).IsText() {
			continue
		}
		name := strings.ReplaceAll(string(p.t.object(d).Name(int(d.symbol))), "·", ".") // as the linker writes it
		reached[name] = true
		pkg := p.t.packages[d.pkg-1]
		if pkg.path == "runtime" || len(pkg.archive.Foreign) > 0 || strings.Contains(name, "map.init.") {
			continue
		}
		own++
		if !kept[name] {
			more++
		}
	}
	for name := range kept {
		if !reached[name] && !madeByLinker(name) {
			t.Errorf("kept, and not reached: %s", name)
		}
	}
	// Copies of generic functions and assembly that the linker inlines or gives
	// other names are among these.
	if own < 1000 || more > own/50 {
		t.Errorf("%d of the %d functions that are reached beside the runtime's are not kept", more, own)
	}
}

// madeByLinker reports whether no object has such a function.
func madeByLinker(name string) bool {
	return strings.HasPrefix(name, "runtime.text") || strings.HasPrefix(name, "runtime.etext") || strings.HasPrefix(name, "go:")
}
