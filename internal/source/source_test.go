package source

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// tree lays files out below a directory of the test.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	fs := fstest.MapFS{}
	for _, f := range files {
		fs[f] = &fstest.MapFile{Data: []byte(f)}
	}
	if err := os.CopyFS(root, fs); err != nil {
		t.Fatal(err)
	}
	return root
}

func machine(t *testing.T) (*Finder, string) {
	t.Helper()
	root := tree(t,
		"go/src/sort/sort.go", "go/src/net/http/server.go", "go/src/runtime/memmove_amd64.s", "go/src/cmd/go/main.go",
		"go/src/vendor/golang.org/x/net/idna/idna.go",
		"mod/github.com/!burnt!sushi/toml@v1.4.0/lex.go", "mod/example.com/m@v1.2.3/x.go", "mod/example.com/m@v1.2.3/sub/y.go",
		"tree/shop/main.go", "tree/shop/cart/cart.go", "tree/shop/tools/tool.go", "tree/shop/secret.txt",
		"tree/shop/vendor/example.com/v/v.go", "tree/shop/vendor/example.com/w/deep/w.go",
		"tree/lib/lib.go", "outside.go", "tree/big/big.go",
	)
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	return &Finder{
		GOROOT: at("go"), GOMODCACHE: at("mod"), VendorDir: at("tree/shop/vendor"),
		Modules: []Module{
			{Path: "example.com/shop", Dir: at("tree/shop"), Main: true},
			{Path: "example.com/shop/tools", Dir: at("tree/shop/tools"), Main: true},
			{Path: "lib", Dir: at("tree/lib")}, // put in by replace
			{Path: "example.com/m", Dir: at("mod/example.com/m@v1.2.3"), Version: "v1.2.3"},
			{Path: "example.com/v", Version: "v0.1.0"},
		},
	}, root
}

