package typed_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

const lifetimeSource = `package p

import ("bufio"; "bytes"; "compress/gzip"; "crypto/md5"; "encoding/csv"; "encoding/json"; "fmt"; "io"; "net/http"; "slices"; "strconv"; "strings")

type T struct{ data []byte }

var (
	global, x []byte
	list      [][]byte
	ch        chan []byte
	m         map[string]int
	keyed     map[string][]byte
	h         bytes.Buffer
	sum       interface{ Sum([]byte) []byte }
	keeper    struct{ field, part []byte; enc *json.Encoder; in any }
)

func helper(b []byte, n int) { fmt.Println(b, n) }
func keeps(b []byte) { global = b }
func reads(b *bufio.Reader) { b.ReadByte() }
func stores(b *bufio.Reader) { keeper.in = b }
`

// lifetimes are functions f0, f1, … with these bodies.
func lifetimes(t *testing.T, bodies []string) *typed.Package {
	var src strings.Builder
	src.WriteString(lifetimeSource)
	for i, body := range bodies {
		fmt.Fprintf(&src, "func f%d(r io.Reader, w io.Writer, s string, k string) (out []byte, err error) { %s }\n", i, body)
	}
	return typedtest.Program(t, typedtest.File{Package: "m/p", Frame: "p.go", Text: src.String()}).Package("m/p")
}

func TestEnds(t *testing.T) {
	tests := []struct {
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
		{"v := make([]byte, 9); f := func() { helper(v, 1) }; f()", true},
		{"v := make([]byte, 9); f := func() { helper(v, 1) }; f(); use(f)", false},
		{"v := make([]byte, 9); f := func() { helper(v, 1) }; go f()", false},
		{"v := make([]byte, 9); slices.SortFunc(x, func(a, b byte) int { return int(v[a]) - int(v[b]) })", true},
		{"v := make([]byte, 9); func() { helper(v, 1) } = nil", false}, // it does not compile
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
	}
	var bodies []string
	for _, test := range tests {
		bodies = append(bodies, test.body)
	}
	p := lifetimes(t, bodies)
	for i := range tests {
		fn := p.Types.Scope().Lookup(fmt.Sprint("f", i)).(*types.Func)
		var v *types.Var
		ast.Inspect(p.FunctionAround(fn.Pos()), func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "v" && v == nil {
				v, _ = p.Info.Defs[id].(*types.Var)
			}
			return true
		})
		if v == nil {
			t.Fatalf("%s: v is not declared", tests[i].body)
		}
		if got, _ := p.Ends(v); got != tests[i].want {
			t.Errorf("%s\nends is %v", tests[i].body, got)
		}
	}
}

func TestValueEnds(t *testing.T) {
	tests := []struct {
		body string
		want bool
	}{
		{"return csv.NewReader(r).Read()", true},
		{"_, err := fmt.Fprintln(bufio.NewWriter(w))", true},
		{"reads(bufio.NewReader(r))", true},
		{"return bufio.NewReader(r).Peek(1)", false},
		{"stores(bufio.NewReader(r))", false},
		{"go reads(bufio.NewReader(r))", false},
		{"unknown(bufio.NewReader(r))", false},
		{"s.in = T{bufio.NewReader(r)}", false},
	}
	var bodies []string
	for _, test := range tests {
		bodies = append(bodies, test.body)
	}
	p := lifetimes(t, bodies)
	for i := range tests {
		fn := p.Types.Scope().Lookup(fmt.Sprint("f", i)).(*types.Func)
		var value ast.Expr
		ast.Inspect(p.FunctionAround(fn.Pos()), func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && strings.Contains(p.Called(call), ".New") {
				value = call
			}
			return true
		})
		ends, followed := p.ValueEnds(value)
		if ends != tests[i].want {
			t.Errorf("%s\nends is %v", tests[i].body, ends)
		}
		if own := strings.HasPrefix(tests[i].body, "reads(") || strings.HasPrefix(tests[i].body, "stores("); followed != own {
			t.Errorf("%s\nfollowed is %v", tests[i].body, followed)
		}
	}
}

// What does not type-check is not known to end.
func TestEndsOfBrokenSource(t *testing.T) {
	p := typedtest.Program(t, typedtest.File{Package: "m/p", Frame: "p.go", Text: `package p

import "C"

func f(v undefined) (w int) {
	var v T
	append()
	len()
	g(v, C.x(&v))
	switch v := any(v).(type) {
	case T:
		h(&v)
	}
	(*T).m(&v)
	return v.T.m
}

func g(...*T)
func g(v *T) { g(v, v); missing(v) }
func h(v *T) { v.m(v); h(v); missing(v) }

type T struct{ T }

func (v *T) m() { v.T.m() }
func (T) m() {}
`}).Package("m/p")
	asked := 0
	for id, obj := range p.Info.Defs {
		v, ok := obj.(*types.Var)
		if !ok || v.IsField() || id.Name != "v" {
			continue
		}
		asked++
		if ends, _ := p.Ends(v); ends && len(p.Uses(v)) > 1 {
			t.Errorf("%v, used %d times, ends", v, len(p.Uses(v)))
		}
	}
	if asked < 4 {
		t.Errorf("asked about %d variables", asked)
	}
}
