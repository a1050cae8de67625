package readgrowth

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/finding"
)

// input is what the source says about what is read.
type input struct {
	known      string // a clause: why the size is known
	size       string // an expression for it, "" where there is none
	sort       sort
	confidence finding.Confidence
}

type sort uint8

const (
	body   sort = iota + 1 // a client or server states the size
	file                   // the file system knows it
	memory                 // it is in memory already
	limit                  // it is bounded
)

// inputOf finds what a statement reads whole. ok is false where nothing tells
// its size, or where the statement reads two inputs.
func inputOf(s *diagnose.Subject, st diagnose.Statement) (in input, ok bool) {
	if st.Node == nil {
		return in, false
	}
	var call *ast.CallExpr
	n := 0
	syntax.Head(st.Node, func(node ast.Node) bool {
		if c, is := node.(*ast.CallExpr); is && source(c) != nil {
			call = c
			n++
			return false
		}
		return true
	})
	if n != 1 {
		return in, false
	}
	fn := syntax.New(st.Func)
	reader := source(call)
	if in, ok = byType(reader, argumentType(s, st, call, reader)); ok {
		return in, true
	}
	return byShape(fn, reader, 4)
}

// dropsBuffer reports whether the buffer that a statement reads into is a
// variable of the function's own that nothing holds when it returns.
func dropsBuffer(s *diagnose.Subject, st diagnose.Statement) bool {
	var buffer ast.Expr
	syntax.Head(st.Node, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && source(call) != nil {
			if buffer = call.Args[0]; len(call.Args) == 1 {
				buffer = call.Fun.(*ast.SelectorExpr).X
			}
		}
		return true
	})
	if address, ok := buffer.(*ast.UnaryExpr); ok {
		buffer = address.X
	}
	pkg := s.PackageOf(st.File)
	if pkg == nil || buffer == nil {
		return false
	}
	v := pkg.Var(buffer)
	if v == nil || v.Kind() != types.LocalVar {
		return false
	}
	ends, _ := pkg.Ends(v)
	return ends
}

// source returns the reader of a call that reads to the end.
func source(call *ast.CallExpr) ast.Expr {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	pkg, _ := sel.X.(*ast.Ident)
	switch {
	case sel.Sel.Name == "ReadAll" && len(call.Args) == 1:
		return call.Args[0]
	case sel.Sel.Name == "ReadFrom" && len(call.Args) == 1:
		return call.Args[0]
	case sel.Sel.Name == "Copy" && len(call.Args) == 2 && pkg != nil && pkg.Name == "io":
		return call.Args[1]
	}
	return nil
}

// argumentType is the reader's static type, "" where it is not known.
func argumentType(s *diagnose.Subject, st diagnose.Statement, call *ast.CallExpr, reader ast.Expr) string {
	p := s.PackageOf(st.File)
	if p == nil || p.TypeOf(reader) == nil {
		return ""
	}
	switch p.Called(call) {
	case readAll, readFrom, "io/ioutil.ReadAll", "io.Copy":
		return p.TypeOf(reader).String()
	}
	return ""
}

// byType knows readers that can be asked for their size.
func byType(e ast.Expr, typ string) (input, bool) {
	name := strings.TrimPrefix(types.ExprString(e), "&")
	switch typ {
	case "*os.File", "io/fs.File":
		return input{"the file system knows the file's size", "", file, finding.High}, true
	case "*bytes.Reader", "*strings.Reader", "*bytes.Buffer":
		return input{fmt.Sprintf("all of it is in memory, %s.Len() bytes", name), name + ".Len()", memory, finding.High}, true
	case "*io.SectionReader":
		return input{fmt.Sprintf("it is a section of %s.Size() bytes", name), name + ".Size()", memory, finding.High}, true
	case "*io.LimitedReader":
		return input{fmt.Sprintf("there are at most %s.N bytes", name), name + ".N", limit, finding.Medium}, true
	}
	return input{}, false
}