func TestFindAndDisplay(t *testing.T) {
	f, root := machine(t)
	here := filepath.ToSlash(root)
	for _, c := range []struct{ frame, file, display, module string }{
		// As it is here.
		{here + "/go/src/sort/sort.go", "go/src/sort/sort.go", "$GOROOT/src/sort/sort.go", "std"},
		{here + "/tree/shop/cart/cart.go", "tree/shop/cart/cart.go", "cart/cart.go", "example.com/shop"},
		{here + "/tree/shop/tools/tool.go", "tree/shop/tools/tool.go", "tool.go", "example.com/shop/tools"},
		{here + "/tree/lib/lib.go", "tree/lib/lib.go", "lib.go", "lib"},
		{here + "/mod/github.com/!burnt!sushi/toml@v1.4.0/lex.go", "mod/github.com/!burnt!sushi/toml@v1.4.0/lex.go", "github.com/BurntSushi/toml@v1.4.0/lex.go", "github.com/BurntSushi/toml"},
		{here + "/tree/shop/vendor/example.com/v/v.go", "tree/shop/vendor/example.com/v/v.go", "vendor/example.com/v/v.go", "example.com/v"},
		{here + "/tree/shop/vendor/example.com/w/deep/w.go", "tree/shop/vendor/example.com/w/deep/w.go", "vendor/example.com/w/deep/w.go", "example.com/w/deep"},
		{here + "/outside.go", "outside.go", here + "/outside.go", ""},
		// From another machine.
		{"/usr/lib/go-1.26/src/net/http/server.go", "go/src/net/http/server.go", "$GOROOT/src/net/http/server.go", "std"},
		{"/opt/src/go/src/runtime/memmove_amd64.s", "go/src/runtime/memmove_amd64.s", "$GOROOT/src/runtime/memmove_amd64.s", "std"},
		{"C:/Program Files/Go/src/sort/sort.go", "go/src/sort/sort.go", "$GOROOT/src/sort/sort.go", "std"},
		{"/elsewhere/pkg/mod/golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64/src/sort/sort.go", "go/src/sort/sort.go", "$GOROOT/src/sort/sort.go", "std"},
		{"/elsewhere/go/pkg/mod/example.com/m@v1.2.3/sub/y.go", "mod/example.com/m@v1.2.3/sub/y.go", "example.com/m@v1.2.3/sub/y.go", "example.com/m"},
		{"/elsewhere/go/pkg/mod/github.com/!none/n@v1.0.0/n.go", "", "github.com/None/n@v1.0.0/n.go", "github.com/None/n"},
		{"/builds/1234/shop/cart/cart.go", "tree/shop/cart/cart.go", "cart/cart.go", "example.com/shop"},
		{"/nowhere/at/all.go", "", "/nowhere/at/all.go", ""},
		// -trimpath.
		{"net/http/server.go", "go/src/net/http/server.go", "$GOROOT/src/net/http/server.go", "std"},
		{"cmd/go/main.go", "go/src/cmd/go/main.go", "$GOROOT/src/cmd/go/main.go", "std"},
		{"vendor/golang.org/x/net/idna/idna.go", "go/src/vendor/golang.org/x/net/idna/idna.go", "$GOROOT/src/vendor/golang.org/x/net/idna/idna.go", "std"},
		{"$GOROOT/src/sort/sort.go", "go/src/sort/sort.go", "$GOROOT/src/sort/sort.go", "std"},
		{"example.com/shop/cart/cart.go", "tree/shop/cart/cart.go", "cart/cart.go", "example.com/shop"},
		{"example.com/shop/tools/tool.go", "tree/shop/tools/tool.go", "tool.go", "example.com/shop/tools"},
		{"example.com/shop@v1.0.0/cart/cart.go", "tree/shop/cart/cart.go", "cart/cart.go", "example.com/shop"},
		{"lib/lib.go", "tree/lib/lib.go", "lib.go", "lib"},
		{"github.com/BurntSushi/toml@v1.4.0/lex.go", "mod/github.com/!burnt!sushi/toml@v1.4.0/lex.go", "github.com/BurntSushi/toml@v1.4.0/lex.go", "github.com/BurntSushi/toml"},
		{"example.com/m@v1.2.3/x.go", "mod/example.com/m@v1.2.3/x.go", "example.com/m@v1.2.3/x.go", "example.com/m"},
		{"example.com/v@v0.1.0/v.go", "tree/shop/vendor/example.com/v/v.go", "example.com/v@v0.1.0/v.go", "example.com/v"},
		{"example.com/v/v.go", "tree/shop/vendor/example.com/v/v.go", "example.com/v@v0.1.0/v.go", "example.com/v"},
		{"./main.go", "tree/shop/main.go", "main.go", "example.com/shop"},
		{"command-line-arguments/main.go", "tree/shop/main.go", "main.go", "example.com/shop"},
		// Another version's text would be a lie.
		{"example.com/m@v1.2.4/x.go", "", "example.com/m@v1.2.4/x.go", "example.com/m"},
		{"example.com/v@v0.2.0/v.go", "", "example.com/v@v0.2.0/v.go", "example.com/v"},
		// Never.
		{"", "", "", ""},
		{"<autogenerated>", "", "<autogenerated>", ""},
		{"_testmain.go", "", "_testmain.go", ""},
		{here + "/tree/shop/secret.txt", "", "secret.txt", "example.com/shop"},
		{"../../outside.go", "", "../../outside.go", ""},
		{"example.com/shop/../../outside.go", "", "example.com/shop/../../outside.go", ""},
		{"example.com/m@../../outside.go", "", "example.com/m@../../outside.go", ""},
		{"sort/sort.go\x00.go", "", "sort/sort.go\x00.go", ""},
		{here + "/tree/shop", "", here + "/tree/shop", ""},
	} {
		got, ok := f.Find(c.frame)
		want := c.file
		if want != "" {
			want = filepath.Join(root, filepath.FromSlash(want))
		}
		if got != want || ok != (want != "") {
			t.Errorf("find %s: %q, %t, want %q", c.frame, got, ok, want)
		}
		if c.frame == here+"/tree/shop" {
			continue
		}
		display, module := f.Display(c.frame)
		if display != c.display || module != c.module {
			t.Errorf("display %s: %q of %q, want %q of %q", c.frame, display, module, c.display, c.module)
		}
	}
}

