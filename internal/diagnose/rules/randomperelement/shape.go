package randomperelement

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
)

// shape is what the source says of a statement that makes a character of a
// random number.
type shape struct {
	perDraw int  // characters that one draw is enough for
	runes   bool // the alphabet is a slice of runes
	typed   bool // the drawing call is among the typed ones
}

// One draw has 63 bits: 64^10 = 2^60 and 256^7 = 2^56 fit.
const (
	small, ofSmall = 64, 10
	large, ofLarge = 256, 7
)

// shapeOf reads a statement of a loop. ok is false where it is none that makes
// one character in each round.
func (f *finder) shapeOf(st diagnose.Statement, function string) (sh shape, ok bool) {
	fn := syntax.New(st.Func)
	body := bodyOf(st.Loop)
	if body == nil || fn.Parent(st.Node) != body || holdsLoop(body) {
		return shape{}, false
	}
	r := reader{finder: f, st: st, fn: fn, pkg: symbolname.Package(function)}
	made := character(st.Node)
	if made == nil {
		if made = r.named(body); made == nil {
			return shape{}, false
		}
	}
	return r.character(made)
}

// named is character for a number that gets a name first: the statement declares
// it, and its one use is in another of the loop's statements.
func (r *reader) named(body *ast.BlockStmt) ast.Expr {
	assign, ok := r.st.Node.(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok {
		return nil
	}
	uses := r.fn.Uses(syntax.Declaration{Ident: id, Node: assign, Scope: body})
	if len(uses) != 1 {
		return nil
	}
	for _, st := range body.List {
		if made := character(st); made != nil && r.fn.Within(uses[0], made) {
			r.use, r.number = uses[0], assign.Rhs[0]
			return made
		}
	}
	return nil
}

func bodyOf(loop ast.Stmt) *ast.BlockStmt {
	switch l := loop.(type) {
	case *ast.ForStmt:
		return l.Body
	case *ast.RangeStmt:
		return l.Body
	}
	return nil
}

// holdsLoop: an inner loop uses a number up, or makes something else.
func holdsLoop(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

// character returns the one expression that a statement sets an element to,
// appends or writes; nil for any other statement.
func character(st ast.Stmt) ast.Expr {
	switch st := st.(type) {
	case *ast.AssignStmt:
		if len(st.Lhs) != 1 || len(st.Rhs) != 1 {
			return nil
		}
		to, value := ast.Unparen(st.Lhs[0]), ast.Unparen(st.Rhs[0])
		if _, element := to.(*ast.IndexExpr); element && st.Tok == token.ASSIGN {
			return value
		}
		switch call := value.(type) {
		case *ast.CallExpr:
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "append" && st.Tok == token.ASSIGN && len(call.Args) == 2 &&
				call.Ellipsis == token.NoPos && same(to, call.Args[0]) {
				return call.Args[1]
			}
			// Of other types than strings += adds numbers.
			if st.Tok == token.ADD_ASSIGN && isString(call) {
				return call
			}
		case *ast.BinaryExpr:
			if st.Tok == token.ASSIGN && call.Op == token.ADD && same(to, call.X) && isString(call.Y) {
				return call.Y
			}
		}
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return nil
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"WriteByte", "WriteRune", "WriteString"}, sel.Sel.Name) {
			return call.Args[0]
		}
	}
	return nil
}

func same(a, b ast.Expr) bool {
	name := syntax.Name(a)
	return name != "" && name == syntax.Name(b)
}

func isString(e ast.Expr) bool {
	_, to := conversion(e)
	return to == "string"
}

// reader reads the expressions of one statement.
type reader struct {
	*finder
	st  diagnose.Statement
	fn  *syntax.Function
	pkg string
	// The number, and where it is used by its name; nil where it has none.
	use    *ast.Ident
	number ast.Expr
}

// character reads what a character is made of: alphabet[draw] or 'a' + draw.
func (r *reader) character(e ast.Expr) (shape, bool) {
	switch e := converted(e, "string", "byte", "rune", "uint8", "int32").(type) {
	case *ast.IndexExpr:
		call, n := r.draw(e.Index)
		if call == nil {
			return shape{}, false
		}
		a, ok := r.alphabet(e.X)
		if x := lengthOf(n); x != nil && same(x, e.X) && (ok || r.lengthOfText()) {
			return r.of(call, a.size, a.runes)
		}
		if size := literal(n); ok && size > 0 {
			return r.of(call, size, a.runes)
		}
	case *ast.BinaryExpr:
		from, number := e.X, e.Y
		if !isCharacter(from) {
			from, number = number, from
		}
		if e.Op != token.ADD || !isCharacter(from) {
			return shape{}, false
		}
		call, n := r.draw(number)
		if size := literal(n); call != nil && size > 0 {
			return r.of(call, size, false)
		}
	}
	return shape{}, false
}

// of makes a shape for an alphabet of a size, 0 where that is not known.
func (r *reader) of(call *ast.CallExpr, size int, runes bool) (shape, bool) {
	sh := shape{perDraw: ofLarge, runes: runes}
	switch {
	case size > large:
		return shape{}, false
	case 0 < size && size <= small:
		sh.perDraw = ofSmall
	}
	calls, _ := r.s.StatementCalls(r.st)
	for _, c := range calls {
		sh.typed = sh.typed || c.Callee != "" && len(c.Args) == len(call.Args) && symbolname.Parse(c.Callee).Name == nameOf(call)
	}
	return sh, true
}

