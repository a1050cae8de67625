// Package far is changed by tests.
package far

import _ "unsafe"

var table = [4]int{1, 2, 3, 4}

//go:linkname push example.org/attacked.pushed
func push(x int) int { return x + 21 }

// Key is one of a map.
type Key string

// Name has it.
func (k Key) Name() string { return string(k) }

// Plain has no methods that a printer asks for.
type Plain struct{ n int }

// Len is one of others.
func (p Plain) Len() int { return p.n }

// Err is an error.
type Err struct{ n int }

func (e *Err) Error() string { return "" }

// Indexed has one method.
type Indexed struct{ n int }

// Only is it.
func (i Indexed) Only() int { return i.n + 1 }

// Small has a size.
type Small struct{ n int }

// Size returns it.
func (s Small) Size() int { return s.n + 2 }

// Page has a title.
type Page struct{ n int }

// Title returns it.
func (p Page) Title() string { return "title" }

// Counter counts.
type Counter struct{ n int }

// Next counts on.
func (c *Counter) Next() int {
	c.n += 3
	return c.n
}