// byShape follows wrappers and local variables to a body or a limit.
func byShape(fn *syntax.Function, e ast.Expr, depth int) (input, bool) {
	if depth == 0 {
		return input{}, false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if e.Sel.Name != "Body" {
			return input{}, false
		}
		return bodyOf(fn, e)
	case *ast.Ident:
		d, ok := fn.Declaration(e, e.Name)
		if !ok || d.Value == nil || isSetAgain(fn, d) {
			return input{}, false
		}
		return byShape(fn, d.Value, depth-1)
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if !ok {
			return input{}, false
		}
		switch callee := types.ExprString(sel); callee {
		case "io.LimitReader", "http.MaxBytesReader":
			if len(e.Args) < 2 {
				return input{}, false
			}
			bound := types.ExprString(e.Args[len(e.Args)-1])
			if in, ok := byShape(fn, e.Args[len(e.Args)-2], depth-1); ok {
				in.known += ", and it is at most " + bound
				return in, true
			}
			return input{"there are at most " + bound + " bytes", bound, limit, finding.Medium}, true
		case "io.NopCloser", "bufio.NewReader", "bufio.NewReaderSize":
			if len(e.Args) > 0 {
				return byShape(fn, e.Args[0], depth-1)
			}
		case "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString", "strings.NewReader":
			if len(e.Args) == 1 {
				size := "len(" + types.ExprString(e.Args[0]) + ")"
				return input{"all of it is in memory, " + size + " bytes", size, memory, finding.High}, true
			}
		}
	}
	return input{}, false
}

// bodyOf recognises the body of an HTTP message: of a parameter that is one, or
// of what a call returned.
func bodyOf(fn *syntax.Function, sel *ast.SelectorExpr) (input, bool) {
	of := syntax.Name(sel.X)
	if of == "" {
		return input{}, false
	}
	in := input{of + ".ContentLength states the size", of + ".ContentLength", body, finding.Medium}
	if d, ok := fn.Declaration(sel, of); ok && d.Type != nil {
		switch t := types.ExprString(d.Type); t {
		case "*http.Request", "*http.Response":
			in.confidence = finding.High
		default:
			return input{}, false
		}
	} else if ok && d.Value != nil {
		if _, call := ast.Unparen(d.Value).(*ast.CallExpr); !call {
			return input{}, false
		}
	}
	return in, true
}

func isSetAgain(fn *syntax.Function, d syntax.Declaration) bool {
	return slices.ContainsFunc(fn.Uses(d), func(id *ast.Ident) bool {
		st, ok := fn.Parent(id).(*ast.AssignStmt)
		return ok && slices.Contains(st.Lhs, ast.Expr(id))
	})
}

func (in input) remedy(via string) string {
	var text string
	switch {
	case in.sort == file && via == readAll:
		return "Read the file with os.ReadFile (fs.ReadFile), which asks for the size first; or Stat it and io.ReadFull into a buffer of that size that is reused."
	case in.sort == file:
		text = "Stat the file and Grow the buffer by its size + bytes.MinRead before reading (ReadFrom wants that much room to see the end)"
	case in.sort == memory && via == readAll:
		return fmt.Sprintf("Use the bytes where they are, or io.ReadFull into a buffer of %s bytes that is reused.", in.size)
	case in.sort == memory, in.sort == limit && via == readFrom:
		text = fmt.Sprintf("Grow the buffer by %s + bytes.MinRead before reading (ReadFrom wants that much room to see the end)", in.size)
	case in.sort == limit:
		return fmt.Sprintf("Read into a buffer that is reused, for example a pooled bytes.Buffer: it grows to the bound of %s once and not in each call; or read the input as a stream.", in.size)
	case via == readFrom:
		text = fmt.Sprintf("Where 0 < %[1]s and it is below a bound of your own (a client may state anything), Grow the buffer by int(%[1]s) + bytes.MinRead before reading (ReadFrom wants that much room to see the end)", in.size)
	default:
		return fmt.Sprintf("Where 0 < %[1]s and it is below a bound of your own (a client may state anything), io.ReadFull into a buffer of that size, or Grow a bytes.Buffer from a pool by it + bytes.MinRead and ReadFrom; or decode the body as a stream.", in.size)
	}
	return text + ", and reuse the buffer, for example from a pool."
}
