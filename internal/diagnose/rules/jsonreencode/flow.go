package jsonreencode

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/syntax"
	"whet/internal/symbolname"
)

// flow is what the source says of a decoded value.
type flow struct {
	diagnose.Statement        // that decodes
	in                 string // the function that hands the value on
	home               struct {
		file        string
		first, last int
	}
	pkg     string // of decoder and encoder
	name    string // what is handed on, as the source writes it
	part    string // what to declare otherwise
	whole   bool   // all that is decoded is handed on
	typed   bool   // it is a field of a struct, which may have others of concrete types
	bare    bool   // and encoded by itself
	chain   bool   // in another function than it is decoded in
	encodes []diagnose.SourceLine
}

// tracer follows one value.
type tracer struct {
	s       *diagnose.Subject
	pkg     string
	encodes []diagnose.SourceLine
	bare    bool
	chain   bool
	depth   int
}

// follow reads what a statement decodes into, and where that goes. caller is
// the frame that the decoding function was called by, nil for none of the
// user's own.
func follow(s *diagnose.Subject, frame, caller *callstack.Frame, decoder string) (fl flow, ok bool) {
	st := s.Statement(frame.File, frame.Line)
	if !st.Known {
		return fl, false
	}
	fn := syntax.New(st.Func)
	target := decodesInto(st)
	if target == nil {
		return fl, false
	}
	d, ok := fn.Declaration(target, target.Name)
	if !ok {
		return fl, false
	}
	t := &tracer{s: s, pkg: symbolname.Package(decoder), bare: true}
	fl = flow{Statement: st, pkg: t.pkg, name: target.Name, in: frame.Function}
	fl.home.file = st.File
	home := fn
	p := s.PackageOf(st.File)
	if p == nil || p.TypeOf(target) == nil {
		return fl, false
	}
	switch typ := p.TypeOf(target); {
	case isAny(typ):
		fl.whole, fl.part = true, target.Name
		returned := false
		keys, ok := t.value(fn, st.File, d, target, &returned)
		if !ok {
			return fl, false
		}
		if returned {
			if home, ok = t.inCaller(fn, caller); !ok {
				return fl, false
			}
			fl.home.file, fl.in = caller.File, caller.Function
		}
		if len(keys) > 0 {
			fl.whole, fl.name = false, target.Name+"["+strings.Join(keys, ", ")+"]"
			fl.part = "the values of " + target.Name + " (" + rawMap(t.pkg) + ", or a struct with a field for " + strings.Join(keys, ", ") + ")"
		}
	default:
		fl.typed = true
		fields, ok := t.fields(fn, st.File, d, target, typ)
		if !ok {
			return fl, false
		}
		fl.name, fl.part = target.Name+"."+strings.Join(fields, ", "+target.Name+"."), "the field "+strings.Join(fields, ", ")
	}
	if len(t.encodes) == 0 {
		return fl, false
	}
	fl.home.first = s.LineOf(fl.home.file, home.Node)
	fl.home.last = s.LastLineOf(fl.home.file, home.Node)
	fl.encodes, fl.bare, fl.chain = t.encodes, t.bare, t.chain
	return fl, true
}

// decodesInto returns the variable whose address a statement decodes into, nil
// for none or two.
func decodesInto(st diagnose.Statement) *ast.Ident {
	var found *ast.Ident
	n := 0
	syntax.Head(st.Node, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !hasStem(sel.Sel.Name, "Unmarshal", "Decode") || len(call.Args) == 0 || len(call.Args) > 3 {
			return true
		}
		n++
		if address, ok := call.Args[len(call.Args)-1].(*ast.UnaryExpr); ok && address.Op == token.AND {
			found, _ = address.X.(*ast.Ident)
		}
		return true
	})
	if n != 1 {
		return nil
	}
	return found
}

// isAny knows any, and maps and slices of it.
func isAny(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Interface:
		return t.Empty()
	case *types.Map:
		return isAny(t.Elem())
	case *types.Slice:
		return isAny(t.Elem())
	}
	return false
}

