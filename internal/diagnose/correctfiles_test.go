package diagnose

import (
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/typed/typedtest"
)

const mended = `package x

func Render(buf *bytes.Buffer) string { // 3
	return buf.String() // 4
}

func init() { // 7
	clear()
}

func (p *Page) init() { // 11
	p.clear() // 12
}

type Page struct{}
`

// A profile whose first sample of a function lies in code inlined into it gives
// all of the function's lines the wrong file.
func TestFramesLieWhereTheirFunctionIsDeclared(t *testing.T) {
	const inlined = "/go/src/bytes/buffer.go"
	frames := []struct{ from, want callstack.Frame }{
		{callstack.Frame{Function: "m/x.Render", File: inlined, Line: 4}, callstack.Frame{File: "x.go", Line: 4}},
		{callstack.Frame{Function: "m/x.Render", File: inlined, Line: 77}, callstack.Frame{File: "x.go", Line: 3}}, // the instruction itself
		{callstack.Frame{Function: "m/x.Render", File: "x.go", Line: 5}, callstack.Frame{File: "x.go", Line: 5}},
		{callstack.Frame{Function: "m/x.Render", File: "x.go", Line: 6}, callstack.Frame{File: "x.go", Line: 3}},
		{callstack.Frame{Function: "m/x.(*Page).init", File: inlined, Line: 12}, callstack.Frame{File: "x.go", Line: 12}},
		{callstack.Frame{Function: "m/x.init", File: "y.go", Line: 30}, callstack.Frame{File: "y.go", Line: 30}}, // a package variable's
		{callstack.Frame{Function: "m/x.Render.func1", File: inlined, Line: 77}, callstack.Frame{File: inlined, Line: 77}},
		{callstack.Frame{Function: "bytes.(*Buffer).String", File: inlined, Line: 77}, callstack.Frame{File: inlined, Line: 77}},
	}
	b := callstack.NewBuilder(callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, f := range frames {
		b.AddFrames([]callstack.Frame{f.from}, nil, 1)
	}
	s := &Subject{
		Source: text(mended), Program: typedtest.Program(t, typedtest.File{Package: "m/x", Frame: "x.go", Text: mended}),
		CPU: &hot.Classified{Frames: b.Frames(), Class: make([]hot.Class, len(frames))},
	}
	s.correctFiles()
	for i := range frames {
		if got, want := *s.CPU.Frame(callstack.FrameID(i)), frames[i].want; got.File != want.File || got.Line != want.Line {
			t.Errorf("%s of %s:%d: %s:%d, want %s:%d", got.Function, frames[i].from.File, frames[i].from.Line, got.File, got.Line, want.File, want.Line)
		}
	}
}
