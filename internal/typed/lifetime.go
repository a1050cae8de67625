package typed

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// Ends reports whether nothing of what a local variable or a parameter holds, or of
// what shares memory with it, can be reached when the call of the function that
// declares it has returned. False means that it can, or that it is not known.
// followed: it rests on the source of other functions too, which are handed it.
//
// The uses of the variable are followed, of local variables that it is handed to, and
// of the parameters of functions whose source is kept. Of the standard library it is
// known which functions keep nothing, and some methods are taken at their names'
// word: Write, Encode. It misleads where one of them keeps its argument
// nevertheless, and where a variable is set through a pointer that was taken before.
func (p *Package) Ends(v *types.Var) (ends, followed bool) {
	return p.lifetime(v.Pos(), func(l *lifetime) bool { return l.variable(v) })
}

// ValueEnds is Ends for the value of an expression used in place, as the receiver of a
// method or as an argument.
func (p *Package) ValueEnds(value ast.Expr) (ends, followed bool) {
	return p.lifetime(value.Pos(), func(l *lifetime) bool { return l.ends(value) })
}

func (p *Package) lifetime(pos token.Pos, ends func(*lifetime) bool) (ended, followed bool) {
	if p.Info == nil {
		return false, false
	}
	l := &lifetime{Package: p, function: p.FunctionAround(pos), seen: make(map[*types.Var]bool), followed: &followed}
	return l.function != nil && ends(l), followed
}

// FunctionAround returns the innermost function that a position lies in, its parameters
// included: an *ast.FuncDecl, an *ast.FuncLit, or nil.
func (p *Package) FunctionAround(pos token.Pos) (fn ast.Node) {
	d := p.Declaration(pos)
	if d == nil {
		return nil
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil || !within(n, pos) {
			return false
		}
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			fn = n
		}
		return true
	})
	return fn
}

// RunsNow reports whether a use of a variable lies in the function that declares it,
// or in a literal inside that runs only while that function does: it is called or
// deferred on the spot, handed to a function that sorts or searches, or in a local
// variable that is called and nothing else. It does not where a literal may run later,
// or in a goroutine of its own.
func (p *Package) RunsNow(use ast.Node, v *types.Var) bool {
	for lit := p.Literal(use); lit != nil && !within(lit, v.Pos()); lit = p.Literal(lit) {
		if !p.literalRunsNow(lit) {
			return false
		}
	}
	return true
}

func (p *Package) literalRunsNow(lit *ast.FuncLit) bool {
	if known, ok := p.runsNow[lit]; ok {
		return known
	}
	p.runsNow[lit] = true // as far as it calls itself
	ok := false
	switch around := p.Parent(lit).(type) {
	case *ast.CallExpr:
		fn := p.Function(around)
		ok = !p.Started(around) && (around.Fun == lit || fn != nil && fn.Pkg() != nil && searches(fn.Pkg().Path()))
	case *ast.AssignStmt, *ast.ValueSpec:
		to, values := Sides(around)
		if i := slices.Index(values, ast.Expr(lit)); i >= 0 && len(to) == len(values) {
			ok = p.onlyCalled(p.Var(to[i]))
		}
	}
	if !ok {
		// What was found of others while this counted as true is asked again.
		maps.DeleteFunc(p.runsNow, func(_ *ast.FuncLit, known bool) bool { return known })
	}
	p.runsNow[lit] = ok
	return ok
}

// searches reports whether the functions of a package call what they are given before
// they return, but for iterators.
func searches(pkg string) bool {
	switch pkg {
	case "slices", "sort", "maps":
		return true
	}
	return false
}

// onlyCalled reports whether a variable of a function is set and called, by what
// runs only while the function does, and nothing else.
func (p *Package) onlyCalled(v *types.Var) bool {
	return v != nil && v.Kind() == types.LocalVar && !slices.ContainsFunc(p.Uses(v), func(use *ast.Ident) bool {
		ok := false
		switch around := p.Parent(use).(type) {
		case *ast.CallExpr:
			ok = around.Fun == use && !p.Started(around)
		case *ast.AssignStmt:
			ok = slices.Contains(around.Lhs, ast.Expr(use))
		}
		return !ok || !p.RunsNow(use, v)
	})
}

// Started reports whether a call runs in a goroutine of its own: its starter does not
// wait for it, as far as the source shows.
func (p *Package) Started(call *ast.CallExpr) bool {
	_, ok := p.Parent(call).(*ast.GoStmt)
	return ok
}

// lifetime is a question about what a function holds.
type lifetime struct {
	*Package
	function ast.Node
	seen     map[*types.Var]bool
	followed *bool
}

// maxFollowed bounds the variables that one question follows.
const maxFollowed = 64

func (l *lifetime) variable(v *types.Var) bool {
	if l.seen[v] {
		return true
	}
	l.seen[v] = true
	if len(l.seen) > maxFollowed || v.Kind() == types.ResultVar || !within(l.function, v.Pos()) {
		return false
	}
	return !slices.ContainsFunc(l.Uses(v), func(id *ast.Ident) bool { return !l.RunsNow(id, v) || !l.ends(id) })
}

