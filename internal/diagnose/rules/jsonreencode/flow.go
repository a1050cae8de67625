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
	diagnose.Statement        // that decodes
	in                 string // the function that hands the value on
	pkg                string // of decoder and encoder
	name               string // what is handed on, as the source writes it
	part               string // what to declare otherwise
	whole              bool   // all that is decoded is handed on
	typed              bool   // it is a field of a struct, which may have others of concrete types
	bare               bool   // and encoded by itself
	chain              bool   // in another function than it is decoded in
	encodes            []diagnose.SourceLine
	variables          int // that were followed
}

// tracer follows one value into its flow, in one package.
type tracer struct {
	*typed.Package
	*flow
	s *diagnose.Subject
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
	call := calls[0]
	address, ok := call.Args[len(call.Args)-1].(*ast.UnaryExpr)
	if !ok || address.Op != token.AND {
		return nil, false
	}
	v := call.In.Var(address.X)
	if v == nil || typed.Global(v) {
		return nil, false
	}
	t := tracer{call.In, &flow{Statement: st, in: frame.Function, pkg: symbolname.Package(decoder), name: v.Name(), part: v.Name(), bare: true}, s}
	parts, ok := t.parts(v, address.X)
	switch {
	case !ok:
	case isAny(v.Type()):
		var returned bool
		if returned, ok = t.handsOn(parts); returned {
			ok = ok && t.inCaller(call.Function(), caller)
		}
	default:
		ok = t.fields(v, parts)
	}
	return t.flow, ok && len(t.encodes) > 0
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

// part is a variable, or a part of it that is of type any, with where it goes.
type part struct {
	name string // of a field, or a key as Go quotes it; "" for the whole
	to   [toCaller + 1]bool
}

// goal is where a value goes.
type goal int

const (
	elsewhere goal = iota
	toEncoder      // and nowhere else: by itself, in a literal, through variables or functions of the user's own
	toCaller       // by being returned
)

// parts returns the parts that are used of a variable beside where it is decoded into. ok is
// false where it is the caller's own, or one of them is set.
func (t tracer) parts(v *types.Var, decoded ast.Expr) (parts []*part, ok bool) {
	uses, ok := t.uses(v)
	if parameter, result := t.Named(v); !ok || parameter || result {
		return nil, false
	}
	for _, id := range uses {
		e, name := t.partOf(id)
		if id == decoded || !isAny(t.TypeOf(e)) && e != id {
			continue
		}
		i := slices.IndexFunc(parts, func(p *part) bool { return p.name == name })
		if i < 0 {
			i = len(parts)
			parts = append(parts, &part{name: name})
		}
		to := t.goesTo(e)
		if to == elsewhere && t.Written(e) {
			return nil, false
		}
		parts[i].to[to] = true
	}
	return parts, true
}

// uses returns the uses of a variable; ok is false where it has none or a literal has
// some, or too many variables were followed.
func (t tracer) uses(v *types.Var) (uses []*ast.Ident, ok bool) {
	t.variables++
	uses, def := t.Uses(v), t.Definition(v)
	return uses, def != nil && len(uses) > 0 && t.variables <= 16 && !slices.ContainsFunc(uses, func(id *ast.Ident) bool { return t.Literal(id) != t.Literal(def) })
}

// partOf returns v, v["key"] or v.field, with its name.
func (t tracer) partOf(id *ast.Ident) (ast.Expr, string) {
	switch around := t.Parent(id).(type) {
	case *ast.IndexExpr:
		if key := t.Info.Types[around.Index].Value; around.X == id && key != nil && key.Kind() == constant.String {
			return around, key.ExactString()
		}
	case *ast.SelectorExpr:
		if field, ok := t.Object(around).(*types.Var); ok {
			return around, field.Name()
		}
	}
	return id, ""
}

// handsOn reads the parts of a value of type any, which is encoded whole, or some of
// its keys are. returned: it is by a caller.
func (t tracer) handsOn(parts []*part) (returned, ok bool) {
	var keys []string
	for _, p := range parts {
		switch read := p.to[elsewhere] || p.name != "" && p.to[toCaller]; {
		case p.name == "" || p.to[toEncoder] && read:
			t.whole = true
			return p.to[toCaller], !read && len(parts) == 1
		case p.to[toEncoder]:
			keys = append(keys, p.name)
		}
	}
	list := strings.Join(keys, ", ")
	t.name, t.part = t.name+"["+list+"]", "the values of "+t.name+" ("+rawMap(t.pkg)+", or a struct with a field for "+list+")"
	return false, len(keys) > 0
}

// fields reads the parts of a struct: those of its fields of type any that are encoded
// and not looked at, by themselves or with the whole struct. Of a package whose
// inside is not known a whole struct's encoding does not tell its fields apart.
func (t tracer) fields(v *types.Var, parts []*part) bool {
	of, isStruct := typed.Under[*types.Struct](v.Type())
	if !isStruct || slices.ContainsFunc(parts, func(p *part) bool { return p.to[elsewhere] || p.to[toCaller] }) {
		return false
	}
	encoded := func(name string) bool {
		return slices.ContainsFunc(parts, func(p *part) bool { return p.name == name })
	}
	whole := encoded("")
	var names []string
	for field := range of.Fields() {
		if isAny(field.Type()) && !field.Embedded() {
			if !whole && !encoded(field.Name()) {
				return false
			}
			names = append(names, field.Name())
		}
	}
	// Of several encoded values the profile does not tell which is which.
	t.typed, t.bare = true, t.bare && !whole
	t.name, t.part = t.name+"."+strings.Join(names, ", "+t.name+"."), "the field "+strings.Join(names, ", ")
	return len(names) > 0 && (!whole || t.pkg == standard)
}

// goesTo finds where an expression goes.
func (t tracer) goesTo(e ast.Expr) goal {
	inside := false
	encoded := func(ok bool) goal {
		if !ok {
			return elsewhere
		}
		t.bare = t.bare && !inside
		return toEncoder
	}
	for n := ast.Node(e); ; n = t.Parent(n) {
		switch around := t.Parent(n).(type) {
		case *ast.ParenExpr:
		case *ast.UnaryExpr:
			if around.Op != token.AND {
				return elsewhere
			}
		case *ast.KeyValueExpr:
			if around.Value != n {
				return elsewhere
			}
		case *ast.CompositeLit:
			inside = true
		case *ast.CallExpr:
			at := slices.Index(around.Args, n.(ast.Expr))
			return encoded(at == 0 && t.isEncoding(around) || at >= 0 && t.handed(around, at))
		case *ast.AssignStmt, *ast.ValueSpec:
			for v, value := range t.Declared(around) {
				if value == n {
					return encoded(t.variable(v))
				}
			}
			return elsewhere
		case *ast.ReturnStmt:
			if !inside && around.Results[0] == n {
				return toCaller
			}
			return elsewhere
		default:
			return elsewhere
		}
	}
}

// isEncoding notes the call of an encoder of the same package.
func (t tracer) isEncoding(call *ast.CallExpr) bool {
	callee := t.Called(call)
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
func (t tracer) variable(v *types.Var) bool {
	uses, ok := t.uses(v)
	return ok && !slices.ContainsFunc(uses, func(id *ast.Ident) bool { return t.goesTo(id) != toEncoder })
}

// handed follows a value into a function of the user's own.
func (t tracer) handed(call *ast.CallExpr, at int) bool {
	fn := t.Reached(call)
	if fn == nil || at >= fn.Object.Signature().Params().Len() {
		return false
	}
	t.chain = true
	return tracer{fn.Package, t.flow, t.s}.variable(fn.Object.Signature().Params().At(at))
}

// inCaller follows what a function returns into the variable that its caller
// takes it in.
func (t tracer) inCaller(function string, caller *callstack.Frame) bool {
	if caller == nil {
		return false
	}
	t.chain, t.in = true, caller.Function
	if t.Package = t.s.PackageOf(caller.File); t.Package == nil {
		return false
	}
	st := t.s.Statement(caller.File, caller.Line)
	for v, value := range t.Declared(st.Node) {
		if call, ok := value.(*ast.CallExpr); ok && t.Called(call) == function {
			return t.variable(v)
		}
	}
	return false
}
