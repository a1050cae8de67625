package planted

import (
	"runtime"

	_ "example.org/planted/first"
	_ "example.org/planted/second"
	_ "example.org/planted/third"
)

//go:noinline
func placed() int {
	_, _, line, _ := runtime.Caller(0)
	return line
}

// The collector's mask of the first is made by the runtime, that of the second
// by the compiler.
var masked [3000]struct {
	a *int
	b *int
	c int
	d *int
	n int
}

var small struct {
	a *int
	e *int
	f int
	g *int
	n int
}

var others map[string]struct{ h *int }

//go:noinline
func ofMasked(i int) int { return masked[i].n }

//go:noinline
func ofSmall() int { return small.n + len(mapped) }

// mapped has a type of its own.
var mapped map[string]pair

type pair struct{ x, y *int }
