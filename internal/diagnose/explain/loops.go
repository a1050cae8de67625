package explain

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/places"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// callPerByte is about functions that are called for each byte or rune.
func callPerByte(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil || v.all() < leastShare {
		return j
	}
	if !ofCharacter(v.pkg.Func(v.decl)) {
		j.Cause = v.byCharacter()
		return j
	}
	loops, others := new(diagnose.Sets), new(diagnose.Sets)
	v.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		if c != v.CPU || !v.Cost.CPU.Has(sample.Index()) {
			return
		}
		into := others
		if by := v.caller(c, stack); by != nil && !v.Loops.InBenchmark(by.File, by.Line) && v.Statement(by.File, by.Line).Loop != nil && !v.inlined(by) {
			into = loops
		}
		into.CPU.Add(sample.Index())
	})
	if !v.matters(loops, leastShare) || v.share(loops) < v.share(others) {
		return j
	}
	why := fmt.Sprintf("%s is called in a loop for each character, and takes %s.", v.decl.Name.Name, v.percent(loops))
	return diagnose.Judgement{Cause: why, Claim: v.claim(loops, why,
		"If the whole text is available, process it in one loop: a table of 256 entries marks the bytes that need treatment, bytes.IndexByte finds the next, and the part before it is copied as a whole.")}
}

// byCharacter says that a loop takes a text apart by bytes or runes; "" where the place
// is in none.
func (v *account) byCharacter() string {
	own := v.kinds[places.Instructions]
	if v.share(own) < v.all()/2 {
		return ""
	}
	line := v.heaviest(own)
	st := v.Statement(v.File, line)
	if !st.Known {
		return ""
	}
	loops := loopsAround(v.pkg, st.Node)
	if len(loops) == 0 {
		return ""
	}
	over := goneOver(v.pkg, loops[0])
	if over == nil || !isText(v.pkg.TypeOf(over)) {
		return ""
	}
	return fmt.Sprintf("The loop at line %d processes %s one character at a time, in its own instructions: %s.", v.LineAt(loops[0].Pos()), types.ExprString(over), v.percent(own))
}

// isText reports whether a type is a string, or a slice or an array of bytes or runes.
func isText(t types.Type) bool {
	return typed.IsString(t) || isCharacter(typed.Element(t))
}

func isCharacter(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.(*types.Basic)
	return ok && (basic.Kind() == types.Byte || basic.Kind() == types.Rune)
}

// inlined reports whether the compiler inlines the function at a frame that calls it.
func (v *account) inlined(by *callstack.Frame) bool {
	return v.Decisions != nil && slices.ContainsFunc(v.Decisions(diagnose.SourceLine{File: by.File, Line: by.Line}), func(said string) bool {
		return strings.HasPrefix(said, "inlines ") && strings.HasSuffix(said, v.decl.Name.Name)
	})
}

// ofCharacter reports whether a function takes or returns a single byte or rune.
func ofCharacter(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	params, results := fn.Signature().Params(), fn.Signature().Results()
	for v := range params.Variables() {
		if isCharacter(v.Type()) {
			return true
		}
	}
	return params.Len() == 0 && results.Len() > 0 && isCharacter(results.At(0).Type())
}

// allPairs is about loops that go over the same elements, one inside the other, and
// about functions that are called from such loops.
func allPairs(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil || v.all() < leastShare {
		return j
	}
	sets, list := &v.Cost, v.pairs(v.File, v.heaviest(&v.Cost))
	if list == nil {
		sets, list = v.callsOfPairs()
	}
	if list == nil || !v.matters(sets, leastShare) {
		return j
	}
	why := fmt.Sprintf("Every element of %s is compared with every other, in two nested loops: the work grows with the square of their number, and takes %s.", types.ExprString(list), v.percent(sets))
	return diagnose.Judgement{Cause: why, Claim: v.claim(sets, why,
		"First group elements that can belong together: in a map from the key that both must share to the elements that have it, or by sorting, if only neighbours can. Then examine only those pairs.")}
}

