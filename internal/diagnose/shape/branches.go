package shape

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose/knowledge"
	"whet/internal/finding"
	"whet/internal/typed"
)

// ofBranches are about what is paid for a branch that is next to never taken.
var ofBranches = []Shape{
	{Row: knowledge.Row{
		ID: "boxed-for-branch", Cause: "boxed-for-branch",
		When:       knowledge.Words("a call passes values other than pointers to a function of the program as variadic arguments (...any), the function uses them only in one branch of an if, or after an if that returns, and that branch has almost no samples"),
		Cost:       "arguments are converted to interfaces for a branch that is almost never taken",
		Instead:    "Test before the call: if p.id != id { fail(\"… %v\", p.id) }. The called function then only fails, or writes, and its arguments are converted to interfaces only then.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "n int, name string", Result: "int", Args: `12345, "ada"`,
			Decls:  "//go:noinline\nfunc fail(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }\n\n//go:noinline\nfunc assert(ok bool, format string, args ...any) {\n\tif !ok {\n\t\tfail(format, args...)\n\t}\n}\n",
			Before: "assert(n >= 0, \"%d of %s\", n, name)\nreturn n",
			After:  "if n < 0 {\n\tfail(\"%d of %s\", n, name)\n}\nreturn n"},
	}, Spends: []string{blocks, "runtime.convT"}, Find: boxedForBranch},
	{Row: knowledge.Row{
		ID: "call-for-test", Cause: "call-for-test",
		When:       knowledge.Words("a function without loops, called by others of its package, does little but test whether there is more to do; the compiler reports that it is too complex to inline; and the rest of it, the body of an if, has almost no samples"),
		Cost:       "a call is made for a test that nearly always has the same result",
		Instead:    "Leave the common part in the function, and move the body of the if into another: if i >= b.length { b.extend(i) }. The first is then inlined, if its cost is at most 80 in the compiler's count (go build -gcflags=-m=2), of which the call takes some 60. Or let callers test.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "list []int", Result: "int", Args: "[]int{1, 2, 3, 4, 5, 6, 7, 8}",
			Decls:  "type set struct {\n\twords []uint64\n\tn     int\n}\n\nvar numbers set\n\nfunc room(s *set, i int) {\n\tif i >= s.n {\n\t\twords := make([]uint64, i*2+2)\n\t\tcopy(words, s.words)\n\t\ts.words, s.n = words, len(words)\n\t\tif s.n > 1<<20 {\n\t\t\tpanic(\"too many words: \" + strconv.Itoa(s.n))\n\t\t}\n\t}\n}\n\n//go:noinline\nfunc more(s *set, i int) {\n\twords := make([]uint64, i*2+2)\n\tcopy(words, s.words)\n\ts.words, s.n = words, len(words)\n}\n\nfunc ensure(s *set, i int) {\n\tif i >= s.n {\n\t\tmore(s, i)\n\t}\n}\n",
			Before: "for _, x := range list {\n\troom(&numbers, x)\n}\nreturn numbers.n",
			After:  "for _, x := range list {\n\tensure(&numbers, x)\n}\nreturn numbers.n"},
	}, Spends: []string{""}, Find: callForTest},
}

