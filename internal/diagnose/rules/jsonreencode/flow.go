package jsonreencode

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// flow is what the source says of a decoded value.
type flow struct {
	diagnose.Statement                    // that decodes
	in                 string             // the function that hands the value on
	home               diagnose.Statement // in the function that hands the value on
	pkg                string             // of decoder and encoder
	name               string             // what is handed on, as the source writes it
	part               string             // what to declare otherwise
	whole              bool               // all that is decoded is handed on
	typed              bool               // it is a field of a struct, which may have others of concrete types
	bare               bool               // and encoded by itself
	chain              bool               // in another function than it is decoded in
	encodes            []diagnose.SourceLine
}

// tracer follows one value into its flow.
type tracer struct {
	*flow
	s     *diagnose.Subject
	depth int
}

// follow reads what a statement decodes into, and where that goes. caller is
// the frame that the decoding function was called by, nil for none of the
// user's own.
func follow(s *diagnose.Subject, frame, caller *callstack.Frame, decoder string) (*flow, bool) {
	st := s.Statement(frame.File, frame.Line)
	calls := slices.DeleteFunc(s.Sites(st), func(c typed.Site) bool {
		return !hasStem(symbolname.Parse(c.Callee()).Name, "Unmarshal", "Decode") || len(c.Args) == 0 || len(c.Args) > 3
	})
	if len(calls) != 1 || !st.Known {
		return nil, false
	}
	// The variable whose address it decodes into.
	address, ok := calls[0].Args[len(calls[0].Args)-1].(*ast.UnaryExpr)
	if !ok || address.Op != token.AND {
		return nil, false
	}
	pkg := calls[0].In
	v := pkg.Var(address.X)
	if v == nil || typed.Global(v) {
		return nil, false
	}
	t := &tracer{s: s, flow: &flow{Statement: st, home: st, in: frame.Function, pkg: symbolname.Package(decoder), name: v.Name(), bare: true}}
	if isAny(v.Type()) {
		t.whole, t.part = true, v.Name()
		keys, returned, ok := t.value(pkg, v, address.X)
		if !ok || returned && !t.inCaller(calls[0].Function(), caller) {
			return nil, false
		}
		if len(keys) > 0 {
			t.whole, t.name = false, v.Name()+"["+strings.Join(keys, ", ")+"]"
			t.part = "the values of " + v.Name() + " (" + rawMap(t.pkg) + ", or a struct with a field for " + strings.Join(keys, ", ") + ")"
		}
	} else {
		t.typed = true
		fields, ok := t.fields(pkg, v, address.X)
		if !ok {
			return nil, false
		}
		t.name, t.part = v.Name()+"."+strings.Join(fields, ", "+v.Name()+"."), "the field "+strings.Join(fields, ", ")
	}
	return t.flow, len(t.encodes) > 0
}

// isAny knows any, and maps and slices of it.
func isAny(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
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
func (t *tracer) value(pkg *typed.Package, v *types.Var, decoded ast.Expr) (keys []string, returned, ok bool) {
	uses, ok := t.uses(pkg, v)
	if parameter, result := pkg.Named(v); !ok || parameter || result {
		return nil, false, false // the caller's own
	}
	whole := false
	read := make(map[string]bool)
	for _, id := range uses {
		if id == decoded {
			continue
		}
		part, key := partOf(pkg, id)
		switch goes, parent := t.goesTo(pkg, part); {
		case goes == elsewhere && (key == "" || isSet(parent, part)):
			return nil, false, false
		case goes == elsewhere:
			read[key] = true
		case key == "":
			whole, returned = true, returned || goes == toCaller
		case !slices.Contains(keys, key):
			keys = append(keys, key)
		}
	}
	if whole && (len(keys) > 0 || len(read) > 0) || slices.ContainsFunc(keys, func(k string) bool { return read[k] }) {
		return nil, false, false
	}
	return keys, returned, whole || len(keys) > 0
}

// uses are those of a variable; ok is false where it has none or a literal has
// some, or too many variables were followed.
func (t *tracer) uses(pkg *typed.Package, v *types.Var) (uses []*ast.Ident, ok bool) {
	t.depth++
	uses, def := pkg.Uses(v), pkg.Definition(v)
	return uses, def != nil && len(uses) > 0 && t.depth <= 16 && !slices.ContainsFunc(uses, func(id *ast.Ident) bool { return pkg.Literal(id) != pkg.Literal(def) })
}

// partOf returns v, or v["key"] with its key.
func partOf(pkg *typed.Package, id *ast.Ident) (ast.Expr, string) {
	if ix, ok := pkg.Parent(id).(*ast.IndexExpr); ok && ix.X == id {
		if key := pkg.Info.Types[ix.Index].Value; key != nil && key.Kind() == constant.String {
			return ix, key.ExactString()
		}
	}
	return id, ""
}

// isSet reports whether a part is assigned to.
func isSet(parent ast.Node, part ast.Expr) bool {
	st, ok := parent.(*ast.AssignStmt)
	return ok && slices.Contains(st.Lhs, part)
}

// goal is where a value goes.
type goal int

const (
	elsewhere goal = iota
	toEncoder      // and nowhere else: by itself, in a literal, through variables or functions of the user's own
	toCaller       // by being returned
)

// goesTo finds where an expression goes. parent is what is around it.
func (t *tracer) goesTo(pkg *typed.Package, e ast.Expr) (to goal, parent ast.Node) {
	inside := false
	encodes := func(ok bool) (goal, ast.Node) {
		if ok {
			t.bare = t.bare && !inside
			return toEncoder, parent
		}
		return elsewhere, parent
	}
	for n := ast.Node(e); ; n = parent {
		parent = pkg.Parent(n)
		switch around := parent.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.UnaryExpr:
			if around.Op == token.AND {
				continue
			}
		case *ast.KeyValueExpr:
			if around.Value == n {
				continue
			}
		case *ast.CompositeLit:
			inside = true
			continue
		case *ast.CallExpr:
			if at := slices.Index(around.Args, n.(ast.Expr)); at >= 0 {
				return encodes(at == 0 && t.isEncoding(pkg, around) || t.handed(pkg.Called(around), at))
			}
		case *ast.AssignStmt:
			if i := slices.Index(around.Rhs, n.(ast.Expr)); i >= 0 && len(around.Lhs) == len(around.Rhs) && around.Tok == token.DEFINE {
				return encodes(t.variable(pkg, pkg.Var(around.Lhs[i])))
			}
		case *ast.ReturnStmt:
			if !inside && around.Results[0] == n {
				return toCaller, parent
			}
		}
		return elsewhere, parent
	}
}

