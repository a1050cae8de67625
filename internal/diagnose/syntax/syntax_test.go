package syntax

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// read parses functions; the first is the one asked about.
func read(t *testing.T, src string) (first *Function, others map[string]*Function) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v in %s", err, src)
	}
	others = make(map[string]*Function)
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			f := New(fd)
			if first == nil {
				first = f
			}
			others[fd.Name.Name] = f
		}
	}
	return first, others
}

// declared returns the first declaration of v.
func declared(t *testing.T, f *Function, name string) Declaration {
	t.Helper()
	for _, d := range f.Declarations() {
		if d.Ident.Name == name {
			return d
		}
	}
	t.Fatalf("%s is not declared", name)
	return Declaration{}
}

func TestLifetime(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{"v := make([]byte, 9); n, err := r.Read(v); use(n, err)", true},
		{"var v bytes.Buffer; fmt.Fprintf(&v, `x`); w.Write(v.Bytes())", true},
		{"v := new(bytes.Buffer); enc := json.NewEncoder(v); if err := enc.Encode(x); err != nil { return err }; _, err := v.WriteTo(w); return err", true},
		{"v := new(bytes.Buffer); return v.Len()", true},
		{"v := new(bytes.Buffer); return v.String()", true},
		{"v := bufio.NewWriter(w); defer v.Flush(); v.WriteByte(1)", true},
		{"v := make([]byte, 9); v = append(v[:0], s...); v = strconv.AppendInt(v, 1, 10); return string(v)", true},
		{"v := make([]byte, 9); out = append(out, v...)", true},
		{"v := make([]byte, 9); for i := range v { v[i] = 1 }; copy(x, v); return len(v)", true},
		{"v := make([]byte, 9); defer func() { clear(v) }()", true},
		{"v := make([]byte, 9); part := v[:3]; h.Write(part)", true},
		{"v := make([]byte, 9); helper(v, 1)", true},
		{"v, err := gzip.NewReader(r); if err != nil { return err }; defer v.Close(); io.Copy(w, v)", true},
		{"v := gzip.NewWriter(w); v.Name = s; v.Write(x)", true},
		{"v := md5.New(); io.WriteString(v, s); return v.Sum(nil)", true},

		{"v := make([]byte, 9); return v", false},
		{"v := make([]byte, 9); return v[:3]", false},
		{"v := make([]byte, 9); return bytes.TrimSpace(v)", false},
		{"v := make([]byte, 9); s.field = v", false},
		{"v := make([]byte, 9); m[k] = v", false},
		{"v := make([]byte, 9); list = append(list, v)", false},
		{"v := make([]byte, 9); ch <- v", false},
		{"v := make([]byte, 9); go work(v)", false},
		{"v := make([]byte, 9); go helper(v, 1)", false},
		{"v := bufio.NewReader(r); go v.ReadByte()", false},
		{"v := make([]byte, 9); go func() { work(v) }()", false},
		{"v := make([]byte, 9); f := func() { helper(v, 1) }; f()", false},
		{"v := make([]byte, 9); unknown(v)", false},
		{"v := make([]byte, 9); keeps(v)", false},
		{"v := make([]byte, 9); x := T{data: v}; use(x)", false},
		{"v := make([]byte, 9); p := &v[0]; use(p)", false},
		{"v := make([]byte, 9); part := v[:3]; return part", false},
		{"v := make([]byte, 9); global = v", false},
		{"var v bytes.Buffer; return v.Bytes()", false},
		{"var v bytes.Buffer; return io.TeeReader(r, &v)", false},
		{"var v bytes.Buffer; enc := json.NewEncoder(&v); s.enc = enc", false},
		{"var v bytes.Buffer; http.Post(u, t, &v)", false},
		{"v := md5.New(); return v", false},
		{"v := make([]byte, 9); return sum.Sum(v)", false},
		{"v := make([]byte, 9); write := v.Write; use(write)", false},
		{"v := strings.Builder{}; return v.String()", false},
		{"v := strings.Builder{}; s := v.String(); return m[s]", true},
		{"v := strings.Builder{}; s := v.String(); m[s]++", false},
		{"v := make([]byte, 9); n, v := f(v); use(n); return v", false},
	} {
		f, others := read(t, `func f(r io.Reader, w io.Writer, s string, x []byte) (out []byte) { `+test.body+` }
			func helper(b []byte, n int) { fmt.Println(b, n) }
			func keeps(b []byte) { global = b }`)
		d := declared(t, f, "v")
		life := Lifetime{
			Callee: func(_ *Function, call *ast.CallExpr) *Function {
				if id, ok := call.Fun.(*ast.Ident); ok {
					return others[id.Name]
				}
				return nil
			},
			Shares: func(method string) bool { return method == "String" && strings.Contains(test.body, "strings.Builder") },
		}
		if got := life.Ends(f, d); got != test.want {
			t.Errorf("%s\nends is %v", test.body, got)
		}
	}
}

