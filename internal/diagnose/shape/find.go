package shape

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/purity"
	"whet/internal/finding"
	"whet/internal/quantity"
	"whet/internal/typed"
)

// claimsKey is what a subject keeps its claims by.
type claimsKey struct{}

// findings are the claims of the shapes by cause, and the error of one that failed.
type findings struct {
	claims map[string][]diagnose.Claim
	failed map[string]any
}

// claims returns the claims of all causes. A shape that fails on a program takes the word from
// its own cause alone.
func claims(s *diagnose.Subject) findings {
	return diagnose.Once(s, claimsKey{}, func(s *diagnose.Subject) findings {
		out := findings{make(map[string][]diagnose.Claim), make(map[string]any)}
		if s.Program == nil {
			return out
		}
		all, judge := slices.Concat(table...), purity.New(s)
		files := s.Costs()
		for file, lines := range files {
			pkg, syntax := s.Program.FileOf(file)
			if pkg == nil || pkg.Info == nil || syntax == nil {
				continue
			}
			f := finder{Subject: s, files: files, file: file, lines: lines, pkg: pkg, judge: judge}
			for _, d := range syntax.Decls {
				if !slices.ContainsFunc(f.on([]ast.Node{d}), func(line int) bool { return lines[line] != nil }) {
					continue
				}
				for i := range all {
					out.add(&f, &all[i], d)
				}
			}
		}
		return out
	})
}

func (out *findings) add(f *finder, sh *Shape, d ast.Decl) {
	defer func() {
		if err := recover(); err != nil {
			out.failed[sh.Cause] = fmt.Sprintf("%s: %v", sh.ID, err)
		}
	}()
	out.claims[sh.Cause] = append(out.claims[sh.Cause], f.find(sh, d)...)
}

// finder looks for shapes in a file.
type finder struct {
	*diagnose.Subject
	files map[string]map[int]diagnose.CalleeSamples
	file  string
	lines map[int]diagnose.CalleeSamples
	pkg   *typed.Package
	judge *purity.Judge
}

func (f *finder) find(sh *Shape, d ast.Decl) (out []diagnose.Claim) {
	part := make(map[ast.Node]bool) // of a match that was found
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil || part[n] {
			return true
		}
		m := sh.Find(f.pkg, n)
		if len(m.Goes) == 0 {
			return true
		}
		for _, of := range slices.Concat(m.Goes, m.Stays) {
			part[of] = true
		}
		if c, ok := f.claim(sh, n, m); ok {
			out = append(out, c)
		}
		return true
	})
	return out
}

func (f *finder) claim(sh *Shape, n ast.Node, m Match) (diagnose.Claim, bool) {
	st := f.Statement(f.file, f.LineAt(n.Pos()))
	cost, goes := f.cost(slices.Concat(m.Stays, m.Goes), sh.Spends), f.cost(m.Goes, sh.Spends)
	if m.Later != "" {
		cost = f.below(m.Later)
		goes = cost
	}
	d, _ := f.pkg.Declaration(n.Pos()).(*ast.FuncDecl)
	if goes.Len() == 0 || d == nil || slices.ContainsFunc(m.Pure, func(call *ast.CallExpr) bool { return !f.pure(call) }) {
		return diagnose.Claim{}, false
	}
	if m.Grows && f.sizes(&goes.Allocs) < grown {
		return diagnose.Claim{}, false
	}
	if m.Rare != nil && rarely*f.all(m.Rare, cmp.Or(m.RareIn, f.file)).Len() > goes.Len() {
		return diagnose.Claim{}, false
	}

	if m.Decision != "" && (f.Decisions == nil || !slices.ContainsFunc(f.Decisions(diagnose.SourceLine{File: f.file, Line: f.LineAt(m.Goes[0].Pos())}), func(said string) bool { return strings.HasSuffix(said, m.Decision) })) {
		return diagnose.Claim{}, false
	}
	i := slices.IndexFunc(causes, func(c knowledge.Cause) bool { return c.ID == sh.Cause })
	c := diagnose.Claim{
		Place: st.Place(f.pkg.Symbol(d)), Cost: cost.Samples(), Confidence: sh.Confidence, Row: sh.ID,
		Why:    strings.ToUpper(sh.Cost[:1]) + sh.Cost[1:] + ", " + causes[i].Unneeded + ".",
		Remedy: sh.Instead,
	}
	stays := f.on(m.Stays)
	if m.All || len(m.Stays) > 0 && !slices.ContainsFunc(f.on(m.Goes), func(line int) bool { return slices.Contains(stays, line) }) {
		c.Avoidable = goes.Samples()
	} else if g := knowledge.GainOf(sh.ID); g != nil {
		c.Removed = g.Removed()
	}
	if c.Avoidable.CPU == nil && c.Avoidable.Allocs == nil && c.Removed == (diagnose.Removed{}) {
		return c, false
	}
	c.Evidence = append(f.CPUEvidence(c.Cost.CPU, "are there"), f.AllocEvidence(c.Cost.Allocs)...)
	if m.Rare != nil {
		file := cmp.Or(m.RareIn, f.file)
		c.Evidence = append(c.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("the branch that needs it, at %s, has %s of CPU time",
			f.At(diagnose.Location{File: file, Line: f.LineAt(m.Rare[0].Pos())}), quantity.Plural(int(f.CPUSamples(f.all(m.Rare, file).CPU.Keep())), "sample"))})
	}
	if sh.Square {
		c.Evidence = append(c.Evidence, knowledge.SquareEvidence(f.Subject)...)
	}
	return c, true
}