func boxedForBranch(p *typed.Package, n ast.Node) (m Match) {
	call, ok := n.(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() {
		return m
	}
	to := p.Reached(call)
	if to == nil || to.Decl.Body == nil || !to.Object.Signature().Variadic() {
		return m
	}
	params := to.Object.Signature().Params()
	last := params.At(params.Len() - 1)
	if elem := typed.Element(last.Type()); elem == nil || !types.IsInterface(elem) || !slices.ContainsFunc(call.Args[min(params.Len()-1, len(call.Args)):], func(e ast.Expr) bool { return boxes(p, e) }) {
		return m
	}
	var rare []ast.Node
	for _, use := range to.Package.Uses(last) {
		branch := branchOf(use, to.Decl.Body)
		if branch == nil {
			return m
		}
		rare = append(rare, branch...)
	}
	if len(rare) > 0 {
		m = Match{Goes: []ast.Node{call}, Rare: rare, RareIn: to.File, All: true}
	}
	return m
}

// boxes reports whether a value takes memory when it is put into an interface.
func boxes(p *typed.Package, e ast.Expr) bool {
	t := p.TypeOf(e)
	if t == nil || p.Info.Types[e].Value != nil {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsBoolean == 0 && t.Kind() != types.UnsafePointer && t.Kind() != types.UntypedNil
	case *types.Struct, *types.Array, *types.Slice:
		return true
	}
	return false
}

// branchOf returns the branch of an if at the top of a body that a use is in, or all that
// follows an if that leaves the function; nil where the use is always reached.
func branchOf(use ast.Node, body *ast.BlockStmt) []ast.Node {
	for i, st := range body.List {
		branch, ok := st.(*ast.IfStmt)
		if !ok {
			if within(st, use.Pos()) {
				return nil
			}
			continue
		}
		switch {
		case within(branch.Body, use.Pos()):
			return content(branch.Body.List)
		case within(branch, use.Pos()):
			return nil
		case branch.Else == nil && ends(branch.Body) && i+1 < len(body.List):
			return content(body.List[i+1:])
		}
	}
	return nil
}

// content returns the statements of a branch, as nodes.
func content(list []ast.Stmt) (nodes []ast.Node) {
	for _, st := range list {
		nodes = append(nodes, st)
	}
	return nodes
}

// weight returns how many nodes of syntax a node has.
func weight(n ast.Node) (nodes int) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n != nil {
			nodes++
		}
		return true
	})
	return nodes
}

// ends reports whether a block ends by returning.
func ends(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	_, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	return ok
}

// littleWork is how many nodes of syntax what is done each time may have, for it to be
// inlined beside a call.
const littleWork = 60

// aCall is how many nodes a branch has that is no more than a call.
const aCall = 15

func callForTest(p *typed.Package, n ast.Node) (m Match) {
	d, ok := n.(*ast.FuncDecl)
	if !ok || d.Body == nil || p.Func(d) == nil || len(p.Uses(p.Func(d))) == 0 {
		return m
	}
	size, most, fits := 0, 0, true
	each := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fits = fits && little(p, n)
		case *ast.ForStmt, *ast.RangeStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SelectStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.FuncLit, *ast.SendStmt:
			fits = false
		}
		if n != nil {
			size++
		}
		return fits
	}
	goes := []ast.Node{d.Name}
	for _, st := range d.Body.List {
		branch, ok := st.(*ast.IfStmt)
		if !ok || branch.Else != nil {
			ast.Inspect(st, each)
			goes = append(goes, st)
			continue
		}
		ast.Inspect(branch.Cond, each)
		goes = append(goes, branch.Cond)
		if branch.Init != nil {
			ast.Inspect(branch.Init, each)
		}
		m.Rare = append(m.Rare, content(branch.Body.List)...)
		most = max(most, weight(branch.Body))
	}
	if !fits || size > littleWork || most <= aCall {
		return Match{}
	}
	m.Goes = append(goes, &ast.EmptyStmt{Semicolon: d.Body.Rbrace})
	m.Decision = "exceeds budget 80"
	return m
}

// little reports whether a call in what is done each time costs next to nothing: a
// conversion, a builtin function, or a function of the program's that returns what it
// computes without a call.
func little(p *typed.Package, call *ast.CallExpr) bool {
	if x, _ := p.Conversion(call); x != nil {
		return true
	}
	if name := p.Builtin(call); name != "" {
		return slices.Contains([]string{"len", "cap", "min", "max"}, name)
	}
	to := p.Reached(call)
	if to == nil || to.Decl.Body == nil || len(to.Decl.Body.List) != 1 {
		return false
	}
	_, returns := to.Decl.Body.List[0].(*ast.ReturnStmt)
	ast.Inspect(to.Decl.Body, func(n ast.Node) bool {
		inner, ok := n.(*ast.CallExpr)
		returns = returns && (!ok || to.Package.Builtin(inner) != "")
		return returns
	})
	return returns
}

