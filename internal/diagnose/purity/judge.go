package purity

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// maxDepth bounds the calls that are followed from a function into others.
const maxDepth = 4

// Judge judges functions of one subject, and caches the results.
type Judge struct {
	s        *diagnose.Subject
	changed  map[*types.Var]bool // see readChanges; nil: not read yet
	visiting map[*types.Var]bool
	answered map[question]*inquiry
	without  func(*typed.Function) bool // see Without; nil: none
}

// question is asked of a function, by its linker name.
type question struct {
	function string
	copies   bool // its parameters are copies, so that it may write to them
	changes  bool // only whether it changes something, not what it reads
	clock    bool // it may ask for the time
}

// inquiry is a question and what came of it.
type inquiry struct {
	question
	pure bool
	// seen are the functions that were looked at, each with what is new in it: one
	// that comes back to itself adds nothing, and one that speaks against purity
	// ends the search.
	seen map[string]bool
	of   map[*typed.Function]bool // the same functions
}

// New returns a judge.
func New(s *diagnose.Subject) *Judge {
	return &Judge{s: s, visiting: make(map[*types.Var]bool), answered: make(map[question]*inquiry)}
}

// Without leaves out what some functions change, as those that did not run.
func (j *Judge) Without(fn func(*typed.Function) bool) *Judge {
	j.without = fn
	return j
}

// Pure reports whether the source of a function, by its linker name, and of the
// functions it calls shows no effect, and no input beside its arguments.
// copies is set if these are plain values. The result is false if the source is not
// available.
func (j *Judge) Pure(function string, copies bool) bool {
	return j.ask(question{function: function, copies: copies}).pure
}

// ReadOnly reports whether a method changes neither its receiver nor anything
// else, according to its source.
func (j *Judge) ReadOnly(method string) bool {
	return j.ask(question{function: method, changes: true}).pure
}

// Harmless reports whether a function changes nothing, according to its source: it may as well
// not be called, and may ask for the time.
func (j *Judge) Harmless(function string) bool {
	return j.ask(question{function: function, changes: true, clock: true}).pure
}

// Follows returns a function that reports whether Pure, to judge a function that takes
// copies, follows a call of another of the user's own. A literal is part of its function.
func (j *Judge) Follows(function string) func(name string) bool {
	of := j.ask(question{function: function, copies: true}).of
	return func(name string) bool { return of[j.s.Program.FuncOf(name)] }
}

func (j *Judge) ask(q question) *inquiry {
	in := j.answered[q]
	if in == nil {
		in = &inquiry{question: q, seen: make(map[string]bool), of: make(map[*typed.Function]bool)}
		in.pure = j.function(j.s.FunctionOf(q.function), nil, in, 0)
		j.answered[q] = in
	}
	return in
}

// function looks at one with some of its parameters new in the call, the receiver
// first; where the question is about itself, all but that if they are copies. nil: its
// source is not at hand.
func (j *Judge) function(fn *typed.Function, fresh []bool, in *inquiry, depth int) bool {
	if fn == nil || fn.Object == nil {
		return false
	}
	key := fmt.Sprint(typed.Symbol(fn.Object), fresh)
	if in.seen[key] {
		return true
	}
	if depth > maxDepth {
		return false
	}
	in.seen[key], in.of[fn] = true, true
	f := &function{Package: fn.Package, decl: fn.Decl, new: make(map[*types.Var]bool)}
	sig := fn.Object.Signature()
	for i := range sig.Params().Len() {
		f.new[sig.Params().At(i)] = depth == 0 && in.copies || i+1 < len(fresh) && fresh[i+1]
	}
	if sig.Recv() != nil {
		f.new[sig.Recv()] = len(fresh) > 0 && fresh[0]
	}
	return j.writes(f) && (in.changes || j.reads(f)) && j.calls(f, in, depth)
}

// writes reports whether a function writes to nothing but what is new in its
// call.
func (j *Judge) writes(f *function) bool {
	ok := true
	f.eachWrite(func(target ast.Expr) {
		if v := f.Var(target); v != nil {
			ok = ok && !typed.Global(v)
		} else {
			ok = ok && j.freshBase(f, target)
		}
	})
	return ok
}

// calls looks at what a function calls, and at whether it waits for others.
func (j *Judge) calls(f *function, in *inquiry, depth int) bool {
	ok := true
	ast.Inspect(f.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		case *ast.CallExpr:
			ok = ok && j.call(f, n, in, depth)
		}
		return ok
	})
	return ok
}

func (j *Judge) call(f *function, call *ast.CallExpr, in *inquiry, depth int) bool {
	callee := f.Called(call)
	if callee == "" {
		return true // a conversion, a function value: the profile shows what it does
	}
	if in.clock && slices.Contains(clock, callee) {
		return true
	}
	if !OfItsArguments(callee) || shares(callee) {
		return false
	}
	pkg, sym := symbolname.Package(callee), symbolname.Parse(callee)
	if pkg == "sync" || pkg == "context" {
		return true // a pool's, a context's
	}
	sel, method := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	method = method && sym.Receiver != "" && pkg != "encoding/binary" // whose receivers are empty
	fresh := []bool{method && j.fresh(f, sel.X)}
	for _, arg := range call.Args {
		fresh = append(fresh, j.fresh(f, arg))
	}
	if to := j.s.FunctionOf(callee); to != nil {
		return j.function(to, fresh, in, depth+1)
	}
	args := len(call.Args)
	if method {
		standard := j.s.Program.Standard(f.Function(call).Pkg())
		state := stateful(sym.Name, standard) && !(sym.Name == "Error" && args == 0) || sym.Name == "Encode" && args == 1
		return (!state || fresh[0]) && (args == 0 || !writesTo(sym.Name, args) || fresh[1])
	}
	first, last := fills(sym.Name)
	if args > 0 && (first && !fresh[1] || last && !fresh[args]) {
		return false
	}
	return !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { // the address of what is not new
		u, ok := ast.Unparen(arg).(*ast.UnaryExpr)
		return ok && u.Op == token.AND && !j.freshBase(f, u.X)
	})
}