// isEncoding notes the call of an encoder of the same package.
func (t *tracer) isEncoding(pkg *typed.Package, call *ast.CallExpr) bool {
	callee := pkg.Called(call)
	if !isEncoder(callee) || symbolname.Package(callee) != t.pkg {
		return false
	}
	st := t.s.Statement(t.s.Program.Line(call.Pos()))
	if !slices.Contains(t.encodes, st.At()) {
		t.encodes = append(t.encodes, st.At())
	}
	return true
}

// variable follows a further variable: all it may do is go to an encoder.
func (t *tracer) variable(pkg *typed.Package, v *types.Var) bool {
	uses, ok := t.uses(pkg, v)
	return ok && !slices.ContainsFunc(uses, func(id *ast.Ident) bool {
		to, _ := t.goesTo(pkg, id)
		return to != toEncoder
	})
}

// handed follows a value into a function of the user's own.
func (t *tracer) handed(callee string, at int) bool {
	fn := t.s.FunctionOf(callee)
	if fn == nil || fn.Object == nil || at >= fn.Object.Signature().Params().Len() {
		return false
	}
	t.chain = true
	return t.variable(fn.Package, fn.Object.Signature().Params().At(at))
}

// inCaller follows what a function returns into the variable that its caller
// takes it in.
func (t *tracer) inCaller(function string, caller *callstack.Frame) bool {
	if caller == nil {
		return false
	}
	st := t.s.Statement(caller.File, caller.Line)
	set, ok := st.Node.(*ast.AssignStmt)
	if !ok || set.Tok != token.DEFINE || len(set.Rhs) != 1 {
		return false
	}
	call, ok := set.Rhs[0].(*ast.CallExpr)
	pkg := t.s.PackageOf(caller.File)
	if !ok || pkg == nil || pkg.Called(call) != function {
		return false
	}
	t.chain, t.home, t.in = true, st, caller.Function
	keys, returned, ok := t.value(pkg, pkg.Var(set.Lhs[0]), nil)
	return ok && !returned && len(keys) == 0
}

// fields follows a struct: those of its fields of type any that are encoded
// and not looked at, by themselves or with the whole struct. Of a package whose
// inside is not known a whole struct's encoding does not tell its fields apart.
func (t *tracer) fields(pkg *typed.Package, v *types.Var, decoded ast.Expr) (handedOn []string, ok bool) {
	typ, isStruct := v.Type().Underlying().(*types.Struct)
	uses, ok := t.uses(pkg, v)
	if parameter, result := pkg.Named(v); !isStruct || !ok || parameter || result {
		return nil, false
	}
	whole := false
	encoded, looked := make(map[types.Object]bool), make(map[types.Object]bool)
	for _, id := range uses {
		if id == decoded {
			continue
		}
		sel, ok := pkg.Parent(id).(*ast.SelectorExpr)
		if !ok {
			if to, _ := t.goesTo(pkg, id); to != toEncoder {
				return nil, false
			}
			whole = true
			continue
		}
		field, ok := pkg.Object(sel).(*types.Var)
		if !ok {
			return nil, false // a method may look at everything
		}
		if isAny(field.Type()) {
			to, _ := t.goesTo(pkg, sel)
			encoded[field] = encoded[field] || to == toEncoder
			looked[field] = looked[field] || to != toEncoder
		}
	}
	for field := range typ.Fields() {
		if !isAny(field.Type()) || field.Embedded() {
			continue
		}
		if looked[field] || !whole && !encoded[field] {
			return nil, false
		}
		handedOn = append(handedOn, field.Name())
	}
	// Of several encoded values the profile does not tell which is which.
	t.bare = t.bare && !whole
	return handedOn, len(handedOn) > 0 && (!whole || t.pkg == standard)
}
