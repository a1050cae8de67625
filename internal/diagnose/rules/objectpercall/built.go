package objectpercall

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/diagnose/repeated"
	"whet/internal/diagnose/syntax"
	"whet/internal/finding"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// constructor is a statement x := f(…) whose object could be kept.
type constructor struct {
	name    string // of the variable
	bare    bool   // it is given no arguments
	methods methods
}

// methods says what is known of those that are called.
type methods int

const (
	reading  methods = iota // their source shows that they change nothing
	unknown                 // their source is not at hand
	changing                // it does not show that
)

// builder finds the first sort.
type builder struct {
	s     *diagnose.Subject
	judge *purity.Judge
	at    map[diagnose.SourceLine]*constructor
	calls map[string]bool // callee at "file:line": where it is one
	funcs map[string]bool // the functions called there
}

// built claims the first sort.
func built(s *diagnose.Subject) []diagnose.Claim {
	b := &builder{s: s, judge: purity.New(s), at: make(map[diagnose.SourceLine]*constructor), calls: make(map[string]bool), funcs: make(map[string]bool)}
	b.read()
	if len(b.at) == 0 {
		return nil
	}
	var claims []diagnose.Claim
	for _, p := range repeated.Find(s, repeated.Search{
		Function: func(fn string) bool { return b.funcs[fn] },
		Fixed:    b.fixed,
	}) {
		// A construction may take any time: a program's only one is none that is
		// repeated.
		if x := b.at[p.At.At()]; x != nil && p.Repeated(true) && b.pure(p) {
			claims = append(claims, x.claim(p))
		}
	}
	return claims
}

// read looks for such statements in all functions.
func (b *builder) read() {
	b.s.EachFunction(func(pkg, file string, decl *ast.FuncDecl) {
		if decl.Name.Name == "init" || pkg == "main" && decl.Name.Name == "main" || strings.HasSuffix(file, "_test.go") {
			return
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			st, ok := n.(*ast.AssignStmt)
			if !ok || st.Tok != token.DEFINE || len(st.Rhs) != 1 || len(st.Lhs) > 2 {
				return true
			}
			call, isCall := ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
			name, isName := st.Lhs[0].(*ast.Ident)
			if isCall && isName && name.Name != "_" {
				b.statement(file, st, call, name)
			}
			return true
		})
	})
}

func (b *builder) statement(file string, st *ast.AssignStmt, call *ast.CallExpr, name *ast.Ident) {
	callee := b.s.CalleeOf(file, call)
	if !b.constructs(callee) {
		return
	}
	at := b.s.Statement(file, b.s.LineOf(file, st))
	calls, _ := b.s.StatementCalls(at)
	made := slices.IndexFunc(calls, func(c typed.Call) bool { return c.Callee == callee })
	if made < 0 || !at.Known || at.Node != st || !alwaysSame(&calls[made]) {
		return
	}
	if decl, _ := b.s.FunctionNamed(callee); decl != nil && !b.judge.Pure(callee, false) {
		return
	}
	fn := syntax.New(at.Func)
	variables := fn.Declarations()
	i := slices.IndexFunc(variables, func(d syntax.Declaration) bool { return d.Ident == name })
	if i < 0 {
		return
	}
	d := variables[i]
	asked, methods := b.onlyAsked(file, fn, d)
	if ends, _ := b.s.Ends(file, fn, d, nil); !asked || !ends {
		return
	}
	b.at[at.At()] = &constructor{name: name.Name, bare: len(call.Args) == 0, methods: methods}
	b.calls[key(calls[made].In, calls[made].Line, callee)] = true
	b.funcs[callee] = true
}

func key(in string, line int, callee string) string { return fmt.Sprint(in, ":", line, " ", callee) }

// constructs: a function of the user's own or of another module, not of the
// standard library, whose import paths have no dot in their first element.
func (b *builder) constructs(callee string) bool {
	sym := symbolname.Parse(callee)
	if sym.Name == "" || sym.Receiver != "" || sym.Made != "" {
		return false
	}
	if _, ok := states[callee]; ok {
		return false
	}
	first, _, _ := strings.Cut(sym.Package, "/")
	decl, _ := b.s.FunctionNamed(callee)
	return decl != nil || strings.Contains(first, ".")
}

