// Package top is kept, and uses all of them.
package top

import (
	"fmt"
	"io"
	"strings"
	. "unsafe"

	"example.com/zoo/mid"
	"example.com/zoo/over"
	"example.com/zoo/shapes"
)

type point struct{ X, Y int }

func (p point) Compare(q point) int { return p.X - q.X }

type node struct{ shapes.SameNode }

type other struct{}

func (other) Take(int) shapes.Other[int] { return other{} }

func Use(w io.Writer) {
	l := (&shapes.List[string]{}).Push("x").Push(shapes.Text)
	for v := range l.All() {
		fmt.Fprintln(w, strings.ToUpper(v), l.Blank(), Sizeof(l))
	}
	p := shapes.Max(point{1, 2}, point{})
	fmt.Fprintln(w, p, shapes.Sum(1, 2), shapes.Sum("a"), shapes.Sorted([]string{"b"}))
	g := shapes.Grid[[]int, int]{Rows: [][]int{{1}}}
	_ = g.At(0, 0) + len(shapes.Table)
	var pair shapes.Pair[int, shapes.Vec[string]] = shapes.Pairs
	pair.B = append(pair.B, "x")
	d := shapes.Deepen(shapes.Deep[int]{})
	_ = d[0].B.Val
	var set shapes.Set[point]
	_ = set
	var t shapes.Tree[int]
	_ = t.Kids[0].Kids
	var n shapes.Node = node{}
	_ = n.Kids()
	_ = shapes.Odd.In.String()
	_, _ = shapes.Odd.In.Read(nil)
	e := shapes.Embedder{}
	_ = e.Push("y")
	_ = e.Method() + e.Shown + int(e.A[0].X)
	_ = shapes.New().Shown
	var f shapes.Fn
	f.Do()
	c := shapes.Chans{}
	c.Out <- shapes.Chans{}
	<-c.In
	const big = shapes.Big >> 98
	_ = shapes.Info.String() + string(shapes.Rune)
	_ = float64(shapes.Pi) + shapes.Tiny + shapes.Huge/1e399 + float64(shapes.F32)
	_ = shapes.Cplx
	shapes.Counter.Add(int64(big))
	_ = shapes.Fold(map[string]int{}, 0.5, func(r float64, k string, v int) float64 { return r })
	var m shapes.Mutual[other, int]
	_ = m
	wide, o := over.Make(nil, mid.Gen[mid.Mid]{})
	_ = wide.Face().N + len(o.N)
	var a over.Alias = *o.Mid
	_ = a.Parent().List.Val.N
	_ = o.G.Get().L.Push(mid.Mid{}).Val.N
	_ = o.A.V[0]
	var face mid.Face = wide.Wide()
	_ = face
	_ = over.Small.Small()
	var cyc shapes.Cyclic = shapes.Cyclic{"x": nil}
	_ = cyc["x"]["y"]
}
