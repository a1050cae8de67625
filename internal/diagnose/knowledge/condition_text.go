package knowledge

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp/syntax"
	"slices"
	"strings"

	"whet/internal/typed"
)

// notEmpty holds where an argument is always one text that is not empty.
func notEmpty(i int) Condition {
	return literal(i, "is a non-empty constant string", func(s string) bool { return s != "" })
}

// literal is like [texts], of bytes that are written out too: []byte("x"), []byte{0}.
func literal(i int, words string, is func(string) bool) Condition {
	return arg(i, words, func(c *Call, e ast.Expr) bool {
		s, ok := c.text(i)
		if x, to := c.In.Conversion(e); !ok && x != nil && isNamed(to, "[]byte") {
			f := c.In.Fixed(x)
			if ok = f.Always() && f.Value != nil; ok {
				s = *f.Value
			}
		}
		if lit, isLit := e.(*ast.CompositeLit); isLit && isNamed(c.In.TypeOf(e), "[]byte") {
			var b []byte
			for _, elt := range lit.Elts {
				n, exact := constant.Int64Val(constant.ToInt(constValue(c.In.Info.Types[elt].Value)))
				if !exact {
					return false
				}
				b = append(b, byte(n))
			}
			s, ok = string(b), true
		}
		return ok && is(s)
	})
}

// constValue returns a constant, or one of no kind for nil.
func constValue(v constant.Value) constant.Value {
	if v == nil {
		return constant.MakeUnknown()
	}
	return v
}

// foldedAffix: a text in one case is asked for a constant prefix or suffix in that
// case, of ASCII.
var foldedAffix = result("strings.HasPrefix or HasSuffix tests it for a constant ASCII string in that case", func(c *Call, use ast.Expr) bool {
	call, ok := c.In.Parent(use).(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || call.Args[0] != use || !slices.Contains([]string{"strings.HasPrefix", "strings.HasSuffix"}, c.In.Called(call)) {
		return false
	}
	v := c.In.Info.Types[call.Args[1]].Value
	if v == nil || v.Kind() != constant.String {
		return false
	}
	s := constant.StringVal(v)
	ascii := !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f })
	return ascii && (c.Callee() == "strings.ToLower" && s == strings.ToLower(s) || c.Callee() == "strings.ToUpper" && s == strings.ToUpper(s))
})

// foldedEqual: bytes in one case are compared with others of the same function.
var foldedEqual = result("bytes.Equal compares it with another in that case", func(c *Call, use ast.Expr) bool {
	call, ok := c.In.Parent(use).(*ast.CallExpr)
	return ok && c.In.Called(call) == "bytes.Equal" && !slices.ContainsFunc(call.Args, func(e ast.Expr) bool {
		by, ok := e.(*ast.CallExpr)
		return !ok || c.In.Called(by) != c.Callee()
	})
})

// readOnly holds where functions that can only read from it are all that see the
// result.
var readOnly = result("it is passed to code that only reads from it", func(c *Call, use ast.Expr) bool {
	call, ok := c.In.Parent(use).(*ast.CallExpr)
	if !ok || !c.setHere(use) {
		return false
	}
	sig, ok := typed.Under[*types.Signature](c.In.TypeOf(call.Fun))
	i := slices.Index(call.Args, use)
	if !ok || i < 0 || i >= sig.Params().Len() || sig.Variadic() && i == sig.Params().Len()-1 {
		return false
	}
	to, ok := typed.Under[*types.Interface](sig.Params().At(i).Type())
	return ok && to.NumMethods() == 1 && to.Method(0).Name() == "Read"
})

// scanned holds where fmt.Fscan or fmt.Scan reads into numbers and strings.
var scanned = Condition{"it reads into numbers and strings", func(c *Call) bool {
	if c.Callee() == "fmt.Fscan" {
		return pointers(1).holds(c)
	}
	return pointers(0).holds(c)
}}