// ends looks at what is done with an expression that shares the memory.
func (l *lifetime) ends(n ast.Expr) bool {
	if IsNumber(l.TypeOf(n)) {
		return true
	}
	switch p := l.Parent(n).(type) {
	case *ast.ParenExpr:
		return l.ends(p)
	case *ast.StarExpr:
		return l.ends(p)
	case *ast.TypeAssertExpr:
		return l.ends(p)
	case *ast.UnaryExpr:
		return p.Op != token.AND || l.ends(p)
	case *ast.SliceExpr:
		return p.X != n || l.ends(p)
	case *ast.IndexExpr:
		switch around := l.Parent(p).(type) {
		case *ast.UnaryExpr:
			return around.Op != token.AND
		case *ast.AssignStmt, *ast.IncDecStmt:
			return p.X == n // as the key of a map it is kept
		}
		return true
	case *ast.SelectorExpr:
		switch around := l.Parent(p).(type) {
		case *ast.CallExpr:
			return !l.Started(around) && (around.Fun != p || !l.shares(around) || l.ends(around))
		case *ast.AssignStmt:
			return slices.Contains(around.Lhs, ast.Expr(p)) // a field that is set
		}
	case *ast.BinaryExpr, *ast.IfStmt, *ast.SwitchStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.RangeStmt, *ast.DeferStmt:
		return true
	case *ast.CallExpr:
		return p.Fun != n && !l.Started(p) && l.argument(p, n)
	case *ast.AssignStmt, *ast.ValueSpec:
		// Of a call with several results only the first can share it.
		to, values := Sides(p)
		i := slices.Index(values, n)
		return slices.Contains(to, n) || i >= 0 && i < len(to) && l.handed(to[i], p)
	}
	return false // returned, sent, kept in a literal or a structure, …
}

// handed looks at the variable that a statement hands the memory to; the head of a
// type switch hands it to one in each of its clauses.
func (l *lifetime) handed(to ast.Expr, st ast.Node) bool {
	id, ok := ast.Unparen(to).(*ast.Ident)
	if !ok {
		return false
	}
	if sw, ok := l.Parent(st).(*ast.TypeSwitchStmt); ok && sw.Assign == st {
		return !slices.ContainsFunc(sw.Body.List, func(c ast.Stmt) bool {
			v, ok := l.Info.Implicits[c].(*types.Var)
			return ok && !l.variable(v)
		})
	}
	v, ok := l.Info.ObjectOf(id).(*types.Var)
	return id.Name == "_" || ok && l.variable(v)
}

// shares reports whether the result of a method shares the receiver's memory.
func (l *lifetime) shares(call *ast.CallExpr) bool {
	fn := l.Function(call)
	if fn == nil {
		return false
	}
	switch fn.Name() {
	case "Bytes", "AvailableBuffer", "Next", "Peek", "ReadSlice", "ReadLine", "Buffered":
		return true
	}
	return Symbol(fn) == "strings.(*Builder).String"
}

// argument looks at a call that is handed the memory.
func (l *lifetime) argument(call *ast.CallExpr, n ast.Expr) bool {
	if _, to := l.Conversion(call); to != nil { // between a string and a slice it copies
		return !types.IsInterface(to) && IsString(to) != IsString(l.TypeOf(n)) || l.ends(call)
	}
	switch l.Builtin(call) {
	case "append":
		return call.Args[0] == n && l.ends(call) || call.Args[0] != n && call.Ellipsis.IsValid()
	case "len", "cap", "copy", "clear":
		return true
	}
	fn := l.Function(call)
	if fn == nil {
		return false
	}
	to, method := l.Reached(call), fn.Signature().Recv() != nil
	switch {
	case !method && to != nil:
	case !method && l.program.Standard(fn.Pkg()) && keepNothing()[path.Base(fn.Pkg().Path())]:
		return !wraps(fn.Name()) || l.ends(call)
	case strings.HasPrefix(fn.Name(), "Append"), fn.Name() == "Sum", fn.Name() == "Seal", fn.Name() == "Open":
		return l.ends(call) // they append to what they are given
	case keepsNoArgument()[fn.Name()]:
		return true
	}
	return l.inside(to, call, n)
}

// inside follows the memory into a function; nil: its source is not kept.
func (l *lifetime) inside(to *Function, call *ast.CallExpr, n ast.Expr) bool {
	if to == nil {
		return false
	}
	sig, i := to.Object.Signature(), slices.Index(call.Args, n)
	if i < 0 || i >= sig.Params().Len() || sig.Variadic() && i == sig.Params().Len()-1 {
		return false
	}
	*l.followed = true
	return (&lifetime{to.Package, to.Decl, l.seen, l.followed}).variable(sig.Params().At(i))
}

// keepNothing are packages of the standard library whose functions keep no argument
// after they have returned, unless their result does.
var keepNothing = set("adler32 aes base32 base64 binary bufio bytes cipher crc32 crc64 csv fmt flate fnv gob gzip hex hmac html io ioutil json md5 os " +
	"quotedprintable sha1 sha256 sha512 slices sort strconv strings subtle tabwriter utf8 xml zlib")

// wraps reports whether a function's result shares its argument's memory, by the
// names that the standard library gives such functions.
func wraps(name string) bool {
	return slices.ContainsFunc([]string{"New", "Trim", "Tee", "Multi", "Limit", "Nop", "Cut", "Fields", "Split", "Append", "Clip", "Grow", "Sort", "Seq", "Values", "Chunk", "Insert", "Delete", "Compact", "To"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// keepsNoArgument are methods whose contract or custom is to keep none.
var keepsNoArgument = set("Write WriteString WriteTo WriteAt Read ReadAt ReadFrom Execute ExecuteTemplate Encode Decode EncodeElement DecodeElement " +
	"EncodeToString XORKeyStream CryptBlocks Encrypt Decrypt Render PutUint16 PutUint32 PutUint64 Uint16 Uint32 Uint64 Print Printf Println Reset")

// set makes a set on first use.
func set(names string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for name := range strings.FieldsSeq(names) {
			m[name] = true
		}
		return m
	})
}
