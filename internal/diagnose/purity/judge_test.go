package purity_test

import (
	"fmt"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

type source string

func (s source) Text(file string) []byte    { return []byte(s) }
func (s source) Display(file string) string { return file }

// methods are the callees of the methods that the programs call; those of their
// own types are found by their names, each of which there is once.
// stubs are packages of other modules.
var stubs = []typedtest.File{
	{Package: "example.com/lru", Frame: "lru.go", Text: "package lru\ntype Cache struct{}\nfunc (*Cache) Lookup(string) string"},
	{Package: "example.com/html", Frame: "html.go", Text: "package html\ntype Policy struct{}\nfunc (*Policy) Sanitize(string) string"},
}

func subject(t *testing.T, src string) *diagnose.Subject {
	t.Helper()
	program := typedtest.Program(t, append([]typedtest.File{{Package: "m/app", Frame: "app.go", Text: src}}, stubs...)...)
	return &diagnose.Subject{Package: "m/app", Module: "m", Modules: []string{"m"}, Source: source(src), Program: program}
}

func TestPure(t *testing.T) {
	const head = `package app
import ("bytes"; "context"; "encoding/json"; "example.com/html"; "example.com/lru"; "fmt"; "io"; "log"; "math/rand/v2"; "os"; "regexp"; "slices"; "strconv"; "sync"; "sync/atomic"; "text/template"; "time")
type T struct { re *regexp.Regexp; policy *html.Policy; cache *lru.Cache; from Fetcher; enc *json.Encoder; page *template.Template; out io.Writer; n, set int; decoded, pointed, made int; counts, handed []int; u *U; refs []*int; rows []int; m map[string]int; next *T; buf bytes.Buffer }
type Fetcher interface { Fetch(string) string }
var mu sync.Mutex
var hits atomic.Int64
type U struct { scale int }
func (u *U) rescale(n int) { u.scale = n }
var count, fixed, given int
var cells [4]int
var filled [4]int
func set(at []int, n int) { at[0] = n }
func half(n int) int { n = n / 2; return n }
func (t *T) ask() int { return half(t.made) }
func (t *T) hand(n int) { set(filled[:], n); set(t.handed, n) }
var unit = &U{scale: 1}
var table = map[string]int{"a": 1}
var pool sync.Pool
func New() *T { t := &T{}; t.made = 1; t.rows = append(t.rows, 1); return t }
func (t *T) change() { t.set++ }
func bump() { count++ }
func (t *T) reload(b []byte) { json.Unmarshal(b, &t.decoded) }
func (t *T) tally(i int) { c := t.counts; c[i]++ }
func (t *T) point() { o := t.next; p := &o.pointed; *p = 1 }
func (t *T) each() { for _, p := range t.refs { *p = 1 } }
func hand() *int { return &given }
func cell(i int) { c := cells[:]; c[i] = 1 }
func fill(b []byte, n int) []byte { b[0] = byte(n); return append(b, 1) }
func (t *T) add(n int) { t.n += n }
func (t *T) own() *T { return t.next }
func (t *T) pair() ([]int, bool) { return t.rows, true }
func walk(n int) int { if n == 0 { return 0 }; return walk(n-1) + 1 }
func deep1(n int) int { return deep2(n) }
func deep2(n int) int { bump(); return n }
func largest[E int | string](a, b E) E { if a > b { return a }; return b }
type Pair[E any] struct { a, b E }
func (p Pair[E]) first() E { return p.a }
`
	for _, test := range []struct {
		name, body string
		pure       bool
	}{
		{"arithmetic", "func f(n int) int { x := n; x *= 2; return x }", true},
		{"a loop over a new slice", "func f(n int) []int { out := make([]int, n); for i := range out { out[i] = i }; return out }", true},
		{"functions with type parameters", "func f(n int) int { return largest(n, Pair[int]{n, 1}.first()) }", true},
		{"what a constructor set", "func (t *T) f(n int) int { return t.made + t.rows[0] + n }", true},
		{"a package variable that stays", "func f(n int) int { return fixed + table[\"a\"] }", true},
		{"recursion", "func f(n int) int { return walk(n) }", true},
		{"a context's end", "func f(ctx context.Context, n int) (int, error) { if err := ctx.Err(); err != nil { return 0, err }; return n, nil }", true},
		{"text", "func f(n int) string { return fmt.Sprint(n) + strconv.Itoa(n) }", true},
		{"its own object's methods", "func f(n int) int { t := New(); t.add(n); return t.n }", true},
		{"its own buffer", "func f(n int) string { var b bytes.Buffer; b.WriteString(\"x\"); return b.String() }", true},
		{"its own slice handed on", "func f(n int) []byte { b := make([]byte, 8); b = fill(b, n); return b }", true},
		{"a pool's memory", "func f(n int) int { b := pool.Get().(*T); defer pool.Put(b); b.n = n; return b.n }", true},
		{"decoding into its own", "func f(s string) int { var t T; json.Unmarshal([]byte(s), &t); return t.n }", true},
		{"an element of its own array argument", "func f(a [4]int) int { a[0] = 1; return a[0] }", true},
		{"a closure over its own", "func f(n int) int { x := 0; up := func() { x++ }; up(); return x }", true},
		{"a copy of the receiver", "func (t *T) f(n int) int { c := *t; c.n = n; return c.n }", true},
		{"a result that is dropped", "func f(n int) int { _ = walk(n); var x int; x, _ = strconv.Atoi(\"1\"); return x + n }", true},
		{"sorting its own", "func f(n int) []int { x := []int{n, 2}; slices.Sort(x); return x }", true},
		{"a template that others do not change", "func (t *T) f(n int) string { var b bytes.Buffer; t.next.page.Execute(&b, n); return b.String() }", true},

		{"a part of its own", "func f(n int) int { u := &U{scale: n}; t := T{u: u}; return t.u.scale + u.scale }", true},
		{"an expression's match", "func (t *T) f(s string) string { return t.re.FindString(s) }", true},
		{"a policy of another module", "func (t *T) f(s string) string { return t.policy.Sanitize(s) }", true},
		{"encoding to its own buffer", "func f(n int) string { var b bytes.Buffer; e := json.NewEncoder(&b); e.Encode(n); return b.String() }", true},

		{"a store of another module", "func (t *T) f(s string) string { return t.cache.Lookup(s) }", false},
		{"an interface of its own", "func (t *T) f(s string) string { return t.from.Fetch(s) }", false},
		{"encoding to what it was given", "func (t *T) f(n int) int { t.enc.Encode(n); return n }", false},
		{"a template written to what it was given", "func (t *T) f(n int) int { t.page.Execute(t.out, n); return n }", false},
		{"counts in a package variable", "func f(n int) int { count++; return n }", false},
		{"reads what others count", "func f(n int) int { return count + n }", false},
		{"reads a field that is decoded into", "func (t *T) f(n int) int { return t.decoded + n }", false},
		{"reads a field whose address was taken", "func (t *T) f(n int) int { return t.pointed + n }", false},
		{"reads a slice that others count in, by another name", "func (t *T) f(n int) int { return t.counts[0] + n }", false},
		{"reads a slice through whose elements others write", "func (t *T) f(n int) int { return *t.refs[0] + n }", false},
		{"reads a variable whose address was handed out", "func f(n int) int { return given + n }", false},
		{"reads an array that others write to through a slice", "func f(n int) int { return cells[n] }", false},
		{"reads what a method of a part sets", "func (t *T) f(n int) int { return t.u.scale + n }", false},
		{"reads what a method of a variable sets", "func f(n int) int { return unit.scale + n }", false},
		{"reads that by another name", "func (t *T) f(n int) int { u := t.u; return u.scale + n }", false},
		{"reads an array that another function fills", "func f(n int) int { return filled[n] }", false},
		{"reads a slice that another function fills", "func (t *T) f(n int) int { return t.handed[n] }", false},
		{"counts in its receiver", "func (t *T) f(n int) int { t.n++; return n }", false},
		{"reads a field that others set", "func (t *T) f(n int) int { return t.set + n }", false},
		{"an element of its receiver's slice", "func (t *T) f(n int) int { t.rows[0] = n; return n }", false},
		{"through a local name", "func (t *T) f(n int) int { r := t.rows; r[0] = n; return n }", false},
		{"through a name set later", "func (t *T) f(n int) int { r := []int{1}; if n > 1 { r = t.rows }; r[0] = n; return n }", false},
		{"through a name set with another", "func (t *T) f(n int) int { r, x := []int{1}, 2; r, x = t.rows, n; r[0] = x; return n }", false},
		{"through one of two results", "func (t *T) f(n int) int { var r []int; r, _ = t.pair(); r[0] = n; return n }", false},
		{"what a method of the receiver gives", "func (t *T) f(n int) int { o := t.own(); o.n = n; return n }", false},
		{"appending behind the receiver's slice", "func (t *T) f(n int) []int { return append(t.rows, n) }", false},
		{"deleting", "func (t *T) f(n int) int { delete(t.m, \"a\"); return n }", false},
		{"its receiver's buffer", "func (t *T) f(n int) int { t.buf.WriteString(\"x\"); return n }", false},
		{"its receiver handed on", "func (t *T) f(n int) int { t.add(n); return n }", false},
		{"a closure that changes the receiver", "func (t *T) f(n int) int { func() { t.n = n }(); return n }", false},
		{"a function that counts", "func f(n int) int { return deep1(n) }", false},
		{"the clock", "func f(n int) int { return time.Now().Year() + n }", false},
		{"random numbers", "func f(n int) int { return rand.IntN(n) }", false},
		{"a file", "func f(s string) []byte { b, _ := os.ReadFile(s); return b }", false},
		{"a record", "func f(n int) int { log.Print(n); return n }", false},
		{"printing", "func f(n int) int { fmt.Println(n); return n }", false},
		{"a lock", "func (t *T) f(n int) int { mu.Lock(); return n }", false},
		{"an atomic", "func f(n int) int { return int(hits.Load()) + n }", false},
		{"a channel", "func f(n int) int { ch := make(chan int, 1); ch <- n; return <-ch }", false},
		{"what others send", "func f(ch chan int) int { return <-ch }", false},
		{"a goroutine", "func f(n int) int { go walk(n); return n }", false},
		{"decoding into the receiver", "func (t *T) f(s string) int { json.Unmarshal([]byte(s), t); return 1 }", false},
		{"sorting the receiver's", "func (t *T) f(n int) int { slices.Sort(t.rows); return n }", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := "m/app.f"
			if strings.HasPrefix(test.body, "func (t") {
				name = "m/app.(*T).f"
			}
			if got := purity.New(subject(t, head+test.body)).Pure(name, true); got != test.pure {
				t.Errorf("pure is %v", got)
			}
		})
	}
}

