package typedtest

import (
	"bytes"
	"cmp"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"whet/internal/format/typeview"
)

// Mode is the mode in which packages must be loaded for [View].
const Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesSizes |
	packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedForTest | packages.NeedModule

// View returns the typed view of packages, with their tests where they have been loaded,
// and their files by the names that name gives them. Of what they import it holds
// the objects that they use.
func View(t testing.TB, pkgs []*packages.Package, name func(file string) string) (data []byte, files []string) {
	t.Helper()
	view := &typeview.View{GoVersion: runtime.Version(), GOARCH: runtime.GOARCH}
	imported := make(map[string]*types.Package)
	used := make(map[types.Object]bool)
	// A package with its tests compiled in has all files of the one without.
	for _, p := range slices.SortedStableFunc(slices.Values(pkgs), func(a, b *packages.Package) int { return cmp.Compare(len(b.Syntax), len(a.Syntax)) }) {
		if strings.HasSuffix(p.PkgPath, ".test") || slices.ContainsFunc(view.Packages, func(k typeview.Package) bool { return k.Path == p.PkgPath }) {
			continue
		}
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors[0])
		}
		kept := typeview.Package{Path: p.PkgPath, Name: p.Name, GoVersion: "go" + p.Module.GoVersion}
		for _, file := range p.GoFiles {
			kept.Files = append(kept.Files, name(file))
			files = append(files, file)
		}
		view.Packages = append(view.Packages, kept)
		for _, i := range p.Types.Imports() {
			imported[i.Path()] = i
		}
		for _, obj := range p.TypesInfo.Uses {
			used[obj] = true
		}
	}
	slices.SortFunc(view.Packages, func(a, b typeview.Package) int { return cmp.Compare(a.Path, b.Path) })
	for _, k := range view.Packages {
		delete(imported, k.Path)
	}
	list := slices.SortedFunc(maps.Values(imported), func(a, b *types.Package) int { return cmp.Compare(a.Path(), b.Path()) })
	var buf bytes.Buffer
	if err := typeview.Write(&buf, view, list, func(obj types.Object) bool { return used[obj] }); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes(), files
}
