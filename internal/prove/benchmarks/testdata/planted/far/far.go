// Package far is what the planted package reaches in other ways than by a call.
package far

import _ "unsafe"

// Order is that of initialisation.
var Order []string

// Size is inlined elsewhere.
const Size = 16

//go:linkname hidden
//go:noinline
func hidden(x int) int { return x * 3 }

// Adder is called through.
type Adder interface{ Add(int) int }

// One is an Adder.
type One struct{ by int }

// NewOne makes one.
//
//go:noinline
func NewOne() Adder { return &One{1} }

// Add is called through the interface only.
func (o *One) Add(x int) int { return x + o.by }

// Sub is never called.
func (o *One) Sub(x int) int { return x - o.by }

// Divider is what One is asked for, and nothing calls.
type Divider interface{ Div(int) int }

// Bare has no methods.
type Bare struct{ n int }

var bare any

// Divides asks.
//
//go:noinline
func Divides(a Adder) bool {
	bare = Bare{1}
	_, ok := a.(Divider)
	return ok
}

// Div makes no Divider of One: its argument is another one.
func (o *One) Div(x int64) int { return o.by / int(x) }

// Named has a method that is found by name.
type Named struct{}

// Hello is it.
func (Named) Hello() int { return 7 }

// Count is generic.
func Count[T ~int | ~string](xs []T) int {
	n := 0
	for range xs {
		n++
	}
	return n
}
