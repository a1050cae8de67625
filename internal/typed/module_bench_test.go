package typed_test

import (
	"os"
	"testing"

	"golang.org/x/tools/go/packages"

	"whet/internal/format/typeview"
	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

// BenchmarkModule reads whet itself, all packages of it, as diagnosing a recording
// that has a frame in each would.
func BenchmarkModule(b *testing.B) {
	pkgs, err := packages.Load(&packages.Config{Mode: typedtest.Mode, Dir: "../.."}, "./internal/...", "./agent/...", "./cmd/...")
	if err != nil {
		b.Fatal(err)
	}
	data, files := typedtest.View(b, pkgs, func(f string) string { return f })
	texts := make(map[string][]byte)
	for _, f := range files {
		if texts[f], err = os.ReadFile(f); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		view, err := typeview.Read(data, typeview.DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		read := 0
		for pkg := range typed.New(view, func(f string) []byte { return texts[f] }).Packages {
			read += len(pkg.Files)
		}
		if read < 500 {
			b.Fatalf("%d files", read)
		}
	}
}
