package busywaiting

import (
	"go/ast"
	"testing"

	"whet/internal/typed/typedtest"
)

const loops = `package p

import ("bufio"; "runtime"; "sync/atomic")

var (
	done atomic.Bool
	head atomic.Pointer[int]
	queue = make(chan int)
)

func spinsBare() { for !done.Load() {} }
func spinsYields() { for !done.Load() { runtime.Gosched() } }
func spinsSets() int { for { if p := head.Load(); p != nil { return *p } } }
func spinsInitLen() { for { if n := len(queue); done.Load() && n == 0 { return } } }
func spinsSelect() int { for { select { case n := <-queue: return n; default: } } }

func reads(r *bufio.Reader) string { for { if s, _ := r.ReadString(' '); len(s) > 1 { return s } } }
func asks(next func() []byte) []byte { for { if b := next(); len(b) > 0 { return b } } }
func counts() { for i := 0; i < 100; i++ { if done.Load() { return } } }
func walks(p *atomic.Pointer[int]) { n := 0; for !done.Load() { n++ } }
func works(do func()) { for !done.Load() { do() } }
func polls(do func()) { for { select { case <-queue: return; default: do() } } }
`

// Loops whose functions are named so spin, the others do something in each round.
func TestSpinsIn(t *testing.T) {
	pkg := typedtest.Program(t, typedtest.File{Package: "m/p", Frame: "p.go", Text: loops}).Package("m/p")
	seen := 0
	for fn := range pkg.Functions {
		ast.Inspect(fn.Decl, func(n ast.Node) bool {
			if loop, ok := n.(*ast.ForStmt); ok {
				seen++
				name := fn.Decl.Name.Name
				if want := name[0] == 's'; spinsIn(pkg, loop) != want {
					t.Errorf("%s: it spins is %t", name, !want)
				}
			}
			return true
		})
	}
	if seen != 11 {
		t.Errorf("%d loops", seen)
	}
}
