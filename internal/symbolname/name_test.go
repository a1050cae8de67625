package symbolname

import (
	"strings"
	"testing"
)

// names come from the symbol tables of binaries built with Go 1.26 on
// linux/amd64 (modules gopkg.in/yaml.v3, example.com/q/v2 and
// example.com/hard/p.dots/in.ner, a program with cgo), but for those that say
// otherwise.
var names = []struct {
	symbol string
	want   Name
	short  string
}{
	{symbol: "main.main", want: Name{Package: "main", Name: "main"}},
	{symbol: "main.work", want: Name{Package: "main", Name: "work"}},
	{symbol: "net/http.(*conn).serve", want: Name{Package: "net/http", Receiver: "conn", Pointer: true, Name: "serve"}, short: "http.(*conn).serve"},
	{symbol: "net/http.HandlerFunc.ServeHTTP", want: Name{Package: "net/http", Receiver: "HandlerFunc", Name: "ServeHTTP"}, short: "http.HandlerFunc.ServeHTTP"},
	{symbol: "example.com/q/v2.I.M", want: Name{Package: "example.com/q/v2", Receiver: "I", Name: "M"}, short: "q.I.M"},
	{symbol: "example.com/q/v2.All", want: Name{Package: "example.com/q/v2", Name: "All"}, short: "q.All"},
	{symbol: "example.com/q/v2.All.func1", want: Name{Package: "example.com/q/v2", Name: "All", Made: ".func1"}, short: "q.All.func1"},
	{symbol: "vendor/golang.org/x/net/http2/hpack.(*Decoder).Write", want: Name{Package: "vendor/golang.org/x/net/http2/hpack", Receiver: "Decoder", Pointer: true, Name: "Write"}, short: "hpack.(*Decoder).Write"},

	// Dots in the last element of a path.
	{symbol: "gopkg.in/yaml%2ev3.(*Decoder).Decode", want: Name{Package: "gopkg.in/yaml.v3", Receiver: "Decoder", Pointer: true, Name: "Decode"}, short: "yaml.(*Decoder).Decode"},
	{symbol: "gopkg.in/yaml%2ev3.(*Decoder).Decode-fm", want: Name{Package: "gopkg.in/yaml.v3", Receiver: "Decoder", Pointer: true, Name: "Decode", Made: "-fm"}, short: "yaml.(*Decoder).Decode-fm"},
	{symbol: "gopkg.in/yaml%2ev3.Run", want: Name{Package: "gopkg.in/yaml.v3", Name: "Run"}, short: "yaml.Run"},
	{symbol: "example.com/hard/p.dots/in%2ener.S.Do", want: Name{Package: "example.com/hard/p.dots/in.ner", Receiver: "S", Name: "Do"}, short: "in.ner.S.Do"},
	{symbol: "example.com/hard/p.dots/in%2ener.init.func1", want: Name{Package: "example.com/hard/p.dots/in.ner", Name: "init", Made: ".func1"}, short: "in.ner.init.func1"},

	// Type arguments.
	{symbol: "main.gen[go.shape.func(example.com/q/v2.T)]", want: Name{Package: "main", Name: "gen", Args: "[go.shape.func(example.com/q/v2.T)]"}, short: "main.gen[...]"},
	{symbol: "main.gen[go.shape.string].func1.1", want: Name{Package: "main", Name: "gen", Args: "[go.shape.string]", Made: ".func1.1"}, short: "main.gen[...].func1.1"},
	{symbol: "main.eq[go.shape.struct { A string; B string; gopkg.in/yaml%2ev3.c interface {} }]", want: Name{Package: "main", Name: "eq", Args: "[go.shape.struct { A string; B string; gopkg.in/yaml%2ev3.c interface {} }]"}, short: "main.eq[...]"},
	{symbol: "gopkg.in/yaml%2ev3.(*G[string,example.com/q/v2.T]).Put-fm", want: Name{Package: "gopkg.in/yaml.v3", Receiver: "G", Pointer: true, ReceiverArgs: "[string,example.com/q/v2.T]", Name: "Put", Made: "-fm"}, short: "yaml.(*G[...]).Put-fm"},
	{symbol: "gopkg.in/yaml%2ev3.(*G[go.shape.string,go.shape.struct { A int }]).Put.gowrap2", want: Name{Package: "gopkg.in/yaml.v3", Receiver: "G", Pointer: true, ReceiverArgs: "[go.shape.string,go.shape.struct { A int }]", Name: "Put", Made: ".gowrap2"}, short: "yaml.(*G[...]).Put.gowrap2"},
	{symbol: "gopkg.in/yaml%2ev3.G[go.shape.struct { A int },go.shape.func(example.com/q/v2.T) map[string]*gopkg.in/yaml%2ev3.T].Get", want: Name{Package: "gopkg.in/yaml.v3", Receiver: "G", ReceiverArgs: "[go.shape.struct { A int },go.shape.func(example.com/q/v2.T) map[string]*gopkg.in/yaml%2ev3.T]", Name: "Get"}, short: "yaml.G[...].Get"},
	{symbol: `gopkg.in/yaml%2ev3.Map[go.shape.struct { A int },go.shape.struct { A string "json:\"a]b[c\"" }].func1`, want: Name{Package: "gopkg.in/yaml.v3", Name: "Map", Args: `[go.shape.struct { A int },go.shape.struct { A string "json:\"a]b[c\"" }]`, Made: ".func1"}, short: "yaml.Map[...].func1"},
	{symbol: "slices.SortFunc[go.shape.[]github.com/x/y.T,go.shape.int]", want: Name{Package: "slices", Name: "SortFunc", Args: "[go.shape.[]github.com/x/y.T,go.shape.int]"}, short: "slices.SortFunc[...]"},
	{symbol: "slices.SortFunc[...]", want: Name{Package: "slices", Name: "SortFunc", Args: "[...]"}}, // as Go prints stacks
	{symbol: "example.com/p.F[example.com/q.T]", want: Name{Package: "example.com/p", Name: "F", Args: "[example.com/q.T]"}, short: "p.F[...]"},
	{symbol: "internal/sync.(*HashTrieMap[go.shape.interface {},go.shape.interface {}]).LoadOrStore.deferwrap1", want: Name{Package: "internal/sync", Receiver: "HashTrieMap", Pointer: true, ReceiverArgs: "[go.shape.interface {},go.shape.interface {}]", Name: "LoadOrStore", Made: ".deferwrap1"}, short: "sync.(*HashTrieMap[...]).LoadOrStore.deferwrap1"},

	// Literals in functions, inlined ones among them; types declared in functions.
	{symbol: "main.main.func2.1", want: Name{Package: "main", Name: "main", Made: ".func2.1"}},
	{symbol: "main.main.func6-range1", want: Name{Package: "main", Name: "main", Made: ".func6-range1"}},
	{symbol: "main.main.func6.gowrap1", want: Name{Package: "main", Name: "main", Made: ".func6.gowrap1"}},
	{symbol: "main.main.main.All.func9.main-range1.func10-range1", want: Name{Package: "main", Name: "main", Made: ".main.All.func9.main-range1.func10-range1"}},
	{symbol: "main.(*ring).Len-range1", want: Name{Package: "main", Receiver: "ring", Pointer: true, Name: "Len", Made: "-range1"}},
	{symbol: "main.(*ring).Len.(*ring).Len.All.func3.(*ring).Len-range2.func4", want: Name{Package: "main", Receiver: "ring", Pointer: true, Name: "Len", Made: ".(*ring).Len.All.func3.(*ring).Len-range2.func4"}},
	{symbol: "main.run.(*ring).all.func1", want: Name{Package: "main", Name: "run", Made: ".(*ring).all.func1"}},
	{symbol: "internal/poll.init.OnceValue[go.shape.bool].func4.1", want: Name{Package: "internal/poll", Name: "init", Made: ".OnceValue[go.shape.bool].func4.1"}, short: "poll.init.OnceValue[...].func4.1"},
	{symbol: "main.num.Add-fm", want: Name{Package: "main", Receiver: "num", Name: "Add", Made: "-fm"}},
	{symbol: "main.(*local.1).M", want: Name{Package: "main", Receiver: "local.1", Pointer: true, Name: "M"}},
	{symbol: "main.local.1.M", want: Name{Package: "main", Receiver: "local.1", Name: "M"}},

	// Initialisation.
	{symbol: "main.init", want: Name{Package: "main", Name: "init"}},
	{symbol: "main.init.0", want: Name{Package: "main", Name: "init", Made: ".0"}},
	{symbol: "main.init.1.func2", want: Name{Package: "main", Name: "init", Made: ".1.func2"}},
	{symbol: "main.map.init.0", want: Name{Package: "main", Name: "map.init", Made: ".0"}},
	{symbol: "main.glob..func1", want: Name{Package: "main", Name: "glob.", Made: ".func1"}},                                    // Go 1.20
	{symbol: "net/http.glob..func5", want: Name{Package: "net/http", Name: "glob.", Made: ".func5"}, short: "http.glob..func5"}, // Go 1.20
	{symbol: "runtime.main.func1", want: Name{Package: "runtime", Name: "main", Made: ".func1"}},

	// Tests.
	{symbol: "example.com/p_test.BenchmarkF.func1", want: Name{Package: "example.com/p_test", Name: "BenchmarkF", Made: ".func1"}, short: "p_test.BenchmarkF.func1"},
	{symbol: "example.com/p [example.com/p.test].F", want: Name{Package: "example.com/p", Name: "F"}, short: "p.F"}, // go list's name of the package

	// Types that have no name, and what is made for types.
	{symbol: `go:(*struct { *example.com/q/v2.T; io.Reader; main.x int "json:\"a]\"" }).M`, want: Name{Receiver: `struct { *example.com/q/v2.T; io.Reader; main.x int "json:\"a]\"" }`, Pointer: true, Name: "M"}},
	{symbol: "go:struct { example.com/q/v2.T; sync.Mutex; main.n int }.M", want: Name{Receiver: "struct { example.com/q/v2.T; sync.Mutex; main.n int }", Name: "M"}},
	{symbol: "go:interface { Error() string; Is(error) bool }.Error-fm", want: Name{Receiver: "interface { Error() string; Is(error) bool }", Name: "Error", Made: "-fm"}},
	{symbol: "main.(*G[struct { sync.Mutex }]).M", want: Name{Package: "main", Receiver: "G", Pointer: true, ReceiverArgs: "[struct { sync.Mutex }]", Name: "M"}, short: "main.(*G[...]).M"},
	{symbol: "type:.eq.gopkg.in/yaml%2ev3.T", want: Name{Name: ".eq.gopkg.in/yaml%2ev3.T"}},
	{symbol: "type:.eq.[16]sync/atomic.Pointer[internal/sync.node[interface {},interface {}]]", want: Name{Name: ".eq.[16]sync/atomic.Pointer[internal/sync.node[interface {},interface {}]]"}},
	{symbol: "type:.eq.main.local.2", want: Name{Name: ".eq.main.local.2"}},

	// Assembly and C.
	{symbol: "memeqbody", want: Name{Name: "memeqbody"}},
	{symbol: "debugCall1024", want: Name{Name: "debugCall1024"}},
	{symbol: "main", want: Name{Name: "main"}},
	{symbol: "_cgo_41645cae15d9_Cfunc_twice", want: Name{Name: "_cgo_41645cae15d9_Cfunc_twice"}},
	{symbol: "main._Cfunc_twice.abi0", want: Name{Package: "main", Name: "_Cfunc_twice", ABI: ".abi0"}},
	{symbol: "runtime.memmove.abi0", want: Name{Package: "runtime", Name: "memmove", ABI: ".abi0"}},
	{symbol: "x_cgo_munmap.cold", want: Name{Name: "x_cgo_munmap.cold"}},
	{symbol: "native_write_msr.isra.0", want: Name{Name: "native_write_msr.isra.0"}}, // of a kernel
	{symbol: "std::vector<int, std::allocator<int> >::push_back(int const&)", want: Name{Name: "std::vector<int, std::allocator<int> >::push_back(int const&)"}},
	{symbol: "memcpy@@GLIBC_2.14", want: Name{Name: "memcpy@@GLIBC_2.14"}},
	{symbol: "runtime/cgo(.text)", want: Name{Name: "runtime/cgo(.text)"}}, // go tool pprof's
	{symbol: "[kernel.kallsyms]", want: Name{Name: "[kernel.kallsyms]"}},
	{symbol: "(unknown)", want: Name{Name: "(unknown)"}},
	{symbol: "0x4a5b6c", want: Name{Name: "0x4a5b6c"}},
	{symbol: "", want: Name{}},
}

