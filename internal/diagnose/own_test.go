package diagnose

import (
	"testing"

	"whet/internal/callstack"
	"whet/internal/recording"
)

func TestOwn(t *testing.T) {
	s := &Subject{Package: "example.com/Shop/cart", Modules: []string{"example.com/Shop", "lib.example"}}
	for _, test := range []struct {
		fn, file string
		want     bool
	}{
		{"example.com/Shop/cart.Add", "/home/u/shop/cart/cart.go", true},
		{"example.com/Shop.Open", "/home/u/shop/shop.go", true},
		{"example.com/Shop_test.BenchmarkOpen", "/home/u/shop/shop_test.go", true},
		{"example.com/Shop/cart_test.BenchmarkAdd", "/home/u/shop/cart/x_test.go", true},
		{"example.com/Shopping.Open", "/home/u/shopping/shop.go", false},
		{"lib.example/a/b.F", "/home/u/lib/a/b/f.go", true},
		{"example.com/Shop/v2.Open", "/go/pkg/mod/example.com/!shop/v2@v2.1.0/shop.go", false},
		{"example.com/Shop/cart.Add", "/go/pkg/mod/example.com/!shop@v1.1.0/cart/cart.go", true},
		{"example.com/Shop/sub.F", "/home/u/shop/vendor/example.com/Shop/sub/f.go", false},
		{"fmt.Sprintf", "/usr/local/go/src/fmt/print.go", false},
		{"main.run", "/home/u/shop/cmd/main.go", true},
		{"main.main", "_testmain.go", false},
		{"memeqbody", "", false},
		{"example.com/Shop/in%2ener.(*T).F", "/home/u/shop/in.ner/t.go", true},
		{"slices.SortFunc[example.com/Shop.T]", "/usr/local/go/src/slices/sort.go", false},
	} {
		if got := s.Own(&callstack.Frame{Function: test.fn, File: test.file}); got != test.want {
			t.Errorf("%s in %s: own is %v", test.fn, test.file, got)
		}
	}
	std := &Subject{Package: "encoding/json", Module: "std"}
	if !std.Own(&callstack.Frame{Function: "encoding/json.Marshal"}) || std.Own(&callstack.Frame{Function: "fmt.Sprint"}) {
		t.Error("a package of the standard library owns itself and no other")
	}
}

// A package for tests is told by its path in benchmarks alone: a word that ends
// in "test" is about none, and what a program does is its own work.
func TestSupportsTests(t *testing.T) {
	for fn, want := range map[string]bool{
		"m/zaptest.New": true, "m/internal/testutil.Fill": true, "m/api/latest.Read": false, "m/attest.Sign": false, "m/x.F": false, "other/zaptest.New": false,
	} {
		s := &Subject{Package: "m/x", Module: "m"}
		if got := s.supportsTests(&callstack.Frame{Function: fn}); got != want {
			t.Errorf("%s: %v", fn, got)
		}
		s.Kind = recording.TargetProgram
		if s.supportsTests(&callstack.Frame{Function: fn}) {
			t.Errorf("%s in a program is for tests", fn)
		}
	}
}
