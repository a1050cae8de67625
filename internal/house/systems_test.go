package house

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOtherSystems type-checks all packages and their tests for two systems that this
// one is not, from source: nothing is compiled, which make cross does, in ten times the
// time. Fixtures of rules are the same for all systems.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks all packages")
	}
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(system, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			checked, err := packages.Load(&packages.Config{
				Mode:  packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
				Dir:   "../..",
				Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
				Tests: true,
			}, "work")
			if err != nil {
				t.Fatal(err)
			}
			files := 0
			packages.Visit(checked, nil, func(p *packages.Package) {
				for _, err := range p.Errors {
					t.Errorf("%s: %v", p.ID, err)
				}
				files += len(p.Syntax)
			})
			if files < 1000 {
				t.Errorf("%d files were checked", files)
			}
		})
	}
}