func TestParse(t *testing.T) {
	for _, test := range names {
		got := Parse(test.symbol)
		if s := got.String(); s != test.symbol {
			t.Errorf("%s: joined again it is %s", test.symbol, s)
		}
		if pkg := Package(test.symbol); pkg != got.Package {
			t.Errorf("%s: Package says %q, Parse %q", test.symbol, pkg, got.Package)
		}
		got.path = ""
		if got != test.want {
			t.Errorf("%s:\n  got %+v\n want %+v", test.symbol, got, test.want)
		}
		short := test.short
		if short == "" {
			short = test.symbol
		}
		if got := Short(test.symbol); got != short {
			t.Errorf("%s: Short is %q, want %q", test.symbol, got, short)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		symbol, outer string
		kind          Kind
	}{
		{"main.main.func2.1", "main.main.func2", Literal},
		{"main.main.func2", "main.main", Literal},
		{"main.main.func6.gowrap1", "main.main.func6", GoCall},
		{"main.main.deferwrap2", "main.main", Deferred},
		{"main.(*ring).Len-range1", "main.(*ring).Len", Range},
		{"gopkg.in/yaml%2ev3.(*Decoder).Decode-fm", "gopkg.in/yaml%2ev3.(*Decoder).Decode", Bound},
		{"gopkg.in/yaml%2ev3.(*G[go.shape.string,go.shape.struct { A int }]).Put.gowrap2", "gopkg.in/yaml%2ev3.(*G[go.shape.string,go.shape.struct { A int }]).Put", GoCall},
		{"main.init.1.func2", "main.init.1", Literal},
		{"main.init.0", "main.init.0", Written},
		{"main.map.init.0", "main.map.init.0", Written},
		{"main.local.1.M", "main.local.1.M", Written},
		{"main.func1", "main.func1", Written}, // a function may be called so
		{"main.eq[example.com/p-2.T]", "main.eq[example.com/p-2.T]", Written},
		{"memeqbody", "memeqbody", Written},
	} {
		if outer, kind := Cut(test.symbol); outer != test.outer || kind != test.kind {
			t.Errorf("%s: %q, %q; want %q, %q", test.symbol, outer, kind, test.outer, test.kind)
		}
	}
}

func TestDeclared(t *testing.T) {
	for symbol, want := range map[string]string{
		"main._Cfunc_twice.abi0":                              "main._Cfunc_twice",
		"gopkg.in/yaml%2ev3.(*Decoder).Decode-fm":             "gopkg.in/yaml%2ev3.(*Decoder).Decode",
		"internal/poll.init.OnceValue[go.shape.bool].func4.1": "internal/poll.init",
		"main.gen[go.shape.string].func1.1":                   "main.gen[go.shape.string]",
	} {
		if got := Parse(symbol).Declared(); got != want {
			t.Errorf("%s: declared as %q, want %q", symbol, got, want)
		}
	}
}

func TestIn(t *testing.T) {
	for _, test := range []struct {
		symbol, pkg string
		want        bool
	}{
		{"runtime.mallocgc", "runtime", true},
		{"runtime.example/x.F", "runtime", false}, // a module may have such a host
		{"testing.com/x.(*B).N", "testing", false},
		{"runtime/pprof.Do", "runtime", false},
		{"runtime/pprof.Do", "runtime/pprof", true},
		{"runtime.F[example.com/q.T]", "runtime", true},
		{"runtime", "runtime", false},
	} {
		if got := In(test.symbol, test.pkg); got != test.want {
			t.Errorf("In(%s, %s) is %v", test.symbol, test.pkg, got)
		}
	}
}

func TestEscape(t *testing.T) {
	for path, want := range map[string]string{
		"fmt": "fmt", "gopkg.in/yaml.v3": "gopkg.in/yaml%2ev3", "a.b/c.d/e": "a.b/c.d/e", "example.com": "example%2ecom",
		"a/b%c": "a/b%25c", "a/é": "a/%c3%a9", `a/"`: "a/%22",
	} {
		if got := Escape(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestBase(t *testing.T) {
	for pkg, want := range map[string]string{
		"main": "main", "net/http": "http", "example.com/q/v2": "q", "gopkg.in/yaml.v3": "yaml", "example.com/v2x": "v2x",
		"v2": "v2", "example.com/p_test": "p_test", "example.com/in.ner": "in.ner", "": "",
	} {
		if got := Base(pkg); got != want {
			t.Errorf("Base(%q) is %q, want %q", pkg, got, want)
		}
	}
}

func TestOrigins(t *testing.T) {
	for pkg, want := range map[string][2]bool{
		"runtime": {true, true}, "internal/runtime/maps": {true, true}, "runtime/pprof": {true, false}, "net/http": {true, false},
		"vendor/golang.org/x/net/http2/hpack": {true, false}, "github.com/x/y": {}, "main": {}, "": {}, "runtime.example/x": {},
	} {
		if got := [2]bool{Standard(pkg), Runtime(pkg)}; got != want {
			t.Errorf("%q: standard and runtime are %v, want %v", pkg, got, want)
		}
	}
}

// FuzzParse: the parts of any name join to it, nothing that the compiler added
// is left in what is declared, and a method of an escaped import path is read
// back.
func FuzzParse(f *testing.F) {
	for _, test := range names {
		f.Add(test.symbol)
	}
	f.Fuzz(func(t *testing.T, symbol string) {
		n := Parse(symbol)
		if got := n.String(); got != symbol {
			t.Fatalf("%q joins to %q: %+v", symbol, got, n)
		}
		if pkg := Package(symbol); pkg != n.Package {
			t.Fatalf("%q: Package says %q, Parse %q", symbol, pkg, n.Package)
		}
		if path, rest := Split(symbol); path+rest != symbol {
			t.Fatalf("%q splits into %q and %q", symbol, path, rest)
		}
		if n.Package != "" && !strings.Contains(symbol, "%") && !strings.Contains(symbol, " [") && !In(symbol, n.Package) {
			t.Fatalf("%q is not in its package %q", symbol, n.Package)
		}
		if outer, kind := Cut(symbol); (kind == Written) != (outer == strings.TrimSuffix(symbol, n.ABI)) || !strings.HasPrefix(symbol, outer) {
			t.Fatalf("%q is cut to %q, %q", symbol, outer, kind)
		}
		Short(symbol)
		if symbol == "" || strings.ContainsAny(symbol, noPath+"[({<\" ") || strings.HasPrefix(symbol, ".") || strings.HasSuffix(symbol, "/") || strings.Contains(symbol, "/.") {
			return
		}
		written := Escape(symbol) + ".(*T[example.com/q.S]).M.func1"
		if got := Parse(written); got.Package != symbol && !strings.HasPrefix(symbol, "type:") && !strings.HasPrefix(symbol, "go:") || got.Receiver != "T" || got.Name != "M" || got.Made != ".func1" {
			t.Fatalf("%q: %+v", written, got)
		}
	})
}