// mutual are several branches of one if or switch in which all uses are that may move a
// variable to the heap, where the variable is set only as it is declared and is not
// looked at after that statement: a copy of it in each branch does the same.
func mutual(p *typed.Package, v *types.Var, uses []*ast.Ident) (rare []ast.Node) {
	var around ast.Node
	for _, use := range uses {
		for n := ast.Node(use); n != nil && !within(n, v.Pos()); n = p.Parent(n) {
			var branch, of ast.Node
			switch up := p.Parent(n).(type) {
			case *ast.IfStmt:
				if b, ok := n.(*ast.BlockStmt); ok && (up.Body == b || up.Else == b) {
					branch, of = b, up
				}
			case *ast.BlockStmt:
				if c, ok := n.(*ast.CaseClause); ok {
					branch, of = c, p.Parent(up)
				}
			}
			if branch == nil || around != nil && of != around || around == nil && !outermost(p, of, v) {
				continue
			}
			around = of
			rare = append(rare, branch)
			break
		}
	}
	if around == nil || len(rare) != len(uses) {
		return nil
	}
	for _, use := range p.Uses(v) {
		if p.Written(use) && !slices.Contains(uses, use) || use.Pos() >= around.End() {
			return nil
		}
	}
	slices.SortFunc(rare, func(a, b ast.Node) int { return int(a.Pos() - b.Pos()) })
	return slices.Compact(rare)
}

// outermost reports whether no statement around another, that the variable is declared
// outside of, is an if, a switch or a loop.
func outermost(p *typed.Package, st ast.Node, v *types.Var) bool {
	for n := p.Parent(st); n != nil && !within(n, v.Pos()); n = p.Parent(n) {
		switch n.(type) {
		case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.FuncLit:
			return false
		}
	}
	return true
}