func nameOf(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

var integers = []string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune"}

// draw reads a number below n: f(n), or f() % n.
func (r *reader) draw(e ast.Expr) (call *ast.CallExpr, n ast.Expr) {
	e = converted(e, integers...)
	if r.use != nil && e == r.use {
		e = converted(r.number, integers...)
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		if len(e.Args) == 1 && nameOf(e) != "" && nameOf(e) != "len" {
			return e, e.Args[0]
		}
	case *ast.BinaryExpr:
		if call, ok := converted(e.X, integers...).(*ast.CallExpr); ok && e.Op == token.REM && len(call.Args) == 0 && nameOf(call) != "" {
			return call, e.Y
		}
	}
	return nil, nil
}

// converted strips parentheses and conversions to some types.
func converted(e ast.Expr, types ...string) ast.Expr {
	for e != nil {
		e = ast.Unparen(e)
		x, to := conversion(e)
		if x == nil || !slices.Contains(types, to) {
			break
		}
		e = x
	}
	return e
}

// conversion reads T(x), or the call of a function of that name.
func conversion(e ast.Expr) (x ast.Expr, to string) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, ""
	}
	if id, ok := call.Fun.(*ast.Ident); ok {
		return call.Args[0], id.Name
	}
	return nil, ""
}

// literal returns a written number, 0 for anything else.
func literal(e ast.Expr) int {
	lit, ok := converted(e, integers...).(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return 0
	}
	n, err := strconv.ParseInt(lit.Value, 0, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

func isCharacter(e ast.Expr) bool {
	lit, ok := converted(e, "byte", "rune").(*ast.BasicLit)
	return ok && lit.Kind == token.CHAR
}

// alphabet is a list of characters.
type alphabet struct {
	size  int // 0: not known
	runes bool
}

// alphabet reads what is indexed: a string by its written type, or what the
// source shows to be made of characters.
func (r *reader) alphabet(e ast.Expr) (a alphabet, ok bool) {
	var value, typ ast.Expr
	if id, isName := ast.Unparen(e).(*ast.Ident); isName {
		if d, local := r.fn.Declaration(r.st.Node, id.Name); local {
			value, typ = d.Value, d.Type
		} else {
			value, typ = r.s.VariableNamed(r.pkg, id.Name)
		}
	}
	if a, ok = r.listed(value); ok {
		return a, true
	}
	id, isName := typ.(*ast.Ident)
	return alphabet{}, isName && id.Name == "string"
}

// lengthOf returns the x of len(x), nil for anything else.
func lengthOf(e ast.Expr) ast.Expr {
	if x, of := conversion(converted(e, integers...)); of == "len" {
		return x
	}
	return nil
}

// lengthOfText reports whether the statement takes the length of a string, and
// of nothing else.
func (r *reader) lengthOfText() bool {
	calls, _ := r.s.StatementCalls(r.st)
	lengths, texts := 0, 0
	for _, c := range calls {
		if c.Callee == "len" && len(c.Args) == 1 {
			lengths++
			if strings.TrimPrefix(c.Args[0], "untyped ") == "string" {
				texts++
			}
		}
	}
	return lengths > 0 && lengths == texts
}

// listed reads a value that is written as characters: "abc", []rune("abc"),
// []byte{'a', 'b'}.
func (r *reader) listed(e ast.Expr) (a alphabet, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return a, false
		}
		text, err := strconv.Unquote(e.Value)
		return alphabet{size: utf8.RuneCountInString(text)}, err == nil
	case *ast.Ident:
		value, _ := r.s.VariableNamed(r.pkg, e.Name)
		if lit, isLit := value.(*ast.BasicLit); isLit {
			return r.listed(lit)
		}
	case *ast.BinaryExpr:
		x, isText := r.listed(e.X)
		y, too := r.listed(e.Y)
		if isText && too && e.Op == token.ADD {
			return alphabet{size: x.size + y.size}, true
		}
	case *ast.CallExpr:
		slice, isSlice := e.Fun.(*ast.ArrayType)
		if !isSlice || slice.Len != nil || len(e.Args) != 1 {
			return a, false
		}
		elem, isName := slice.Elt.(*ast.Ident)
		if !isName || elem.Name != "rune" && elem.Name != "byte" {
			return a, false
		}
		a, _ = r.listed(e.Args[0])
		a.runes = elem.Name == "rune"
		return a, true
	case *ast.CompositeLit:
		array, isArray := e.Type.(*ast.ArrayType)
		if !isArray || len(e.Elts) == 0 || slices.ContainsFunc(e.Elts, func(x ast.Expr) bool { return !isCharacter(x) }) {
			return a, false
		}
		elem, isName := array.Elt.(*ast.Ident)
		return alphabet{size: len(e.Elts), runes: isName && elem.Name == "rune"}, isName && (elem.Name == "rune" || elem.Name == "byte")
	}
	return a, false
}
