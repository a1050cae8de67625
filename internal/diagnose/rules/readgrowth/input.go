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
// its size, or where the statement reads two inputs. dropped: what it is read into is
// the function's own and ends with it.
func inputOf(s *diagnose.Subject, st diagnose.Statement) (in input, dropped, ok bool) {
	var pkg *typed.Package
	var reader, buffer ast.Expr
	for _, call := range s.Sites(st) {
		from, into := ends(call)
		if from == nil {
			continue
		}
		if reader != nil {
			return in, false, false
		}
		pkg, reader, buffer = call.In, from, into
	}
	if reader == nil {
		return in, false, false
	}
	if t := pkg.TypeOf(reader); t != nil {
		in, ok = byType(reader, t.String())
	}
	if !ok {
		in, ok = byShape(pkg, reader, 4)
	}
	if address, ok := buffer.(*ast.UnaryExpr); ok {
		buffer = address.X
	}
	if v := pkg.Var(buffer); v != nil && v.Kind() == types.LocalVar {
		dropped, _ = pkg.Ends(v)
	}
	return in, dropped, ok
}

// ends returns what a call reads to the end and, if it is given one, into which buffer.
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
	in = input{size + " gives the size", size, body, finding.Medium}
	if v := pkg.Var(sel.X); v != nil && v.Kind() == types.ParamVar {
		in.confidence = finding.High
	}
	return in, true
}

const (
	grow  = "Grow the buffer by {size}" + room
	room  = " + bytes.MinRead before reading (ReadFrom needs that much room to detect the end), and reuse the buffer, for example from a pool."
	where = "If {size} is positive and below a bound of your own (a client may state any length), "
)

var remedies = map[string]map[sort]string{
	readAll: {
		file:   "Read the file with os.ReadFile (fs.ReadFile), which asks for the size first; or Stat it and io.ReadFull into a reused buffer of that size.",
		memory: "Use the bytes in place, or io.ReadFull into a reused buffer of {size} bytes.",
		limit:  "Read into a reused buffer, for example a pooled bytes.Buffer, which grows to the bound of {size} only once; or process the input as a stream.",
		body:   where + "io.ReadFull into a buffer of that size, or Grow a pooled bytes.Buffer by it + bytes.MinRead and call ReadFrom; or decode the body as a stream.",
	},
	readFrom: {
		file:   "Stat the file and Grow the buffer by its size" + room,
		memory: grow,
		limit:  grow,
		body:   where + "Grow the buffer by int({size})" + room,
	},
}