// value follows a value of type any. keys are those of its parts that are
// encoded where it is not encoded whole; decoded is where it is decoded into. ok
// is false where it is used otherwise.
func (t *tracer) value(fn *syntax.Function, file string, d syntax.Declaration, decoded *ast.Ident, returned *bool) (keys []string, ok bool) {
	if d.Scope == fn.Node {
		return nil, false // the caller's own, or a named result
	}
	if t.depth++; t.depth > 16 {
		return nil, false
	}
	whole := false
	read := make(map[string]bool)
	for _, id := range fn.Uses(d) {
		if fn.LiteralAround(id) != nil {
			return nil, false
		}
		if id == decoded {
			continue
		}
		part, key := partOf(fn, id)
		switch encodes, parent := t.goesTo(fn, file, part, returned); {
		case encodes && key == "":
			whole = true
		case encodes:
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		case key != "" && !isSet(parent, part):
			read[key] = true
		default:
			return nil, false
		}
	}
	if whole && (len(keys) > 0 || len(read) > 0) {
		return nil, false
	}
	for _, k := range keys {
		if read[k] {
			return nil, false
		}
	}
	return keys, whole || len(keys) > 0
}

// partOf returns v, or v["key"] with its key.
func partOf(fn *syntax.Function, id *ast.Ident) (ast.Expr, string) {
	ix, ok := fn.Parent(id).(*ast.IndexExpr)
	if !ok || ix.X != id {
		return id, ""
	}
	lit, ok := ix.Index.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return id, ""
	}
	if _, err := strconv.Unquote(lit.Value); err != nil {
		return id, ""
	}
	return ix, lit.Value
}

// isSet reports whether a part is assigned to.
func isSet(parent ast.Node, part ast.Expr) bool {
	st, ok := parent.(*ast.AssignStmt)
	return ok && slices.Contains(st.Lhs, part)
}

// goesTo reports whether an expression goes into an encoder and nowhere else:
// by itself, in a literal that is encoded, through a variable or a function of
// the user's own that does nothing else with it, or by being returned. parent is
// what is around it.
func (t *tracer) goesTo(fn *syntax.Function, file string, e ast.Expr, returned *bool) (encodes bool, parent ast.Node) {
	n := ast.Node(e)
	inside := false
	for {
		p := fn.Parent(n)
		switch around := p.(type) {
		case *ast.ParenExpr, *ast.UnaryExpr:
			if u, ok := p.(*ast.UnaryExpr); ok && u.Op != token.AND {
				return false, p
			}
			n = p
			continue
		case *ast.KeyValueExpr:
			if around.Value != n {
				return false, p
			}
			n = p
			continue
		case *ast.CompositeLit:
			inside = true
			n = p
			continue
		case *ast.CallExpr:
			if around.Fun == n {
				return false, p
			}
			if t.isEncoding(file, around) && around.Args[0] == n {
				st := t.s.Statement(file, t.s.LineOf(file, around))
				t.note(st.At(), inside)
				return true, p
			}
			return t.handed(fn, file, around, n, inside), p
		case *ast.AssignStmt:
			i := slices.Index(around.Rhs, n.(ast.Expr))
			if i < 0 || len(around.Lhs) != len(around.Rhs) || around.Tok != token.DEFINE {
				return false, p
			}
			id, ok := around.Lhs[i].(*ast.Ident)
			if !ok {
				return false, p
			}
			ok = t.variable(fn, file, syntax.Declaration{Ident: id, Node: around, Scope: fn.Parent(around)}, inside)
			return ok, p
		case *ast.ReturnStmt:
			if returned == nil || inside || len(around.Results) == 0 || around.Results[0] != n {
				return false, p
			}
			*returned = true
			return true, p
		}
		return false, p
	}
}

func (t *tracer) note(at diagnose.SourceLine, inside bool) {
	t.bare = t.bare && !inside
	if !slices.Contains(t.encodes, at) {
		t.encodes = append(t.encodes, at)
	}
}

// variable follows a further variable: all it may do is go to an encoder.
func (t *tracer) variable(fn *syntax.Function, file string, d syntax.Declaration, inside bool) bool {
	if t.depth++; t.depth > 16 {
		return false
	}
	uses := fn.Uses(d)
	for _, id := range uses {
		if fn.LiteralAround(id) != nil {
			return false
		}
		if ok, _ := t.goesTo(fn, file, id, nil); !ok {
			return false
		}
	}
	t.bare = t.bare && !inside
	return len(uses) > 0
}