// A function is followed into others to a depth of four, and what lies deeper is
// not known.
func TestDepth(t *testing.T) {
	src := "package app\nfunc f(n int) int { return g1(n) }\n"
	for i := 1; i < 6; i++ {
		src += fmt.Sprintf("func g%d(n int) int { return g%d(n) }\n", i, i+1)
	}
	src += "func g6(n int) int { return n + len(\"\") }\n"
	j := purity.New(subject(t, src))
	for fn, want := range map[string]bool{"m/app.f": false, "m/app.g1": false, "m/app.g2": true, "m/app.g3": true, "m/app.none": false} {
		if got := j.Pure(fn, true); got != want {
			t.Errorf("%s: pure is %v", fn, got)
		}
	}
	follows := j.Follows("m/app.g5")
	if !follows("m/app.g5") || !follows("m/app.g6.func1") || follows("m/app.g4") {
		t.Error("g5 and g6, with its literals, are looked at for g5, and nothing else")
	}
}

func TestReadOnly(t *testing.T) {
	j := purity.New(subject(t, `package app
type T struct { n int; rows []int }
func (t *T) read(i int) int { return t.rows[i] + len(t.rows) }
func (t *T) fill(into []int) { copy(into, t.rows) }
func (t *T) add(n int) { t.rows = append(t.rows[:0], n) }
`))
	for method, want := range map[string]bool{"read": true, "fill": false, "add": false} {
		if got := j.ReadOnly("m/app.(*T)." + method); got != want {
			t.Errorf("%s: read only is %v", method, got)
		}
	}
}

