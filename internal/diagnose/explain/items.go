package explain

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/places"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/recording"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// oneAtATime is about what is done for each item, where a batch, or once, would do.
func oneAtATime(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	if j = answer(s, at, passes, ofDeadline, clockInLoop, elementCalls); j.Cause != "" {
		return j
	}
	v := look(s, at)
	for _, ask := range []func() reading{v.systemCalls, v.clock, v.goroutines, v.elements} {
		r := ask()
		if r.why == "" || v.share(r.of) < least {
			continue
		}
		if j.Cause = r.why; r.remedy != "" {
			j.Claim = v.claim(r.of, r.why, r.remedy)
		}
		return j
	}
	return j
}

// atOnce are functions that read or write a file as a whole, or in large pieces.
var atOnce = []string{"os.ReadFile", "os.WriteFile", "io.ReadAll", "io.copyBuffer"}

// systemCalls is about reading and writing files, and asking for them, without a buffer
// in between.
func (v *account) systemCalls() (r reading) {
	sets, calls := new(diagnose.Sets), make(map[string]int)
	v.EachWork(v.Spot, func(w diagnose.Work) {
		name, ok := strings.CutPrefix(string(w.Kind), "system call ")
		if !ok || slices.ContainsFunc(w.Below, func(id callstack.FrameID) bool {
			fn := w.Of.Frame(id).Function
			pkg := symbolname.Package(fn)
			return pkg == "bufio" || pkg == "net" || pkg == "os/exec" || slices.Contains(atOnce, fn)
		}) {
			return
		}
		sets.Of(v.Subject, w.Of).Add(w.Index)
		calls[name]++
	})
	most := ""
	for name, n := range calls {
		if n > calls[most] || n == calls[most] && name < most {
			most = name
		}
	}
	if !v.matters(sets, leastShare) || v.Kind == recording.TargetService {
		return r
	}
	r.of = sets
	switch {
	case strings.Contains(most, "write"):
		r.why = fmt.Sprintf("Each write there is a system call, without a buffer in between: %s.", v.percent(sets))
		r.remedy = "Write to a bufio.Writer around the file, and flush it before anybody else reads the file, before you close it, and at the end."
	case strings.Contains(most, "read"):
		r.why = fmt.Sprintf("Each read there is a system call, without a buffer in between: %s.", v.percent(sets))
		r.remedy = "Read through a bufio.Reader around the file, or read a small file at once; read the entries of a directory in one call."
	case strings.Contains(most, "stat"):
		r.why = fmt.Sprintf("The program makes a system call for the status of each file: %s.", v.percent(sets))
		r.remedy = "Use the data in the directory entries (os.ReadDir, fs.WalkDir: name and type), and call Info or Stat only for files that need more."
	}
	return r
}

// clock is about the time that is asked for: what it is for, and how exact it has to be,
// the source does not show, and so nothing is claimed.
func (v *account) clock() (r reading) {
	sets := v.kinds[places.Clock]
	if !v.matters(sets, least) {
		return r
	}
	r.of = sets
	r.why = fmt.Sprintf("%s reads the clock in each call: %s.", v.name(), v.percent(sets))
	return r
}

// goroutines is about goroutines that are started for little work.
func (v *account) goroutines() (r reading) {
	sets := new(diagnose.Sets)
	if of := v.kinds[places.Start]; of != nil {
		sets.Join(of)
	}
	grows, _ := v.below(func(fn string) bool {
		return fn == "runtime.newstack" || strings.HasPrefix(fn, "runtime.morestack") || fn == "runtime.copystack"
	})
	sets.Join(grows)
	if !v.matters(sets, least) {
		return r
	}
	r.of = sets
	r.why = fmt.Sprintf("Goroutines are started for small pieces of work, and each of them grows a new stack: that takes %s.", v.percent(sets))
	r.remedy = "Do short work in the current goroutine, especially if there is only one piece, or nothing to wait for. For many pieces, start as many goroutines as there are processors, and let each take several."
	return r
}