// alwaysSame: each argument has the same value in every call.
func alwaysSame(c *typed.Call) bool {
	return len(c.Args) == 0 || len(c.Fixed) == len(c.Args) && !slices.ContainsFunc(c.Fixed, func(f typed.Fixed) bool { return !f.Always() })
}

// fixed is the search's: the calls that were found, and no others.
func (b *builder) fixed(c typed.Site) typed.Fixed {
	if !b.calls[key(c.Function(), c.Line(), c.Callee())] {
		return typed.Fixed{}
	}
	return repeated.Weakest(c.Fixed())
}

// onlyAsked reports whether a variable is used for nothing but calling its
// methods and comparing it, and what is known of them. Of an object that they
// change no method may give a part away.
func (b *builder) onlyAsked(file string, fn *syntax.Function, d syntax.Declaration) (asked bool, by methods) {
	for _, id := range fn.Uses(d) {
		switch p := fn.Parent(id).(type) {
		case *ast.BinaryExpr:
		case *ast.SelectorExpr:
			call, ok := fn.Parent(p).(*ast.CallExpr)
			if !ok || call.Fun != p {
				return false, by
			}
			method := b.s.CalleeOf(file, call)
			if symbolname.Parse(method).Receiver == "" {
				return false, by // a field that is called
			}
			asked = true
			switch decl, _ := b.s.FunctionNamed(method); {
			case decl == nil:
				by = max(by, unknown)
			case !b.judge.ReadOnly(method):
				by = changing
				if givesAway(decl) {
					return false, by
				}
			}
		default:
			return false, by
		}
	}
	return asked, by
}

// givesAway reports whether a method returns something of its receiver.
func givesAway(method *ast.FuncDecl) bool {
	if method.Recv == nil || len(method.Recv.List[0].Names) == 0 {
		return false
	}
	receiver, found := method.Recv.List[0].Names[0].Name, false
	ast.Inspect(method.Body, func(n ast.Node) bool {
		if ret, ok := n.(*ast.ReturnStmt); ok {
			for _, e := range ret.Results {
				if root := syntax.Root(e); root != nil && root.Name == receiver {
					found = true
				}
				if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
					root := syntax.Root(u.X)
					found = found || root != nil && root.Name == receiver
				}
			}
		}
		return !found
	})
	return found
}

// pure reports whether the profile shows a construction that asks for nothing
// but its arguments.
func (b *builder) pure(p *repeated.Place) bool {
	s, ok := b.s, true
	diagnose.EachBase(s.CPU, s.CPUColumn, func(sample *callstack.Stacks, stack []callstack.FrameID) {
		if p.Cost.CPU != nil && p.Cost.CPU(sample.Index()) && !clean(s.CPU, stack, p.Names) {
			ok = false
		}
	})
	return ok
}

// clean looks at the frames below a constructor.
func clean(c *hot.Classified, stack []callstack.FrameID, names []string) bool {
	at := len(stack) - 1
	for at >= 0 && !slices.Contains(names, c.Frame(stack[at]).Function) {
		at--
	}
	return !slices.ContainsFunc(stack[:max(at, 0)], func(id callstack.FrameID) bool {
		return !purity.OfItsArguments(c.Frame(id).Function)
	})
}

func (x *constructor) claim(p *repeated.Place) diagnose.Claim {
	c := diagnose.Claim{
		Place: p.Place(), Cost: p.Cost, Avoidable: p.Avoidable, Confidence: finding.Medium,
		Why:      fmt.Sprintf("%s builds the same object in every call, and %s is only asked by its methods and dropped.", strings.Join(p.ShortNames(), " and "), x.name),
		Evidence: p.Evidence(),
	}
	if last := len(c.Evidence) - 1; x.bare && c.Evidence[last].Kind == "source" {
		c.Evidence[last].Text = "it is given no arguments"
	}
	switch x.methods {
	case reading:
		c.Remedy = once + " and share it: its methods change nothing."
	case unknown:
		c.Remedy = once + " and share it, if several goroutines may use it at the same time. Otherwise keep such objects in a sync.Pool."
	case changing:
		c.Remedy = "Its methods change it: keep such objects in a sync.Pool, and put each into the state that a call expects."
	}
	return c
}

const once = "Build it once, where the program starts or in a package variable (sync.OnceValue),"
