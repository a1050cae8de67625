package readgrowth

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/finding"
	"whet/internal/typed"
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
	call, reader, _ := reads(s, st)
	if reader == nil {
		return in, false
	}
	if t := call.In.TypeOf(reader); t != nil {
		in, ok = byType(reader, t.String())
	}
	if !ok {
		in, ok = byShape(call.In, reader, 4)
	}
	return in, ok
}

// dropsBuffer reports whether the buffer that a statement reads into is a
// variable of the function's own that nothing holds when it returns.
func dropsBuffer(s *diagnose.Subject, st diagnose.Statement) bool {
	call, _, buffer := reads(s, st)
	if address, ok := buffer.(*ast.UnaryExpr); ok {
		buffer = address.X
	}
	if buffer == nil {
		return false
	}
	v := call.In.Var(buffer)
	if v == nil || v.Kind() != types.LocalVar {
		return false
	}
	ends, _ := call.In.Ends(v)
	return ends
}

// reads returns the one call of a statement that reads to the end, what it reads and,
// if it is given one, into which buffer.
func reads(s *diagnose.Subject, st diagnose.Statement) (found typed.Site, reader, buffer ast.Expr) {
	for _, call := range s.Sites(st) {
		from, into := ends(call)
		if from != nil && reader != nil {
			return found, nil, nil
		}
		if from != nil {
			found, reader, buffer = call, from, into
		}
	}
	return found, reader, buffer
}

func ends(call typed.Site) (reader, buffer ast.Expr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	switch callee := call.Callee(); {
	case !ok:
	case len(call.Args) == 1 && (callee == readAll || callee == "io/ioutil.ReadAll"):
		return call.Args[0], nil
	case len(call.Args) == 1 && sel.Sel.Name == "ReadFrom":
		return call.Args[0], sel.X
	case len(call.Args) == 2 && callee == "io.Copy":
		return call.Args[1], call.Args[0]
	}
	return nil, nil
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
func byShape(pkg *typed.Package, e ast.Expr, depth int) (in input, ok bool) {
	if depth == 0 || e == nil {
		return in, false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return bodyOf(pkg, e)
	case *ast.Ident:
		if v := pkg.Var(e); v != nil && !typed.Global(v) {
			return byShape(pkg, pkg.SetOnce(v), depth-1)
		}
	case *ast.CallExpr:
		switch n := len(e.Args); pkg.Called(e) {
		case "io.LimitReader", "net/http.MaxBytesReader":
			if n < 2 {
				return in, false
			}
			bound := types.ExprString(e.Args[n-1])
			if in, ok := byShape(pkg, e.Args[n-2], depth-1); ok {
				in.known += ", and it is at most " + bound
				return in, true
			}
			return input{"there are at most " + bound + " bytes", bound, limit, finding.Medium}, true
		case "io.NopCloser", "bufio.NewReader", "bufio.NewReaderSize":
			if n > 0 {
				return byShape(pkg, e.Args[0], depth-1)
			}
		case "bytes.NewReader", "bytes.NewBuffer", "bytes.NewBufferString", "strings.NewReader":
			if n == 1 {
				size := "len(" + types.ExprString(e.Args[0]) + ")"
				return input{"all of it is in memory, " + size + " bytes", size, memory, finding.High}, true
			}
		}
	}
	return in, false
}

// bodyOf recognises the body of an HTTP message: of a parameter that is one, or
// of what a call returned.
func bodyOf(pkg *typed.Package, sel *ast.SelectorExpr) (in input, ok bool) {
	t := pkg.TypeOf(sel.X)
	if t == nil || sel.Sel.Name != "Body" || !slices.Contains([]string{"*net/http.Request", "*net/http.Response"}, t.String()) {
		return in, false
	}
	size := types.ExprString(sel.X) + ".ContentLength"
	in = input{size + " states the size", size, body, finding.Medium}
	if v := pkg.Var(sel.X); v != nil && v.Kind() == types.ParamVar {
		in.confidence = finding.High
	}
	return in, true
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
