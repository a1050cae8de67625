package report

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"
)

// The contract with flame.js. Names are shared by all flame graphs of a page;
// nodes stand in columns, a parent before its children.
type jsonFlames struct {
	Names    []string        `json:"names"`
	Files    []string        `json:"files"`    // of names
	Packages []string        `json:"packages"` // distinct
	Groups   []int           `json:"groups"`   // of packages: 0 own module, 1 standard library, 2 other modules, 3 runtime, 4 no package
	Package  []int           `json:"package"`  // of names: index into packages
	Flames   []jsonFlameView `json:"flames"`
}

type jsonFlameView struct {
	Label     string   `json:"label"`
	Unit      string   `json:"unit"`
	Name      []int    `json:"name"`
	Parent    []int    `json:"parent"`
	Value     []int64  `json:"value"`
	Collapsed [][2]int `json:"collapsed"` // node, frames in it
}

// Groups of packages.
const (
	groupOwn = iota
	groupStd
	groupOther
	groupRuntime
	groupNone
)

// flameData collects the flame graphs of a page; module is the one whose
// packages count as the user's own, "" when that is not known.
func flameData(module string, profiles []Profile) *jsonFlames {
	d := &jsonFlames{Names: []string{}, Files: []string{}, Packages: []string{}, Groups: []int{}, Package: []int{}, Flames: []jsonFlameView{}}
	names, packages := make(map[[2]string]int), make(map[string]int)
	intern := func(name, file string) int {
		key := [2]string{name, file}
		if i, ok := names[key]; ok {
			return i
		}
		i := len(d.Names)
		names[key] = i
		pkg := packageOf(name)
		at, ok := packages[pkg]
		if !ok {
			at = len(d.Packages)
			packages[pkg] = at
			d.Packages = append(d.Packages, clean(pkg))
			d.Groups = append(d.Groups, packageGroup(pkg, module))
		}
		d.Names, d.Files, d.Package = append(d.Names, clean(name)), append(d.Files, clean(file)), append(d.Package, at)
		return i
	}
	for i := range profiles {
		p := &profiles[i]
		if p.Flame == nil || len(p.Flame.Nodes) == 0 {
			continue
		}
		local := make([]int, len(p.Flame.Names))
		for n, name := range p.Flame.Names {
			local[n] = intern(name, p.Flame.Files[n])
		}
		v := jsonFlameView{Label: flameLabel(p), Unit: p.Unit, Collapsed: [][2]int{}}
		for j, n := range p.Flame.Nodes {
			v.Name, v.Parent, v.Value = append(v.Name, local[n.Name]), append(v.Parent, n.Parent), append(v.Value, n.Value)
			if n.Collapsed > 0 {
				v.Collapsed = append(v.Collapsed, [2]int{j, n.Collapsed})
			}
		}
		d.Flames = append(d.Flames, v)
	}
	return d
}

// flameLabel names a flame graph in the selector.
func flameLabel(p *Profile) string {
	what := capital(p.what())
	if p.Benchmark == "" {
		return what
	}
	return what + " · " + clean(p.Benchmark)
}

// script is the data as a JSON script block: <, >, & and the line separators
// are escaped, so that no name can end the block.
func (d *jsonFlames) script() (template.JS, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(true)
	if err := e.Encode(d); err != nil {
		return "", err
	}
	return template.JS(strings.TrimSpace(buf.String())), nil
}

// packageOf returns the package path of a linker symbol:
// "github.com/x/y" of "github.com/x/y.(*T[go.shape.int]).m".
func packageOf(name string) string {
	if i := strings.IndexAny(name, "[("); i >= 0 {
		// Type arguments and receivers may hold paths of their own.
		name = name[:i]
	}
	slash := strings.LastIndexByte(name, '/') + 1
	if dot := strings.IndexByte(name[slash:], '.'); dot >= 0 {
		return name[:slash+dot]
	}
	return ""
}

// packageGroup says whose package it is.
func packageGroup(pkg, module string) int {
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case pkg == "":
		return groupNone
	case pkg == "main", module != "" && (pkg == module || strings.HasPrefix(pkg, module+"/") || strings.HasPrefix(pkg, module+"_test")):
		return groupOwn
	case pkg == "runtime" || strings.HasPrefix(pkg, "internal/runtime/") || strings.HasPrefix(pkg, "runtime/internal/"):
		return groupRuntime
	case standard(first):
		return groupStd
	case module == "" && !strings.Contains(first, "."):
		return groupOwn // nobody else's module has a path without a host
	}
	return groupOther
}

// standard reports whether packages of the standard library have this first
// element; a module of that name cannot be imported.
func standard(first string) bool {
	switch first {
	case "archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug",
		"embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal",
		"io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime",
		"slices", "sort", "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode",
		"unique", "unsafe", "vendor", "weak":
		return true
	}
	return false
}