// pairs returns the list that two loops around a line go over, one inside the other; nil
// where they do not.
func (v *account) pairs(file string, line int) ast.Expr {
	st, pkg := v.Statement(file, line), v.PackageOf(file)
	if !st.Known || pkg == nil {
		return nil
	}
	var over []ast.Expr
	for _, loop := range loopsAround(pkg, st.Node) {
		if _, literal := loop.(*ast.FuncLit); literal {
			return nil
		}
		list := elements(pkg, loop)
		if list == nil {
			continue
		}
		if slices.ContainsFunc(over, func(e ast.Expr) bool { return typed.Same(e, list) }) {
			return list
		}
		over = append(over, list)
	}
	return nil
}

// loopsAround returns the loops around a statement, the innermost first; a loop is around
// itself.
func loopsAround(p *typed.Package, st ast.Stmt) []ast.Node {
	loops := slices.Collect(p.Repeats(st))
	switch st.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		loops = append([]ast.Node{st}, loops...)
	}
	return loops
}

// callsOfPairs returns the samples of the place below calls of its function for the pairs
// of a list, and the list of most of them.
func (v *account) callsOfPairs() (sets *diagnose.Sets, most ast.Expr) {
	lists := make(map[diagnose.SourceLine]ast.Expr)
	found := make(map[diagnose.SourceLine]*diagnose.Sets)
	v.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		if c != v.CPU || !v.Cost.CPU.Has(sample.Index()) {
			return
		}
		by := v.caller(c, stack)
		if by == nil || v.Loops.InBenchmark(by.File, by.Line) {
			return
		}
		line := diagnose.SourceLine{File: by.File, Line: by.Line}
		list, ok := lists[line]
		if !ok {
			list = v.pairs(by.File, by.Line)
			lists[line] = list
		}
		if list == nil {
			return
		}
		if found[line] == nil {
			found[line] = new(diagnose.Sets)
		}
		found[line].CPU.Add(sample.Index())
	})
	sets = new(diagnose.Sets)
	for line, of := range found {
		if of.CPU.Len() > 0 && (most == nil || v.share(of) > v.share(sets)) {
			sets, most = of, lists[line]
		}
	}
	return sets, most
}

// caller returns the frame of another function of the user's own that calls the place's, the
// nearest on a stack; nil where there is none.
func (v *account) caller(c *hot.Classified, stack []callstack.FrameID) *callstack.Frame {
	inside := false
	for _, id := range stack {
		f := c.Frame(id)
		is := f.File == v.File && symbolname.Elide(symbolname.Parse(f.Function).Declared()) == v.Function
		if inside && !is {
			if v.Own(f) {
				return f
			}
			return nil
		}
		inside = inside || is
	}
	return nil
}

// elements returns what a loop goes over that is no list of numbers; nil where that does not
// show.
func elements(p *typed.Package, loop ast.Node) ast.Expr {
	list := goneOver(p, loop)
	if rest, ok := list.(*ast.SliceExpr); ok {
		list = ast.Unparen(rest.X)
	}
	switch list.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return nil
	}
	if of := typed.Element(p.TypeOf(list)); of == nil || typed.IsNumber(of) {
		return nil
	}
	return list
}

// goneOver returns what a loop goes over, by range or by index up to its length; nil where
// that does not show.
func goneOver(p *typed.Package, loop ast.Node) ast.Expr {
	measured := func(e ast.Expr) ast.Expr {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && p.Builtin(call) == "len" && len(call.Args) == 1 {
			return ast.Unparen(call.Args[0])
		}
		return nil
	}
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		if list := measured(loop.X); list != nil {
			return list
		}
		return ast.Unparen(loop.X)
	case *ast.ForStmt:
		if compares, ok := loop.Cond.(*ast.BinaryExpr); ok && compares.Op == token.LSS {
			return measured(compares.Y)
		}
	}
	return nil
}