// perElement are functions of the library that take or give one byte or rune, by how
// their names begin.
var perElement = []string{
	"bufio.(*Reader).ReadByte", "bufio.(*Reader).ReadRune", "bufio.(*Reader).UnreadByte", "bufio.(*Reader).Peek", "bufio.(*Reader).Discard",
	"bufio.(*Writer).WriteByte", "bufio.(*Writer).WriteRune", "bytes.(*Buffer).WriteByte", "bytes.(*Buffer).WriteRune", "bytes.(*Buffer).ReadByte",
	"bytes.(*Reader).ReadByte", "strings.(*Reader).ReadByte", "strings.(*Reader).ReadRune", "strings.(*Builder).WriteByte", "strings.(*Builder).WriteRune",
}

// elements is about library calls for each byte or rune.
func (v *account) elements() (r reading) {
	sets, most := v.below(func(fn string) bool { return slices.Contains(perElement, fn) })
	if most == "" || !v.matters(sets, leastShare) {
		return r
	}
	if !slices.ContainsFunc(v.operations(), func(o *operation) bool { return o.depth <= 1 && v.loop(o) != nil }) {
		return r
	}
	r.of = sets
	r.why = fmt.Sprintf("%s is called for each character, in a loop: %s.", symbolname.Short(most), v.percent(sets))
	r.remedy = "Process the available data as a whole: iterate by index over the bytes of the slice or of the reader's buffer (Peek of Buffered bytes, then one Discard), and write each run with one call, or append runs to a slice that is written once."
	return r
}

// copiers are functions that go through all of a text and return a changed copy.
var copiers = []string{"strings.Replace", "strings.ReplaceAll", "strings.Map", "bytes.Replace", "bytes.ReplaceAll", "bytes.Map", "regexp.(*Regexp).ReplaceAllString", "regexp.(*Regexp).ReplaceAll"}

// fewestPasses is how often a text is gone through at least to be so too often.
const fewestPasses = 3

// passes is about a text that is changed by one function after another, each of which goes
// through all of it.
func passes(v *account, o *operation) (r reading) {
	if !slices.Contains(copiers, o.pkg.Called(o.call)) {
		return r
	}
	r.of = new(diagnose.Sets)
	n := 0
	ast.Inspect(o.decl.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || !slices.Contains(copiers, o.pkg.Called(call)) || v.repeated(o, call) {
			return true
		}
		n++
		for by, sets := range v.Costs()[o.frame.File][v.LineAt(call.Pos())] {
			if by == o.pkg.Called(call) {
				r.of.Join(sets)
			}
		}
		return true
	})
	if n < fewestPasses {
		return reading{}
	}
	r.goes = &diagnose.Sets{CPU: diagnose.Portion(v.CPU, v.CPUColumn, &r.of.CPU, 1-1/float64(n)), Allocs: diagnose.Portion(v.Allocs, v.AllocCol, &r.of.Allocs, 1-1/float64(n))}
	r.why = fmt.Sprintf("%s scans a string %d times, once for each replacement, and copies it at each that applies: %s.", o.decl.Name.Name, n, v.percent(r.of))
	r.remedy = "Scan it once: with a strings.Replacer, made once in a package variable, for all replacements; or with a loop that finds the first byte to change, and returns the string itself if there is none."
	return r
}

// repeated reports whether a call is in another block than an operation: of two
// branches one is taken.
func (v *account) repeated(o *operation, call *ast.CallExpr) bool {
	around := func(n ast.Node) ast.Node {
		for outer := o.pkg.Parent(n); outer != nil; outer = o.pkg.Parent(outer) {
			switch outer.(type) {
			case *ast.BlockStmt, *ast.CaseClause, *ast.FuncLit:
				return outer
			}
		}
		return nil
	}
	return around(o.call) != around(call)
}

