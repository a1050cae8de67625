// Package mid is kept, and what is not kept refers to it.
package mid

import "example.com/zoo/shapes"

type Mid struct {
	N    int
	List *shapes.List[Mid]
}

func (m *Mid) Parent() *Mid { return m }

type Gen[T any] struct{ V T }

func (g Gen[T]) Get() T { return g.V }

type Face interface{ Face() Mid }

type Name = string

type GenAlias[T any] = Gen[[]T]

type small struct{ s int }

func (small) Small() int { return 1 }

func Small() small { return small{} }