// ofReturned are about what a function makes for others, who use it once.
var ofReturned = []Shape{
	{Row: knowledge.Row{
		ID: "compressor-returned", Cause: "compressor-per-use",
		When:       knowledge.Words("a declared function calls gzip.NewWriter, zlib.NewWriter or a variant with a level, of the standard library or github.com/klauspost/compress, and returns the writer or stores it in a struct; no other call of the package makes such a writer; and the profile shows what the writer allocates at its first write"),
		Cost:       "a compressor is made with all of its tables for each use",
		Instead:    "Keep the writers in a sync.Pool, and Reset each to its destination: var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}. Put it back after Close. Its tables take hundreds of kilobytes.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "out io.Writer, data []byte", Result: "error", Args: "io.Discard, []byte(strings.Repeat(\"name=value \", 100))",
			Decls:  "type packer struct{ w *gzip.Writer }\n\nvar writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}\n",
			Before: "p := &packer{gzip.NewWriter(out)}\np.w.Write(data)\nreturn p.w.Close()",
			After:  "w := writers.Get().(*gzip.Writer)\nw.Reset(out)\nw.Write(data)\nerr := w.Close()\nwriters.Put(w)\nreturn err"},
	}, Find: compressorReturned},
}

// compressors are functions that make one, and what takes its memory later.
var compressors = map[string]string{
	"compress/gzip.NewWriter": "compress/flate.NewWriter", "compress/gzip.NewWriterLevel": "compress/flate.NewWriter",
	"compress/zlib.NewWriter": "compress/flate.NewWriter", "compress/zlib.NewWriterLevel": "compress/flate.NewWriter",
	"github.com/klauspost/compress/gzip.NewWriter": "github.com/klauspost/compress/flate.NewWriter", "github.com/klauspost/compress/gzip.NewWriterLevel": "github.com/klauspost/compress/flate.NewWriter",
}

func compressorReturned(p *typed.Package, n ast.Node) (m Match) {
	makes := func(n ast.Node) *ast.CallExpr {
		call, ok := n.(*ast.CallExpr)
		if !ok || compressors[p.Called(call)] == "" || p.Literal(call) != nil {
			return nil
		}
		return call
	}
	call := makes(n)
	if call == nil {
		return m
	}
	switch p.Parent(call).(type) {
	case *ast.ReturnStmt, *ast.CompositeLit, *ast.KeyValueExpr:
	default:
		return m
	}
	one := true
	p.Functions(func(fn *typed.Function) bool {
		ast.Inspect(fn.Decl, func(n ast.Node) bool {
			other := makes(n)
			one = one && (other == nil || other == call)
			return one
		})
		return one
	})
	if one {
		m = Match{Goes: []ast.Node{call}, Later: compressors[p.Called(call)]}
	}
	return m
}

var inserts = append([]string{blocks}, moves...)

// ofSearches are about work beyond what is asked.
var ofSearches = []Shape{
	{Row: knowledge.Row{
		ID: "inserted-by-append", Cause: "rest-copied",
		When:       knowledge.Words("append(s[:i], append(x, s[j:]...)...): the rest of a slice is appended to new elements, and both to the slice's beginning"),
		Cost:       "the rest of a slice is copied into a new one, then copied back",
		Instead:    "slices.Insert(s, i, x...) moves the rest once, and allocates only if there is no room; slices.Replace(s, i, j, x...), since go1.22, removes elements too. Without them, append as many elements as you insert, copy(s[i+n:], s[i:]), and set the n.",
		Confidence: finding.High,
		Example: knowledge.Example{Params: "list []int, i, x int", Result: "int", Args: "make([]int, 100, 200), 10, 7",
			Before: "list = append(list[:i], append([]int{x}, list[i:]...)...)\nreturn len(list)",
			After:  "list = slices.Insert(list, i, x)\nreturn len(list)"},
	}, Spends: inserts, Find: insertedByAppend},
	{Row: knowledge.Row{
		ID: "searched-beyond", Cause: "search-beyond",
		When:       knowledge.Words("a function of strings or bytes searches a string in which an earlier search found something, and the program only checks whether its result comes before the earlier one"),
		Cost:       "the whole rest is searched for a match that only matters if it comes first",
		Instead:    "Search only up to the first match: strings.IndexByte(s[:i], c), if i is not negative. Otherwise, in a long string without a second match, the work grows with the square of the length.",
		Confidence: finding.Medium,
		Example: knowledge.Example{Params: "text []byte", Result: "int", Args: "bytes.Repeat([]byte(`abc\"`), 100)",
			Before: "quote := bytes.IndexByte(text, '\"')\nif quote < 0 {\n\treturn -1\n}\nescape := bytes.IndexByte(text, '\\\\')\nif escape < 0 || escape > quote {\n\treturn quote\n}\nreturn -2",
			After:  "quote := bytes.IndexByte(text, '\"')\nif quote < 0 {\n\treturn -1\n}\nif bytes.IndexByte(text[:quote], '\\\\') < 0 {\n\treturn quote\n}\nreturn -2"},
	}, Spends: []string{calls}, Find: searchedBeyond},
}

func insertedByAppend(p *typed.Package, n ast.Node) (m Match) {
	outer, before := appended(p, n)
	if outer == nil {
		return m
	}
	head, ok := ast.Unparen(before).(*ast.SliceExpr)
	if !ok || head.Low != nil || head.High == nil {
		return m
	}
	inner, _ := appended(p, ast.Unparen(outer.Args[1]))
	if inner == nil {
		return m
	}
	rest, ok := ast.Unparen(inner.Args[1]).(*ast.SliceExpr)
	if ok && rest.High == nil && rest.Low != nil && typed.Same(rest.X, head.X) {
		m.Goes = []ast.Node{n}
	}
	return m
}

// appended returns an append of a whole slice, and what it is appended to.
func appended(p *typed.Package, n ast.Node) (*ast.CallExpr, ast.Expr) {
	call, ok := n.(*ast.CallExpr)
	if !ok || p.Builtin(call) != "append" || !call.Ellipsis.IsValid() || len(call.Args) != 2 {
		return nil, nil
	}
	return call, call.Args[0]
}

// foundBy returns the variable that a statement sets to where a function of the library found
// something, and the call.
func foundBy(p *typed.Package, st ast.Stmt) (*types.Var, *ast.CallExpr) {
	as, ok := st.(*ast.AssignStmt)
	if !ok || as.Tok != token.DEFINE || len(as.Lhs) != 1 || len(as.Rhs) != 1 {
		return nil, nil
	}
	call, ok := ast.Unparen(as.Rhs[0]).(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || !slices.Contains([]string{"strings.Index", "strings.IndexByte", "strings.IndexRune", "strings.IndexAny", "bytes.Index", "bytes.IndexByte", "bytes.IndexRune", "bytes.IndexAny"}, p.Called(call)) {
		return nil, nil
	}
	return p.Var(as.Lhs[0]), call
}

func searchedBeyond(p *typed.Package, n ast.Node) (m Match) {
	st, ok := n.(*ast.AssignStmt)
	if !ok {
		return m
	}
	second, call := foundBy(p, st)
	block, ok := p.Parent(st).(*ast.BlockStmt)
	if !ok || second == nil || p.Var(call.Args[0]) == nil {
		return m
	}
	text := p.Var(call.Args[0])
	for _, earlier := range block.List {
		first, other := foundBy(p, earlier)
		if earlier.Pos() < st.Pos() && first != nil && p.Var(other.Args[0]) == text && !slices.ContainsFunc(p.Uses(text), func(use *ast.Ident) bool {
			return other.End() <= use.Pos() && use.Pos() < call.Pos() && p.Written(use)
		}) && onlyBefore(p, second, first) {
			m.Goes = []ast.Node{st}
		}
	}
	return m
}

// onlyBefore reports whether all that is asked of an index is whether it was found, and
// before another: one if asks both, and where it is used elsewhere both hold.
func onlyBefore(p *typed.Package, v, limit *types.Var) bool {
	var st *ast.IfStmt
	ordered, op := false, token.ILLEGAL
	for _, use := range p.Uses(v) {
		if st != nil && !within(st.Cond, use.Pos()) {
			if op == token.LAND && !within(st.Body, use.Pos()) || op == token.LOR && (!ends(st.Body) || use.Pos() < st.End()) {
				return false
			}
			continue
		}
		cmp, ok := p.Parent(use).(*ast.BinaryExpr)
		if !ok {
			return false
		}
		both, ok := p.Parent(cmp).(*ast.BinaryExpr)
		if !ok {
			return false
		}
		if st, ok = p.Parent(both).(*ast.IfStmt); !ok || st.Else != nil {
			return false
		}
		asks, other := cmp.Op, cmp.Y
		if cmp.Y == ast.Expr(use) {
			asks, other = turned[cmp.Op], cmp.X
		}
		switch op = both.Op; {
		case p.Var(other) == limit:
			ordered = op == token.LOR && (asks == token.GTR || asks == token.GEQ) || op == token.LAND && (asks == token.LSS || asks == token.LEQ)
		case p.Info.Types[other].Value == nil, op == token.LOR && asks != token.LSS && asks != token.EQL, op == token.LAND && asks != token.GEQ && asks != token.NEQ:
			return false
		}
	}
	return ordered
}

// turned is each comparison with its sides exchanged.
var turned = map[token.Token]token.Token{token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ, token.EQL: token.EQL, token.NEQ: token.NEQ}
