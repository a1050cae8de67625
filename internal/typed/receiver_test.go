package typed_test

import (
	"go/ast"
	"testing"

	"whet/internal/typed"
	"whet/internal/typed/typedtest"
)

const receiverSource = `package p

import ("net/http"; "sync")

type encoder struct { n int; out []byte; next *encoder }
func newEncoder() *encoder { return &encoder{} }
func (e *encoder) sets() { e.n++ }
func (e *encoder) appends() { e.out = append(e.out, 1) }
func (e *encoder) element() { e.out[e.n] = 1 }
func (e *encoder) ranges() { for e.n = range e.out { } }
func (e *encoder) through() { e.sets() }
func (e *encoder) asks() int { return e.n }
func (e *encoder) addresses() { use(&e.n) }
func (e *encoder) other(o *encoder) { o.n++ }
func (e *encoder) index(list []int) { list[e.n] = 1 }
func (e *encoder) later() { defer func() { e.n++ }() }
func (e *encoder) again() { e.again() }
func (e *encoder) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.n++ }
func (encoder) unnamed() {}
func (e encoder) copied() { e.n++ }
func use(*int) {}

type locked struct { mu sync.Mutex; n int }
func (l *locked) sets() { l.n++ }
type onceOnly struct { *sync.Once; n int }
func (l *onceOnly) sets() { l.n++ }
type state struct { mu sync.Mutex; n int }
type nested struct { in *state; n int }
func (l *nested) sets() { l.n++ }
type shards struct { all [4]struct{ state }; n int }
func (l *shards) sets() { l.n++ }
type ownLock struct { spin spinLock; n int }
type spinLock struct { held uint32 }
func (*spinLock) Lock() {}
func (l *ownLock) sets() { l.n++ }
type outside struct { n int }
var mu sync.Mutex
func (l *outside) locks() { mu.Lock(); l.n++; mu.Unlock() }
func (l *outside) waits(turn chan bool) { turn <- true; l.n++; <-turn }

type parser struct { at int }
func parse() int { p := parser{}; p.step(); return p.at }
func parseToo() int { p := &parser{at: 1}; p.step(); return p.at }
func (p *parser) step() { p.at++ }

type list []int
func (l *list) push() { *l = append(*l, 1) }

type tree[K comparable] struct { n int; first K }
func Tree[K comparable]() *tree[K] { return new(tree[K]) }
func (t *tree[K]) insert() { t.n++ }
`

// What a method sets without a lock, one goroutine at a time does.
func TestReceiver(t *testing.T) {
	pkg := typedtest.Program(t, typedtest.File{Package: "m/p", Frame: "p.go", Text: receiverSource}).Package("m/p")
	want := map[string]typed.Sharing{
		"encoder.sets": typed.Alone, "encoder.appends": typed.Alone, "encoder.element": typed.Alone, "encoder.ranges": typed.Alone, "encoder.through": typed.Alone,
		"encoder.asks": typed.Unshown, "encoder.addresses": typed.Unshown, "encoder.other": typed.Unshown, "encoder.index": typed.Unshown,
		"encoder.later": typed.Unshown, "encoder.again": typed.Unshown,
		"encoder.ServeHTTP": typed.Shared, ".unnamed": typed.Shared, ".copied": typed.Shared, "locked.sets": typed.Shared, "onceOnly.sets": typed.Shared,
		"nested.sets": typed.Shared, "shards.sets": typed.Shared, "ownLock.sets": typed.Shared, "outside.locks": typed.Shared, "outside.waits": typed.Shared, "spinLock.Lock": typed.Shared,
		"parser.step": typed.Shared, // each is made for one call
		"list.push":   typed.Shared,
		"tree.insert": typed.Alone,
		".newEncoder": typed.NoReceiver, ".use": typed.NoReceiver, ".parse": typed.NoReceiver, ".parseToo": typed.NoReceiver, ".Tree": typed.NoReceiver,
	}
	seen := 0
	for fn := range pkg.Functions {
		of, got := pkg.Receiver(fn.Decl)
		name := "." + fn.Decl.Name.Name
		if of != nil {
			name = of.Name() + name
		}
		if is, ok := want[name]; !ok || got != is {
			t.Errorf("%s: %v, want %v (%v)", name, got, is, ok)
		}
		seen++
	}
	if seen != len(want) {
		t.Errorf("%d functions were asked, want %d", seen, len(want))
	}
	// A function without types is asked nothing.
	if of, got := pkg.Receiver(&ast.FuncDecl{Name: ast.NewIdent("x")}); of != nil || got != typed.NoReceiver {
		t.Errorf("%v %v", of, got)
	}
}