func TestValueEnds(t *testing.T) {
	for body, want := range map[string]bool{
		"return csv.NewReader(r).Read()":             true,
		"_, err := fmt.Fprintln(bufio.NewWriter(w))": true,
		"helper(bufio.NewReader(r))":                 true,
		"return bufio.NewReader(r).Peek(1)":          false,
		"keeps(bufio.NewReader(r))":                  false,
		"go helper(bufio.NewReader(r))":              false,
		"unknown(bufio.NewReader(r))":                false,
		"s.in = T{bufio.NewReader(r)}":               false,
	} {
		f, others := read(t, `func f(r io.Reader, w io.Writer) ([]byte, error) { `+body+` }
			func helper(b *bufio.Reader) { b.ReadByte() }
			func keeps(b *bufio.Reader) { global = b }`)
		var value ast.Expr
		ast.Inspect(f.Node, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "New") {
					value = call
				}
			}
			return true
		})
		life := Lifetime{Callee: func(_ *Function, call *ast.CallExpr) *Function {
			if id, ok := call.Fun.(*ast.Ident); ok {
				return others[id.Name]
			}
			return nil
		}}
		if got := life.ValueEnds(f, value); got != want {
			t.Errorf("%s\nends is %v", body, got)
		}
	}
}

func TestDeclaration(t *testing.T) {
	f, _ := read(t, `func f(a int, b []T) (c string) {
		a := 1
		if d := g(); d > a {
			var a, e = 2, 3
			use1(a, e, d)
		} else {
			use2(a)
		}
		for i, x := range b {
			use3(i, x)
			func(a int) { use4(a, b) }(2)
		}
		switch t := c.(type) {
		case int:
			n := 1
			use5(t, n)
		}
		use6(a, b, c, outside)
	}`)
	for _, test := range []struct{ call, names string }{
		{"use1", "a=2 e=3 d=g()"}, {"use2", "a=1"}, {"use3", "i x"}, {"use4", "a? b?"}, {"use5", "t=c.(type) n=1"}, {"use6", "a=1 b c outside?"},
	} {
		var got []string
		ast.Inspect(f.Node, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || Name(call.Fun) != test.call {
				return true
			}
			for _, arg := range call.Args {
				name := Name(arg)
				d, ok := f.Declaration(arg, name)
				switch {
				case !ok:
					name += "?"
				case d.Value != nil:
					name += "=" + text(d.Value)
				}
				got = append(got, name)
			}
			return true
		})
		if s := strings.Join(got, " "); s != test.names {
			t.Errorf("%s: %s, want %s", test.call, s, test.names)
		}
	}
}

func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.CallExpr:
		return Name(e.Fun) + "()"
	case *ast.TypeAssertExpr:
		return Name(e.X) + ".(type)"
	}
	return "?"
}

// Uses of a variable are those of its name that no other declaration hides.
func TestUses(t *testing.T) {
	f, _ := read(t, `func f() {
		v := 1
		use(v, x.v, T{v: v})
		{
			v := 2
			use(v)
		}
		func() { use(v) }()
		func(v int) { use(v) }(v)
	}`)
	if got := len(f.Uses(declared(t, f, "v"))); got != 4 {
		t.Errorf("%d uses, want 4: two in the first line, one in the first literal, one that it is called with", got)
	}
}

func TestAllocates(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{"x = append(x, y)", false}, {"x = append(x, T{1})", false}, {"x = append(x, f(y))", false}, {"x = append(x, a+b)", false},
		{"x = append(x, &T{1})", true}, {"x = append(x, []int{1})", true}, {"x = append(x, map[int]int{})", true},
		{"x = append(x, func() {})", true}, {`x = append(x, a+"b")`, true}, {"x = append(x, [2]int{})", false},
		{"if y { x = &T{} }", false}, // a statement of its own
	} {
		f, _ := read(t, "func f() { "+test.body+" }")
		if got := Allocates(f.Body().List[0]); got != test.want {
			t.Errorf("%s: %v", test.body, got)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]bool{"Add": true, "AddAll": true, "Add2": true, "Address": false, "add": false, "Readd": false, "PutUint32": true} {
		if got := Begins(name, []string{"Put", "Add"}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, want := range map[string]bool{"int": true, "uint8": true, "float64": true, "complex128": true, "byte": true, "rune": true, "bool": true, "string": false, "interval": false, "error": false} {
		if got := IsNumber(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
