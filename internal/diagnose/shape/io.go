package shape

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

var ofStreams = []Shape{
	{Row: knowledge.Row{
		ID: "small-pieces", Cause: "small-pieces",
		When:       knowledge.Words("a loop calls Write or Read of an io.Writer or io.Reader from outside it, or io.ReadFull, with a slice of constant length of at most 64 bytes"),
		Cost:       "a loop reads or writes a few bytes at a time, through an interface",
		Instead:    "Work on some kilobytes at a time: append the items to a buffer and Write it when it is full and at the end; Read into a buffer that holds many items, and decode them in a loop. If the code cannot be changed so, a bufio.Writer (Flush at the end) or bufio.Reader around the stream makes most calls cheap.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "w io.Writer, words []uint64", Result: "int", Args: "bufio.NewWriter(io.Discard), make([]uint64, 1000)",
			Before: "buf := make([]byte, 8)\nfor _, x := range words {\n\tbinary.LittleEndian.PutUint64(buf, x)\n\tw.Write(buf)\n}\nreturn len(words)",
			After:  "buf := make([]byte, 0, 1024)\nfor _, x := range words {\n\tbuf = binary.LittleEndian.AppendUint64(buf, x)\n\tif len(buf) == cap(buf) {\n\t\tw.Write(buf)\n\t\tbuf = buf[:0]\n\t}\n}\nw.Write(buf)\nreturn len(words)"},
	}, Spends: []string{calls, beneath}, Find: smallPieces},
}

// piece is the size of what is read or written up to which it is a small one.
const piece = 64

func smallPieces(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return m
	}
	loop := outer(p, call)
	if loop == nil {
		return m
	}
	stream := call.Args[0]
	switch p.Called(call) {
	case "io.Writer.Write", "io.Reader.Read":
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return m
		}
		stream = sel.X
	case "io.ReadFull":
	default:
		return m
	}
	v := p.Var(p.Base(stream))
	t, of := types.Unalias(p.TypeOf(stream)).(*types.Named)
	if v == nil || within(loop, v.Pos()) || !of || t.Obj().Pkg() == nil || t.Obj().Pkg().Path() != "io" || !types.IsInterface(t) || buffered(p, stream) {
		return m
	}
	if size := constantLength(p, call.Args[len(call.Args)-1]); size > 0 && size <= piece {
		m.Goes = []ast.Node{call}
	}
	return m
}

// buffered reports whether a variable may have been set to a reader or writer with a
// buffer.
func buffered(p *typed.Package, stream ast.Expr) bool {
	v := p.Var(stream)
	if v == nil {
		return false // a field
	}
	values, known := p.SetTo(v)
	return known && slices.ContainsFunc(values, func(e ast.Expr) bool {
		t := p.TypeOf(e)
		return t == nil || strings.Contains(types.TypeString(t, nil), "bufio.")
	})
}

// constantLength returns the length of a slice, where it is known: that of an array, or what
// its only make says; 0 for any other.
func constantLength(p *typed.Package, e ast.Expr) int64 {
	e = ast.Unparen(e)
	if cut, ok := e.(*ast.SliceExpr); ok {
		low, high := p.Info.Types[cut.Low].Value, p.Info.Types[cut.High].Value
		if cut.Low != nil && low == nil || cut.High != nil && high == nil {
			return 0
		}
		if high != nil {
			return number(high) - number(low)
		}
		if a, ok := typed.Under[*types.Array](p.TypeOf(cut.X)); ok {
			return a.Len() - number(low)
		}
		return constantLength(p, cut.X)
	}
	if lit, ok := e.(*ast.CompositeLit); ok && len(lit.Elts) > 0 {
		return int64(len(lit.Elts))
	}
	v := p.Var(e)
	if v == nil {
		return 0
	}
	call, ok := p.SetOnce(v).(*ast.CallExpr)
	if !ok || p.Builtin(call) != "make" || len(call.Args) != 2 {
		return 0
	}
	return number(p.Info.Types[call.Args[1]].Value)
}

func number(v constant.Value) (n int64) {
	if v != nil {
		n, _ = constant.Int64Val(constant.ToInt(v))
	}
	return n
}