// rarely is how many times as many samples work must hold as the branch that needs it.
const rarely = 20

// grown is how many sizes of blocks what grows has at least: with one less, it has had
// its final size soon.
const grown = 3

// sizes returns the number of sizes that the blocks of samples in the allocation profile have.
func (f *finder) sizes(of *diagnose.Set) int {
	sizes := make(map[int64]bool)
	f.EachBlock(of, func(_ int, _, size int64) { sizes[size] = true })
	return len(sizes)
}

// pure reports whether a call changes nothing, as far as its source shows or, of the
// library's functions, their names.
func (f *finder) pure(call *ast.CallExpr) bool {
	if x, _ := f.pkg.Conversion(call); x != nil || slices.Contains([]string{"make", "new", "len", "cap"}, f.pkg.Builtin(call)) {
		return true
	}
	fn := f.pkg.Function(call)
	if fn == nil || f.pkg.Builtin(call) != "" {
		return false
	}
	if f.Program.Standard(fn.Pkg()) {
		return fn.Signature().Recv() == nil && purity.OfItsArguments(f.pkg.Called(call)) && (slices.Contains(ofSettings, fn.Pkg().Path()) || slices.Contains(steadyCalls, f.pkg.Called(call)))
	}
	return f.judge.Pure(f.pkg.Called(call), false)
}

// on returns the lines of some nodes.
func (f *finder) on(nodes []ast.Node) (lines []int) {
	for _, n := range nodes {
		for line := f.LineAt(n.Pos()); line <= f.LineAt(n.End()); line++ {
			lines = append(lines, line)
		}
	}
	return lines
}

// cost returns the samples on the lines of some nodes, below functions by how their names
// begin.
func (f *finder) cost(nodes []ast.Node, spends []string) *diagnose.Sets {
	sum := new(diagnose.Sets)
	for _, n := range nodes {
		below := slices.Clone(spends)
		if slices.Contains(spends, calls) {
			below = append(below, f.called(n)...)
		}
		if slices.Contains(spends, blocks) {
			below = append(below, "runtime.makeslice", "runtime.newobject", "runtime.mallocgc")
		}
		for _, line := range f.on([]ast.Node{n}) {
			for by, sets := range f.lines[line] {
				switch {
				case slices.ContainsFunc(below, func(begin string) bool { return by == begin || begin != "" && strings.HasPrefix(by, begin) }),
					by != "" && slices.Contains(below, beneath):
					sum.Join(sets)
				case by == "" && slices.Contains(below, blocks):
					sum.Join(&diagnose.Sets{Allocs: sets.Allocs})
				}
			}
		}
	}
	return sum
}

// below returns the samples of the user's own lines in a function of a library.
func (f *finder) below(function string) *diagnose.Sets {
	sum := new(diagnose.Sets)
	f.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		in := slices.IndexFunc(stack, func(id callstack.FrameID) bool { return c.Frame(id).Function == function })
		if in >= 0 && slices.ContainsFunc(stack[in:], func(id callstack.FrameID) bool {
			at := c.Frame(id)
			return f.Own(at) && !f.Loops.InBenchmark(at.File, at.Line)
		}) {
			sum.Of(f.Subject, c).Add(sample.Index())
		}
	})
	return sum
}

// called returns the functions that a node calls.
func (f *finder) called(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		switch {
		case f.pkg.Joins(n):
			names = append(names, "runtime.concatstring")
		case ok && f.pkg.Builtin(call) == "make":
			names = append(names, "runtime.make")
		case ok && f.pkg.Called(call) != "":
			names = append(names, f.pkg.Called(call))
		}
		return true
	})
	return names
}

// all are all samples on the lines of some nodes of a file.
func (f *finder) all(nodes []ast.Node, file string) *diagnose.Sets {
	sum := new(diagnose.Sets)
	for _, line := range f.on(nodes) {
		for _, sets := range f.files[file][line] {
			sum.Join(sets)
		}
	}
	return sum
}
