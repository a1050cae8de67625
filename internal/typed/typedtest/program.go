package typedtest

import (
	"bytes"
	"cmp"
	"fmt"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"whet/internal/format/typeview"
	"whet/internal/typed"
)

// File is a source file.
type File struct {
	Package string // its path
	Frame   string // the file's name in profiles
	Text    string
}

// Imports are the same for all tests of a process: asking the go command for one
// takes a tenth of a second, and packing one is most of what a small program takes.
var (
	mu       sync.Mutex
	standard = importer.Default()
	views    = make(map[string][]byte) // by what they hold
)

// Program returns the program that the files are.
func Program(t testing.TB, files ...File) *typed.Program {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	view := &typeview.View{GoVersion: runtime.Version(), GOARCH: "amd64"}
	texts := make(map[string][]byte)
	for _, f := range files {
		texts[f.Frame] = []byte(f.Text)
		i := slices.IndexFunc(view.Packages, func(p typeview.Package) bool { return p.Path == f.Package })
		if i < 0 {
			i = len(view.Packages)
			view.Packages = append(view.Packages, typeview.Package{Path: f.Package})
		}
		view.Packages[i].Files = append(view.Packages[i].Files, f.Frame)
	}
	slices.SortFunc(view.Packages, func(a, b typeview.Package) int { return cmp.Compare(a.Path, b.Path) })
	var imported []*types.Package
	for _, f := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), f.Frame, f.Text, 0)
		if err != nil {
			continue // a test of bad input
		}
		at := slices.IndexFunc(view.Packages, func(p typeview.Package) bool { return p.Path == f.Package })
		view.Packages[at].Name = syntax.Name.Name
		for _, spec := range syntax.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			known := func(p *types.Package) bool { return p.Path() == path }
			kept := func(p typeview.Package) bool { return p.Path == path }
			if path == "C" || path == "unsafe" || slices.ContainsFunc(imported, known) || slices.ContainsFunc(view.Packages, kept) {
				continue
			}
			if p, err := standard.Import(path); err == nil {
				imported = append(imported, p)
			}
		}
	}
	key := fmt.Sprint(view.Packages)
	for _, p := range imported {
		key += " " + p.Path()
	}
	if views[key] == nil {
		var data bytes.Buffer
		if err := typeview.Write(&data, view, imported, nil); err != nil {
			t.Fatal(err)
		}
		views[key] = data.Bytes()
	}
	read, err := typeview.Read(views[key], typeview.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return typed.New(read, func(frame string) []byte { return texts[frame] })
}
