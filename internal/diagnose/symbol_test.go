package diagnose

import (
	"testing"

	"whet/internal/callstack"
)

func TestParseSymbol(t *testing.T) {
	for fn, want := range map[string]Symbol{
		"fmt.Sprintf":                                  {"fmt", "", "Sprintf", false},
		"net/http.(*conn).serve":                       {"net/http", "conn", "serve", false},
		"net/http.HandlerFunc.ServeHTTP":               {"net/http", "HandlerFunc", "ServeHTTP", false},
		"io.Writer.Write":                              {"io", "Writer", "Write", false},
		"github.com/sirupsen/logrus.(*Entry).Info":     {"github.com/sirupsen/logrus", "Entry", "Info", false},
		"gopkg.in/yaml%2ev3.Unmarshal":                 {"gopkg.in/yaml.v3", "", "Unmarshal", false},
		"m/x.Map[...]":                                 {"m/x", "", "Map", false},
		"m/x.Map[go.shape.struct { m/y.A int }].func1": {"m/x", "", "Map", true},
		"m/x.(*List[...]).Push":                        {"m/x", "List", "Push", false},
		"m/x.LogRequests.func1":                        {"m/x", "", "LogRequests", true},
		"m/x.(*T).run.func2.1":                         {"m/x", "T", "run", true},
		"m/x.(*T).run.gowrap1":                         {"m/x", "T", "run", true},
		"m/x.(*T).run-fm":                              {"m/x", "T", "run", true},
		"m/x.init.0":                                   {"m/x", "", "init", true},
		"m/x.init.func1":                               {"m/x", "", "init", true},
		"m/x.glob..func1":                              {"m/x", "", "init", true},
		"m/x.func1":                                    {"m/x", "", "func1", false},
		"main.main":                                    {"main", "", "main", false},
		"memeqbody":                                    {"", "", "memeqbody", false},
		"":                                             {},
	} {
		if got := ParseSymbol(fn); got != want {
			t.Errorf("%q: %+v, want %+v", fn, got, want)
		}
	}
}

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

// FuzzParseSymbol: a package that was found is a prefix of the name, and
// parsing never makes a name longer than it was.
func FuzzParseSymbol(f *testing.F) {
	f.Add("net/http.(*conn).serve.func1")
	f.Add("m/x.Map[go.shape.struct { m/y.A int }]")
	f.Fuzz(func(t *testing.T, fn string) {
		s := ParseSymbol(fn)
		if len(s.Package)+len(s.Receiver)+len(s.Name) > len(fn) && s.Name != "init" {
			t.Errorf("%q became %+v", fn, s)
		}
		if s != ParseSymbol(fn) {
			t.Errorf("%q parses differently the second time", fn)
		}
	})
}