// name returns the place's function, for a sentence.
func (v *account) name() string { return symbolname.Short(v.Function) }

// changedCopy is about functions that copy a text element by element for the sake of those
// that change.
func changedCopy(s *diagnose.Subject, at *diagnose.Spot) (j diagnose.Judgement) {
	v := look(s, at)
	if v.pkg == nil || v.decl == nil || v.all() < least {
		return j
	}
	text, loop := transforms(v.pkg, v.decl)
	if text == nil {
		return j
	}
	in := v.onLines(v.pkg, loop)
	if in.Len() > 0 && givesText(v.pkg, v.decl) { // a text that is returned as it is needs none of the rest
		in = v.onLines(v.pkg, v.decl)
	}
	if !v.matters(in, least) {
		return j
	}
	j.Cause = fmt.Sprintf("%s copies %s element by element because some may have to change, even if none does: %s.", v.decl.Name.Name, types.ExprString(text), v.percent(in))
	j.Claim = v.claim(in, j.Cause, fmt.Sprintf("First find the first element that has to change (strings.IndexByte, IndexAny, a loop that only compares). If there is none, return %s itself or write it as a whole; otherwise copy the part between two such elements in one piece.", types.ExprString(text)))
	return j
}

// transforms returns the text that a function goes over to build another of its elements, some
// of which it changes, and the loop; nil where it does not.
func transforms(p *typed.Package, d *ast.FuncDecl) (text ast.Expr, loop ast.Node) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if text != nil || n == nil {
			return false
		}
		body := typed.LoopBody(n)
		if body == nil {
			return true
		}
		over := goneOver(p, n)
		if over == nil || !isText(p.TypeOf(over)) {
			return true
		}
		if x := p.Converted(over); p.Var(x) == nil && p.Container(x) == nil {
			return true
		}
		branches, copies, elements := 0, 0, 0
		copied := func(n ast.Node, e ast.Expr) {
			if leavesLoop(p, n, body) {
				return
			}
			copies++
			if p.Info.Types[e].Value == nil {
				elements++
			}
		}
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt, *ast.CaseClause:
				branches++
			case *ast.CallExpr:
				if fn := p.Function(n); fn != nil && len(n.Args) == 1 && (fn.Name() == "WriteRune" || fn.Name() == "WriteByte") {
					copied(n, n.Args[0])
				} else if p.Builtin(n) == "append" && len(n.Args) == 2 && !n.Ellipsis.IsValid() && isCharacter(p.TypeOf(n.Args[1])) {
					copied(n, n.Args[1])
				}
			case *ast.AssignStmt:
				if at, ok := n.Lhs[0].(*ast.IndexExpr); ok && len(n.Lhs) == 1 && isText(p.TypeOf(at.X)) && !typed.Same(at.X, over) && p.Info.Types[at.Index].Value == nil {
					copied(n, n.Rhs[0])
				}
			}
			return true
		})
		// Where only constants are put between parts, no element is copied.
		if branches > 0 && elements > 0 && (copies > 1 || givesText(p, d)) {
			text, loop = p.Converted(over), n
		}
		return text == nil
	})
	return text, loop
}

// leavesLoop reports whether a node of a loop's body stands in a branch of it that ends with
// a return: what is written there is written once.
func leavesLoop(p *typed.Package, n ast.Node, body *ast.BlockStmt) bool {
	for n = p.Parent(n); n != nil && n != body; n = p.Parent(n) {
		if block, ok := n.(*ast.BlockStmt); ok && len(block.List) > 0 {
			if _, ok := block.List[len(block.List)-1].(*ast.ReturnStmt); ok {
				return true
			}
		}
	}
	return false
}

// givesText reports whether a function returns a text.
func givesText(p *typed.Package, d *ast.FuncDecl) bool {
	fn := p.Func(d)
	return fn != nil && fn.Signature().Results().Len() > 0 && isText(fn.Signature().Results().At(0).Type())
}
