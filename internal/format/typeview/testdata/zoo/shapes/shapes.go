// Package shapes has types of every shape. It is imported, and not kept.
package shapes

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"unsafe"
)

type List[T any] struct {
	next *List[T]
	Val  T
	len  int
}

func (l *List[T]) Push(v T) *List[T]      { return &List[T]{next: l, Val: v} }
func (l *List[Elem]) All() iter.Seq[Elem] { return nil }
func (List[_]) Blank() int                { return 0 }
func (l *List[T]) hidden()                {}

type Number interface {
	~int | ~int64 | ~float64
	fmt.Stringer
}

type Plain interface{ ~int | ~string }

type Key interface {
	comparable
	Hash() uint64
}

type Comparer[T any] interface{ Compare(T) int }

func Max[T Comparer[T]](a, b T) T { return a }

func Sum[T Plain](all ...T) (sum T) { return }

func Sorted[S ~[]E, E cmp.Ordered](s S) S { return s }

type Grid[S ~[]E, E any] struct{ Rows []S }

func (g Grid[R, C]) At(x, y int) C { return g.Rows[y][x] }

type (
	Vec[T any]     = []T
	Pair[A, B any] = struct {
		A A `json:"a"`
		B B
	}
	Set[T comparable] = map[T]struct{}
	IntList           = List[int]
	Again             = IntList
	Deep[T any]       = Pair[Vec[T], List[T]]
	Bytes             = []byte
)

var Pairs Pair[int, Vec[string]]

func Deepen[T any](d Deep[T]) Vec[Deep[T]] { return nil }

type Tree[T any] struct {
	Kids Forest[T]
	up   *Tree[T]
	leaf atomic.Pointer[Tree[T]]
}

type Forest[T any] []Tree[T]

type Node interface {
	Parent() Node
	Kids() []Node
	private()
}

type SameNode Node

type ReadNode interface {
	io.Reader
	Node
	Extra(interface{ Sub() ReadNode }) error
}

type Box[T any] struct{ In T }

// An argument that embeds.
var Odd Box[interface {
	fmt.Stringer
	io.ReadCloser
}]

type Embedder struct {
	*List[string] `x:"y"`
	io.Writer
	hidden
	_ [0]func()
	P unsafe.Pointer
	A [4]struct{ X, y int8 }
}

type hidden struct{ Shown int }

func (hidden) Method() int { return 0 }

func New() *hidden { return nil }

type Fn func(ctx io.Reader, opts ...func(*hidden)) (n int, err error)

func (f Fn) Do() {}

type Cyclic map[string]Cyclic

type Chans struct {
	In  <-chan int
	Out chan<- Chans
	Any chan (<-chan any)
}

type Level uint8

func (l Level) String() string { return "" }

const (
	Debug Level = iota
	Info
	Big           = 1 << 100
	Neg           = -1 << 90
	Pi            = 3.14159265358979323846264338327950288419716939937510582097494459
	Tiny          = 0x1p-1074
	Huge          = 1e400
	Cplx          = 1 + 2i
	Rune          = 'x'
	Text          = "bytes \xff and \x00"
	Yes           = true
	F32   float32 = 1.1
	Max64 uint64  = 1<<64 - 1
)

var (
	Counter atomic.Int64
	Err     error
	Table   = [...]string{2: "x"}
	Both    any
	Byte    byte
	Uint8   uint8
)

// Generic function types of one another.
func Fold[K comparable, V, R any](m map[K]V, start R, f func(R, K, V) R) R { return start }

type Mutual[A Other[B], B any] struct{ a A }

type Other[T any] interface{ Take(T) Other[T] }