func TestOfItsArguments(t *testing.T) {
	for fn, want := range map[string]bool{
		"image/png.Encode": true, "math.Sqrt": true, "runtime.mallocgc": true, "time.Time.Format": true, "fmt.Fprintf": true, "network.F": true, "oslo.G": true, "encoding/json.Marshal": true, "runtime.mapassign": true, "sync.(*Pool).Get": true,
		"time.Now": false, "net.(*conn).Read": false, "net/http.(*Client).Do": false, "os.(*File).Write": false, "os/exec.Command": false, "syscall.Syscall": false, "internal/poll.(*FD).Read": false,
		"math/rand.Intn": false, "math/rand/v2.IntN": false, "crypto/rand.Read": false, "crypto/sha256.Sum256": false, "golang.org/x/crypto/bcrypt.GenerateFromPassword": false,
		"database/sql.(*DB).Query": false, "runtime.chanrecv1": false, "runtime.selectgo": false, "log.Printf": false, "fmt.Println": false, "runtime/metrics.Read": false, "runtime.cgocall": false, "runtime/pprof.Do": true,
	} {
		if got := purity.OfItsArguments(fn); got != want {
			t.Errorf("%s: %v", fn, got)
		}
	}
}

// What only asks for the time changes nothing, and what functions change that are left out does not
// count.
func TestHarmless(t *testing.T) {
	s := subject(t, `package app
import "time"
type T struct { at time.Time; rows []int }
func f(n int) *T { return &T{at: time.Now(), rows: make([]int, n)} }
func (t *T) g() int { t.at = time.Now(); return 1 }
func (t *T) add(n int) { t.rows = append(t.rows, n) }
func (t *T) sum() (n int) { for _, x := range t.rows { n += x }; return n }
`)
	j := purity.New(s)
	for fn, want := range map[string]bool{"f": true, "(*T).g": false, "(*T).sum": true} {
		if got := j.Harmless("m/app." + fn); got != want {
			t.Errorf("%s: harmless is %v", fn, got)
		}
	}
	for without, want := range map[string]bool{"add": true, "g": false} {
		j := purity.New(s).Without(func(fn *typed.Function) bool { return fn.Decl.Name.Name == without })
		if got := j.Pure("m/app.(*T).sum", false); got != want {
			t.Errorf("without %s: pure is %v", without, got)
		}
	}
}