// patterns returns the patterns of the regular expressions that a method may be called on: of the
// one that a variable of the package or a field holds, or of those that all calls of the
// function hand to it as a parameter. None where one of them is not known.
func (c *Call) patterns() (all []string) {
	if made := c.Receiver(); made != nil {
		if len(made.Fixed) != 1 || made.Fixed[0].Value == nil || made.Held != "package" && made.Held != "field" ||
			made.Callee != "regexp.MustCompile" && made.Callee != "regexp.Compile" {
			return nil
		}
		return []string{*made.Fixed[0].Value}
	}
	v := c.In.Var(c.receiver())
	fn, ok := c.In.Declaration(c.Pos()).(*ast.FuncDecl)
	if v == nil || !ok || fn.Recv != nil || fn.Name.IsExported() {
		return nil
	}
	i := c.In.Parameter(v) - 1
	for _, use := range c.In.Uses(c.In.Info.Defs[fn.Name]) {
		call, ok := c.In.Parent(use).(*ast.CallExpr)
		if !ok || call.Fun != ast.Expr(use) || i < 0 || i >= len(call.Args) {
			return nil
		}
		given := c.In.Var(call.Args[i])
		if given == nil || !typed.Global(given) {
			return nil
		}
		made, ok := ast.Unparen(c.In.SetOnce(given)).(*ast.CallExpr)
		if !ok || c.In.Called(made) != "regexp.MustCompile" || len(made.Args) != 1 || c.In.Fixed(made.Args[0]).Value == nil {
			return nil
		}
		all = append(all, *c.In.Fixed(made.Args[0]).Value)
	}
	return all
}

// aroundLiteral reports whether an expression is a row of texts and of runs of single
// characters that may be empty, with a text among them.
func aroundLiteral(re *syntax.Regexp) bool {
	texts := 0
	var row func(re *syntax.Regexp) bool
	row = func(re *syntax.Regexp) bool {
		switch re.Op {
		case syntax.OpLiteral:
			texts++
			return true
		case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
			return re.Sub[0].Op == syntax.OpCharClass || re.Sub[0].Op == syntax.OpLiteral && len(re.Sub[0].Rune) == 1
		case syntax.OpCapture, syntax.OpConcat:
			return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !row(sub) })
		}
		return false
	}
	return row(re) && texts > 0
}

