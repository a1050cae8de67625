package reach

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"whet/internal/format/goobj"
)

// program is the test program of a package of whet's, and the symbols of code
// that the linker kept of it, by name.
func program(t *testing.T, pkg string) (p *Program, kept map[string]bool) {
	t.Helper()
	out, err := exec.Command("go", "list", "-test", "-deps", "-export", "-f", `{{.ImportPath}}{{"\t"}}{{.Export}}{{if eq .Name "main"}}{{range .Deps}}{{"\t"}}{{.}}{{end}}{{end}}`, pkg).Output()
	if err != nil {
		t.Fatal(err)
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
	if p, err = table.Link(packages); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "p.test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	kept = make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^\s*[0-9a-f]+ [Tt] (.*)$`).FindAllStringSubmatch(string(out), -1) {
		kept[strings.TrimSuffix(m[1], ".abi0")] = true
	}
	return p, kept
}

// With the lists of tests followed, too, what is reached is what the linker
// keeps: all of it, and but for the runtime, C code and initialisation of maps
// hardly more.
func TestLinker(t *testing.T) {
	if testing.Short() {
		t.Skip("links a test binary")
	}
	p, kept := program(t, "whet/internal/analyze/compare")
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
