package objectpercall

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/purity"
	"whet/internal/diagnose/repeated"
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
	at    map[ast.Node]*constructor // by statement
}

// built claims the first sort.
func built(s *diagnose.Subject) (claims []diagnose.Claim) {
	if s.Program == nil {
		return nil
	}
	b := &builder{s: s, judge: purity.New(s), at: make(map[ast.Node]*constructor)}
	impure := make(map[string]bool) // functions whose samples show that they ask for more than their arguments
	asks := make(map[string]bool)   // functions that do, by name
	for _, p := range repeated.Find(s, repeated.Search{
		Function: func(fn string) bool {
			of := symbolname.Parse(fn)
			return of.Receiver == "" && of.Made == "" && !symbolname.Standard(of.Package)
		},
		Fixed: b.fixed,
		Part: func(c *hot.Classified, below []callstack.FrameID) (cost, avoidable bool) {
			last := len(below) - 1
			if c == s.CPU && slices.ContainsFunc(below[:last], func(id callstack.FrameID) bool {
				fn := c.Frame(id).Function
				more, known := asks[fn]
				if !known {
					more = !purity.OfItsArguments(fn)
					asks[fn] = more
				}
				return more
			}) {
				impure[c.Frame(below[last]).Function] = true
			}
			return true, true
		},
	}) {
		// A construction may take any time: a program's only one is none that is
		// repeated.
		if p.Repeated(true) && !slices.ContainsFunc(p.Names, func(name string) bool { return impure[name] }) {
			claims = append(claims, b.at[p.At.Node].claim(p))
		}
	}
	return claims
}

// fixed reports why a call builds the same object each time, if it is one of such a
// statement.
func (b *builder) fixed(c typed.Site) typed.FixedArgument {
	st, ok := c.In.Parent(c.CallExpr).(*ast.AssignStmt)
	if _, inside := states[c.Callee()]; inside || !ok || len(st.Rhs) != 1 || len(st.Lhs) > 2 {
		return typed.FixedArgument{}
	}
	file, line := b.s.Program.Line(st.Pos())
	by := repeated.Weakest(c.Fixed())
	if len(c.Args) > 0 && (c.Fixed() == nil || !by.Always()) || strings.HasSuffix(file, "_test.go") || b.s.Statement(file, line).Node != st || !b.constructs(c) {
		return typed.FixedArgument{}
	}
	for v := range c.In.Declared(st) {
		asked, methods := b.onlyAsked(c.In, v)
		if ends, _ := c.In.Ends(v); asked && ends {
			b.at[st] = &constructor{name: v.Name(), bare: len(c.Args) == 0, methods: methods}
			return by
		}
	}
	return typed.FixedArgument{}
}

// constructs: a pure function of the user's own, or one of another module; not of
// the standard library.
func (b *builder) constructs(c typed.Site) bool {
	fn := c.In.Function(c.CallExpr)
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	if c.In.Reached(c.CallExpr) != nil {
		return b.judge.Pure(c.Callee(), false)
	}
	return !b.s.Program.Standard(fn.Pkg())
}

// onlyAsked reports whether a variable is used for nothing but calling its
// methods and comparing it, and what is known of them. Of an object that they
// change no method may give a part away.
func (b *builder) onlyAsked(pkg *typed.Package, v *types.Var) (asked bool, by methods) {
	for _, id := range pkg.Uses(v) {
		switch p := pkg.Parent(id).(type) {
		case *ast.BinaryExpr:
			continue
		case *ast.SelectorExpr:
			call, ok := pkg.Parent(p).(*ast.CallExpr)
			if !ok || call.Fun != p || pkg.Function(call) == nil { // a field, or one that is called
				return false, by
			}
			asked = true
			method := pkg.Reached(call)
			if method == nil {
				by = max(by, unknown)
				continue
			}
			if b.judge.ReadOnly(pkg.Called(call)) {
				continue
			}
			if by = changing; !givesAway(method) {
				continue
			}
		}
		return false, by
	}
	return asked, by
}

// givesAway reports whether a method returns something of its receiver.
func givesAway(method *typed.Function) (found bool) {
	ast.Inspect(method.Decl.Body, func(n ast.Node) bool {
		if ret, ok := n.(*ast.ReturnStmt); ok {
			for _, e := range ret.Results {
				if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
					e = u.X
				}
				of := method.Package.Var(method.Package.Base(e))
				found = found || of != nil && of.Kind() == types.RecvVar
			}
		}
		return !found
	})
	return found
}

func (x *constructor) claim(p *repeated.CallSite) diagnose.Claim {
	c := diagnose.Claim{
		Place: p.Place(), Cost: p.Cost, Avoidable: p.Avoidable, Confidence: finding.Medium,
		Why:      fmt.Sprintf("%s builds the same object in every call, and the program only calls methods of %s and drops it.", strings.Join(p.ShortNames(), " and "), x.name),
		Evidence: p.Evidence(),
	}
	if last := len(c.Evidence) - 1; x.bare && c.Evidence[last].Kind == "source" {
		c.Evidence[last].Text = "it takes no arguments"
	}
	switch x.methods {
	case reading:
		c.Remedy = once + " and share it: its methods change nothing."
	case unknown:
		c.Remedy = once + " and share it, if it is safe for concurrent use. Otherwise keep such objects " + diagnose.Anywhere + "."
	case changing:
		c.Remedy = "Its methods change it: keep such objects " + diagnose.Anywhere + ", and reset each to the state that a call expects."
	}
	return c
}

const once = "Build it once, at the program's start or in a package variable (sync.OnceValue),"
