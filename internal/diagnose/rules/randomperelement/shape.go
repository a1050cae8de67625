package randomperelement

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"unicode/utf8"

	"whet/internal/diagnose"
	"whet/internal/typed"
)

// shape is what the source says of a statement that makes a character of a
// random number.
type shape struct {
	perDraw int  // characters that one draw is enough for
	runes   bool // the alphabet is a slice of runes
}

// One draw has 63 bits: 64^10 = 2^60 and 256^7 = 2^56 fit.
const (
	small, ofSmall = 64, 10
	large, ofLarge = 256, 7
)

// shapeOf reads a statement of a loop. ok is false where it is none that makes
// one character in each round.
func (f *finder) shapeOf(st diagnose.Statement) (sh shape, ok bool) {
	r := reader{Package: f.s.PackageOf(st.File)}
	body := typed.LoopBody(st.Loop)
	if r.Package == nil || body == nil || r.Parent(st.Node) != body || holdsLoop(body) {
		return shape{}, false
	}
	made := r.made(st.Node)
	if made == nil {
		made = r.named(st.Node, body)
	}
	return r.character(made)
}

// named is made for a number that gets a name first: the statement declares it,
// and its one use is in another of the loop's statements.
func (r *reader) named(st ast.Stmt, body *ast.BlockStmt) ast.Expr {
	for v, number := range r.Declared(st) {
		uses := r.Uses(v)
		if len(uses) != 1 {
			continue
		}
		for _, st := range body.List {
			if made := r.made(st); made != nil && made.Pos() <= uses[0].Pos() && uses[0].End() <= made.End() {
				r.use, r.number = uses[0], number
				return made
			}
		}
	}
	return nil
}

// holdsLoop: an inner loop uses a number up, or makes something else.
func holdsLoop(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		found = found || typed.LoopBody(n) != nil
		return !found
	})
	return found
}

// reader reads the expressions of one statement.
type reader struct {
	*typed.Package
	// The number, and where it is used by its name; nil where it has none.
	use    *ast.Ident
	number ast.Expr
}

// made returns the one expression that a statement sets an element to, appends or
// writes, or joins as a string; nil for any other statement.
func (r *reader) made(st ast.Stmt) ast.Expr {
	switch st := st.(type) {
	case *ast.AssignStmt:
		if len(st.Lhs) == 1 && len(st.Rhs) == 1 {
			return r.set(st.Tok, ast.Unparen(st.Lhs[0]), ast.Unparen(st.Rhs[0]))
		}
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return nil
		}
		if fn := r.Function(call); fn != nil && slices.Contains([]string{"WriteByte", "WriteRune", "WriteString"}, fn.Name()) {
			return call.Args[0]
		}
	}
	return nil
}

// set is made for an assignment.
func (r *reader) set(tok token.Token, to, value ast.Expr) ast.Expr {
	if tok == token.ADD_ASSIGN && r.isText(value) {
		return value
	}
	if tok != token.ASSIGN {
		return nil
	}
	if _, element := to.(*ast.IndexExpr); element {
		return value
	}
	switch value := value.(type) {
	case *ast.CallExpr:
		if r.Builtin(value) == "append" && len(value.Args) == 2 && !value.Ellipsis.IsValid() && typed.Same(to, value.Args[0]) {
			return value.Args[1]
		}
	case *ast.BinaryExpr:
		if value.Op == token.ADD && typed.Same(to, value.X) && r.isText(value.Y) {
			return value.Y
		}
	}
	return nil
}

// isText reports whether a character is made a string.
func (r *reader) isText(e ast.Expr) bool {
	_, to := r.Conversion(e)
	return typed.IsString(to)
}

// character reads what a character is made of: alphabet[draw] or 'a' + draw.
func (r *reader) character(e ast.Expr) (shape, bool) {
	switch e := r.Converted(e).(type) {
	case *ast.IndexExpr:
		n := r.draw(e.Index)
		size, runes, ok := r.alphabet(e.X)
		if n == nil || !ok {
			return shape{}, false
		}
		if length, _ := r.Converted(n).(*ast.CallExpr); length != nil && r.Builtin(length) == "len" && len(length.Args) == 1 && typed.Same(length.Args[0], e.X) {
			return of(size, runes)
		}
		if most := r.limit(n); most > 0 {
			return of(most, runes)
		}
	case *ast.BinaryExpr:
		from, number := e.X, e.Y
		if !r.isCharacter(from) {
			from, number = number, from
		}
		if e.Op != token.ADD || !r.isCharacter(from) {
			return shape{}, false
		}
		if most := r.limit(r.draw(number)); most > 0 {
			return of(most, false)
		}
	}
	return shape{}, false
}

// of makes a shape for an alphabet of a size, 0 where that is not known.
func of(size int, runes bool) (shape, bool) {
	sh := shape{perDraw: ofLarge, runes: runes}
	if 0 < size && size <= small {
		sh.perDraw = ofSmall
	}
	return sh, size <= large
}

// draw returns the n of a number that is drawn below n, as f(n) or f() % n; nil for
// any other.
func (r *reader) draw(e ast.Expr) ast.Expr {
	e = r.Converted(e)
	if r.use != nil && e == r.use {
		e = r.Converted(r.number)
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		if len(e.Args) == 1 && r.Function(e) != nil {
			return e.Args[0]
		}
	case *ast.BinaryExpr:
		if call, ok := r.Converted(e.X).(*ast.CallExpr); ok && e.Op == token.REM && len(call.Args) == 0 && r.Function(call) != nil {
			return e.Y
		}
	}
	return nil
}

// limit returns the value of a constant, 0 for anything else.
func (r *reader) limit(e ast.Expr) int {
	if e == nil || r.Info.Types[e].Value == nil {
		return 0
	}
	n, _ := constant.Int64Val(constant.ToInt(r.Info.Types[e].Value))
	return int(n)
}

func (r *reader) isCharacter(e ast.Expr) bool {
	lit, ok := r.Converted(e).(*ast.BasicLit)
	return ok && lit.Kind == token.CHAR
}

// alphabet reads what is indexed: a string, or a slice or array that the source
// shows to be made of characters. size is 0 where it is not known.
func (r *reader) alphabet(e ast.Expr) (size int, runes, ok bool) {
	e = ast.Unparen(e)
	t := r.TypeOf(e)
	if typed.IsString(t) {
		if text := r.Fixed(e).Value; text != nil {
			size = utf8.RuneCountInString(*text)
		}
		return size, false, true
	}
	elem := typed.Element(t)
	runes = elem == types.Universe.Lookup("rune").Type()
	if !runes && elem != types.Universe.Lookup("byte").Type() {
		return 0, false, false
	}
	if v, isVar := r.Object(e).(*types.Var); isVar {
		e = ast.Unparen(r.SetOnce(v))
	}
	if lit, isLit := e.(*ast.CompositeLit); isLit {
		return len(lit.Elts), runes, len(lit.Elts) > 0 && !slices.ContainsFunc(lit.Elts, func(x ast.Expr) bool { return !r.isCharacter(x) })
	}
	if x, to := r.Conversion(e); to != nil && typed.IsString(r.TypeOf(x)) {
		size, _, ok = r.alphabet(x)
		return size, runes, ok
	}
	return 0, false, false
}