// anyAround holds where the pattern of a method's regular expression begins or ends
// with .*, which changes nothing for whether it matches.
var anyAround = Condition{"the pattern begins or ends with .*", func(c *Call) bool {
	made := c.Receiver()
	if made == nil || len(made.Fixed) != 1 || made.Fixed[0].Value == nil || made.Callee != "regexp.MustCompile" && made.Callee != "regexp.Compile" {
		return false
	}
	re, err := syntax.Parse(*made.Fixed[0].Value, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat {
		return false
	}
	return isAny(re.Sub[0]) || isAny(re.Sub[len(re.Sub)-1])
}}

func isAny(re *syntax.Regexp) bool {
	return re.Op == syntax.OpStar && (re.Sub[0].Op == syntax.OpAnyCharNotNL || re.Sub[0].Op == syntax.OpAnyChar)
}

// namesOnly holds where the function that filepath.Walk is given asks of a file what
// its directory knows.
var namesOnly = arg(1, "is a function that uses only the name and the type of its FileInfo", func(c *Call, e ast.Expr) bool {
	lit, ok := e.(*ast.FuncLit)
	if !ok {
		return false
	}
	var names []*ast.Ident
	for _, field := range lit.Type.Params.List {
		names = append(names, field.Names...)
	}
	if len(names) != 3 {
		return len(names) == 0
	}
	obj := c.In.Info.Defs[names[1]]
	return names[1].Name == "_" || obj != nil && !slices.ContainsFunc(c.In.Uses(obj), func(id *ast.Ident) bool { return !c.ofDirectory(id) })
})

// ofDirectory reports whether what is asked of a FileInfo stands in its directory.
func (c *Call) ofDirectory(id *ast.Ident) bool {
	switch by := c.In.Parent(id).(type) {
	case *ast.BinaryExpr:
		return by.Op == token.EQL || by.Op == token.NEQ
	case *ast.SelectorExpr:
		call, ok := c.In.Parent(by).(*ast.CallExpr)
		if !ok || call.Fun != by {
			return false
		}
		of, ok := c.In.Parent(call).(*ast.SelectorExpr)
		return by.Sel.Name == "Name" || by.Sel.Name == "IsDir" ||
			by.Sel.Name == "Mode" && ok && slices.Contains([]string{"IsDir", "IsRegular", "Type"}, of.Sel.Name)
	}
	return false
}

// targetsError holds where an argument points to a variable whose type is an error:
// errors.As takes any interface.
func targetsError(i int) Condition {
	return arg(i, "points to an error", func(c *Call, e ast.Expr) bool {
		p, ok := typed.Under[*types.Pointer](c.In.TypeOf(e))
		return ok && types.Implements(p.Elem(), types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
	})
}

// handed holds where a call is, in its place, an argument of one of some functions
// and of no other.
func handed(i int, callees ...string) Condition {
	return Condition{"it is " + ordinal(i) + " of " + words(callees) + ", directly", func(c *Call) bool {
		call, ok := c.In.Parent(c.CallExpr).(*ast.CallExpr)
		return ok && i < len(call.Args) && call.Args[i] == c.CallExpr && slices.Contains(callees, c.In.Called(call))
	}}
}

// handedAny is handed of any argument.
func handedAny(callees ...string) Condition {
	return Condition{"it is an argument of " + words(callees) + ", directly", func(c *Call) bool {
		call, ok := c.In.Parent(c.CallExpr).(*ast.CallExpr)
		return ok && call.Fun != c.CallExpr && slices.Contains(callees, c.In.Called(call))
	}}
}

// givenToReader holds of a conversion that bytes.NewReader or NewBuffer is given for
// what only reads.
var givenToReader = Condition{"it is the argument of bytes.NewReader or NewBuffer, which is passed to code that only reads from it", func(c *Call) bool {
	call, ok := c.In.Parent(c.CallExpr).(*ast.CallExpr)
	return ok && slices.Contains([]string{"bytes.NewReader", "bytes.NewBuffer"}, c.In.Called(call)) && readOnly.holds(&Call{Site: typed.Site{CallExpr: call, In: c.In}})
}}

// chained holds of a strings.ReplaceAll that is one of at least least, each of which
// works on the result of another, and which one pass can do: each replaces another
// single byte, by what holds none of those that come later.
func chained(least int) Condition {
	return Condition{"it is one of several successive calls that each replace a different byte", func(c *Call) bool {
		replaces := func(e ast.Expr) *ast.CallExpr {
			call, ok := ast.Unparen(e).(*ast.CallExpr)
			if !ok || c.In.Called(call) != "strings.ReplaceAll" || len(call.Args) != 3 {
				return nil
			}
			return call
		}
		last := c.CallExpr
		for {
			outer, ok := c.In.Parent(last).(*ast.CallExpr)
			if !ok || replaces(outer) == nil || outer.Args[0] != last {
				break
			}
			last = outer
		}
		later, n := "", 0
		for call := replaces(last); call != nil; call = replaces(call.Args[0]) {
			one, by := c.In.Fixed(call.Args[1]), c.In.Fixed(call.Args[2])
			if one.Value == nil || by.Value == nil || !one.Always() || !by.Always() || len(*one.Value) != 1 || strings.Contains(later, *one.Value) || strings.ContainsAny(*by.Value, later) {
				return false
			}
			later += *one.Value
			n++
		}
		return n >= least
	}}
}

// plainText holds of a text that a method String or a function for digits makes.
var plainText = arg(0, "is a string returned by a method String, or a function of encoding/hex, encoding/base64 or strconv", func(c *Call, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || !typed.IsString(c.In.TypeOf(e)) {
		return false
	}
	fn := c.In.Function(call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	return fn.Name() == "String" && fn.Signature().Recv() != nil || slices.Contains([]string{"encoding/hex", "encoding/base64", "strconv"}, fn.Pkg().Path())
})