func TestRead(t *testing.T) {
	f, root := machine(t)
	data, err := f.Read("example.com/shop/cart/cart.go")
	if err != nil || string(data) != "tree/shop/cart/cart.go" {
		t.Errorf("%q, %v", data, err)
	}
	if _, at, err := f.ReadChanged("example.com/shop/cart/cart.go"); err != nil || at.IsZero() {
		t.Errorf("changed %v, %v", at, err)
	}
	if _, at, err := f.ReadChanged("gone.go"); err == nil || !at.IsZero() {
		t.Errorf("a file that is not there was changed at %v", at)
	}
	if _, err := f.Read("gone.go"); err == nil || !strings.Contains(err.Error(), "gone.go") {
		t.Errorf("gone.go: %v", err)
	}
	big := filepath.Join(root, "tree", "big", "big.go")
	for _, n := range []int{MaxSize, MaxSize + 1} {
		if err := os.WriteFile(big, bytes.Repeat([]byte("x"), n), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(big); (err == nil) != (n == MaxSize) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestFindTakesNoDirectory(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "dir.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := &Finder{Modules: []Module{{Path: "m", Dir: root, Main: true}}}
	if name, ok := f.Find("m/dir.go"); ok {
		t.Errorf("found %s", name)
	}
}

// The toolchain that runs the test is a machine too.
func TestFindThisFrame(t *testing.T) {
	_, file, _, _ := runtime.Caller(0)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	f := &Finder{Modules: []Module{{Path: "whet", Dir: filepath.Dir(filepath.Dir(dir)), Main: true}}}
	if _, ok := f.Find(file); !ok {
		t.Errorf("%s is not found", file)
	}
	if display, module := f.Display(file); display != "internal/source/source_test.go" || module != "whet" {
		t.Errorf("display %q of %q", display, module)
	}
}

// What is found lies in one of the places named, or is the absolute name
// itself; and it is Go or assembler source.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"sort/sort.go", "../x.go", "example.com/m@v1/../../x.go", "/a/src/../x.go", "/x/shop/../outside.go", "./a.s", "m@/x.go", "C:/src/sort/sort.go"} {
		f.Add(s)
	}
	places := []string{"/g/src", "/mod", "/v", "/w/shop", "/w/lib"}
	finder := &Finder{GOROOT: "/g", GOMODCACHE: "/mod", VendorDir: "/v", Modules: []Module{{Path: "example.com/shop", Dir: "/w/shop", Main: true}, {Path: "lib", Dir: "/w/lib"}}}
	f.Fuzz(func(t *testing.T, frame string) {
		if runtime.GOOS == "windows" {
			return // the places above are no absolute paths there
		}
		for i, p := range finder.candidates(frame) {
			c := p.path
			inside := i == 0 && absolute(frame) && c == frame
			for _, p := range places {
				inside = inside || strings.HasPrefix(c, p+"/") && !strings.Contains(c, "/../")
			}
			if !inside {
				t.Errorf("%q: would look at %q", frame, c)
			}
			if !isSource(c) {
				t.Errorf("%q: %q is no source", frame, c)
			}
		}
	})
}

// TestSourceNames: line directives name what generators read, under many names;
// what is no source stays closed, whatever a profile says.
func TestSourceNames(t *testing.T) {
	for _, name := range []string{"/src/x.go", "parse.y", "lexer.nex", "lex.rl", "scan.re", "calc.peg", "Expr.g4", "page.templ", "page.qtpl", "mail.gohtml", "a.tmpl", "api.proto", "memmove_amd64.s"} {
		if !isSource(name) {
			t.Errorf("%s is no source", name)
		}
	}
	for _, name := range []string{"/etc/passwd", "/home/u/.env", "/home/u/.ssh/id_ed25519", "key.pem", "server.key", "config.yaml", "secrets.json", "notes.txt", "x.go\x00.pem", "pem\x00.peg", "y", ".peg/x"} {
		if isSource(name) {
			t.Errorf("%q is a source", name)
		}
	}
}

// TestDisplayInAWorkspace: files of its modules are named from its directory, by any
// name that frames have for them; what is not in it is named as ever.
func TestDisplayInAWorkspace(t *testing.T) {
	f := &Finder{GOROOT: "/g", Workspace: "/w", Modules: []Module{
		{Path: "shop.test/shop", Dir: "/w", Main: true}, {Path: "shop.test/shop/api", Dir: "/w/api", Main: true},
		{Path: "else.test/x", Dir: "/x", Main: true}, {Path: "lib.test/lib", Dir: "/w/lib", Version: "v1.0.0"},
	}}
	for _, c := range []struct{ frame, display, inModule, module string }{
		{"/w/api/handlers/h.go", "api/handlers/h.go", "handlers/h.go", "shop.test/shop/api"},
		{"shop.test/shop/api/handlers/h.go", "api/handlers/h.go", "handlers/h.go", "shop.test/shop/api"},
		{"shop.test/shop/api@v1.2.0/h.go", "api/h.go", "h.go", "shop.test/shop/api"},
		{"/w/cmd/main.go", "cmd/main.go", "cmd/main.go", "shop.test/shop"},
		{"/x/y/z.go", "y/z.go", "y/z.go", "else.test/x"},
		{"/g/src/sort/sort.go", "$GOROOT/src/sort/sort.go", "$GOROOT/src/sort/sort.go", StandardLibrary},
		{"lib.test/lib/l.go", "lib.test/lib@v1.0.0/l.go", "lib.test/lib@v1.0.0/l.go", "lib.test/lib"},
	} {
		display, module := f.Display(c.frame)
		inModule, again := f.InModule(c.frame)
		if display != c.display || inModule != c.inModule || module != c.module || again != c.module {
			t.Errorf("%s: %s of %s, in it %s of %s", c.frame, display, module, inModule, again)
		}
	}
}