// handed follows a value into a function of the user's own.
func (t *tracer) handed(fn *syntax.Function, file string, call *ast.CallExpr, n ast.Node, inside bool) bool {
	decl, in := t.s.FunctionNamed(t.s.CalleeOf(file, call))
	if decl == nil || decl.Type.Params == nil {
		return false
	}
	at, i := slices.Index(call.Args, n.(ast.Expr)), 0
	for _, field := range decl.Type.Params.List {
		for _, id := range field.Names {
			if i == at {
				t.chain = true
				d := syntax.Declaration{Ident: id, Node: field, Type: field.Type, Param: true}
				to := syntax.New(decl)
				d.Scope = to.Node
				return t.variable(to, in, d, inside)
			}
			i++
		}
	}
	return false
}

// inCaller follows what a function returns into the variable that its caller
// takes it in.
func (t *tracer) inCaller(fn *syntax.Function, caller *callstack.Frame) (*syntax.Function, bool) {
	decl, ok := fn.Node.(*ast.FuncDecl)
	if caller == nil || !ok {
		return nil, false
	}
	st := t.s.Statement(caller.File, caller.Line)
	set, ok := st.Node.(*ast.AssignStmt)
	if !ok || set.Tok != token.DEFINE || len(set.Rhs) != 1 {
		return nil, false
	}
	call, ok := set.Rhs[0].(*ast.CallExpr)
	if !ok || symbolname.Parse(t.s.CalleeOf(caller.File, call)).Name != decl.Name.Name {
		return nil, false
	}
	id, ok := set.Lhs[0].(*ast.Ident)
	if !ok {
		return nil, false
	}
	t.chain = true
	in := syntax.New(st.Func)
	keys, ok := t.value(in, caller.File, syntax.Declaration{Ident: id, Node: set, Scope: in.Parent(set)}, nil, nil)
	return in, ok && len(keys) == 0
}

// isEncoding asks the typed calls: an encoder of the same package.
func (t *tracer) isEncoding(file string, call *ast.CallExpr) bool {
	callee := t.s.CalleeOf(file, call)
	return len(call.Args) > 0 && isEncoder(callee) && symbolname.Package(callee) == t.pkg
}

// fields follows a struct: those of its fields of type any that are encoded
// and not looked at, by themselves or with the whole struct. Of a package whose
// inside is not known a whole struct's encoding does not tell its fields apart.
func (t *tracer) fields(fn *syntax.Function, file string, d syntax.Declaration, decoded *ast.Ident, typ types.Type) (handedOn []string, ok bool) {
	st, ok := typ.Underlying().(*types.Struct)
	if !ok || d.Param || d.Scope == fn.Node {
		return nil, false
	}
	loose := make(map[string]bool) // of type any; false once it is looked at
	for f := range st.Fields() {
		if !f.Embedded() && isAny(f.Type()) {
			loose[f.Name()] = true
		}
	}
	all := len(loose)
	whole := false
	encoded := make(map[string]bool)
	for _, id := range fn.Uses(d) {
		if fn.LiteralAround(id) != nil {
			return nil, false
		}
		if id == decoded {
			continue
		}
		sel, ok := fn.Parent(id).(*ast.SelectorExpr)
		if !ok {
			if to, _ := t.goesTo(fn, file, id, nil); !to {
				return nil, false
			}
			whole = true
			continue
		}
		if call, ok := fn.Parent(sel).(*ast.CallExpr); ok && call.Fun == sel {
			return nil, false // a method may look at everything
		}
		if !loose[sel.Sel.Name] {
			continue
		}
		if to, _ := t.goesTo(fn, file, sel, nil); to {
			encoded[sel.Sel.Name] = true
		} else {
			loose[sel.Sel.Name] = false
		}
	}
	for f := range st.Fields() {
		if name := f.Name(); loose[name] && (whole || encoded[name]) {
			handedOn = append(handedOn, name)
		}
	}
	if whole && t.pkg != standard {
		return nil, false
	}
	// Of several encoded values the profile does not tell which is which.
	t.bare = t.bare && !whole
	return handedOn, len(handedOn) > 0 && len(handedOn) == all
}
