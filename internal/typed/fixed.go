package typed

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// variables knows of each variable and field of a package every place that
// sets it: one that is set once, by an expression whose parts are fixed, is
// fixed itself. A variable whose address is taken may be set anywhere.
type variables struct {
	of   *Package
	info *types.Info
	sets map[*types.Var][]setting
	uses map[types.Object][]*ast.Ident // of variables and functions
	// literals of functions: what one sets of its surroundings it may set at
	// any time.
	literals []*ast.FuncLit
}

// setting is a place that sets a variable.
type setting struct {
	pos   token.Pos
	value ast.Expr // nil: not known; of a way not known, a call of whose results it is one
	way   way
	param int  // parameter of a declared function, from 1
	taken bool // the variable's address is: it may be set at any time
}

type way uint8

const (
	unknown way = iota
	whole       // the value, or the first result of the call
	element     // each element of the value in turn
	parameter
	embedded // by //go:embed
)

// variables reads the package's, once.
func (p *Package) variables() *variables {
	if p.vars != nil {
		return p.vars
	}
	v := &variables{of: p, info: p.Info, sets: map[*types.Var][]setting{}, uses: map[types.Object][]*ast.Ident{}}
	for _, f := range p.Files {
		ast.Inspect(f, v.visit)
	}
	p.vars = v
	return v
}

func (v *variables) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident:
		switch obj := origin(v.info.Uses[n]).(type) {
		case *types.Var, *types.Func:
			v.uses[obj] = append(v.uses[obj], n)
		}
	case *ast.GenDecl:
		for _, spec := range n.Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok && n.Tok == token.VAR {
				v.declare(vs, embeds(n.Doc) || embeds(vs.Doc))
			}
		}
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			switch {
			case n.Tok != token.DEFINE && n.Tok != token.ASSIGN:
				v.set(l, setting{pos: n.Pos()})
			case len(n.Lhs) == len(n.Rhs):
				v.set(l, setting{pos: n.Pos(), value: n.Rhs[i], way: whole})
			case i == 0:
				v.set(l, setting{pos: n.Pos(), value: n.Rhs[0], way: whole})
			default:
				v.set(l, setting{pos: n.Pos(), value: n.Rhs[0]})
			}
		}
	case *ast.IncDecStmt:
		v.set(n.X, setting{pos: n.Pos()})
	case *ast.RangeStmt:
		if n.Key != nil {
			v.set(n.Key, setting{pos: n.Pos()})
		}
		if n.Value != nil {
			v.set(n.Value, setting{pos: n.Pos(), value: n.X, way: element})
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			v.set(n.X, setting{pos: n.Pos(), taken: true})
		}
	case *ast.FuncDecl:
		v.parameters(n.Recv, false)
		v.parameters(n.Type.Params, true)
		v.parameters(n.Type.Results, false)
	case *ast.FuncLit:
		v.literals = append(v.literals, n)
		v.parameters(n.Type.Params, false)
		v.parameters(n.Type.Results, false)
	case *ast.CompositeLit:
		v.fields(n)
	}
	return true
}

// origin returns the object as it is declared, of one of a generic type's instance.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Var:
		if obj != nil {
			return obj.Origin()
		}
	case *types.Func:
		if obj != nil {
			return obj.Origin()
		}
	}
	return obj
}

func embeds(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

func (v *variables) declare(vs *ast.ValueSpec, embed bool) {
	for i, name := range vs.Names {
		s := setting{pos: vs.Pos()}
		switch {
		case embed:
			s.way = embedded
		case len(vs.Values) == len(vs.Names):
			s.value, s.way = vs.Values[i], whole
		case len(vs.Values) == 1 && i == 0:
			s.value, s.way = vs.Values[0], whole
		case len(vs.Values) == 0 && pointer(v.info.Defs[name]):
			continue // nil until it is set
		}
		v.set(name, s)
	}
}

func pointer(obj types.Object) bool {
	if obj == nil {
		return false
	}
	_, ok := obj.Type().Underlying().(*types.Pointer)
	return ok
}

// parameters of a declared function come from its caller; of a literal nobody
// knows from where.
func (v *variables) parameters(list *ast.FieldList, declared bool) {
	if list == nil {
		return
	}
	n := 0
	for _, f := range list.List {
		n += max(0, 1-len(f.Names))
		for _, name := range f.Names {
			n++
			s := setting{pos: name.Pos()}
			if _, variadic := f.Type.(*ast.Ellipsis); declared && !variadic {
				s.way, s.param = parameter, n
			}
			v.set(name, s)
		}
	}
}

func (v *variables) fields(lit *ast.CompositeLit) {
	t := v.info.TypeOf(lit)
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok { // &T left out in a list
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			v.set(kv.Key, setting{pos: e.Pos(), value: kv.Value, way: whole})
		} else if i < st.NumFields() {
			v.add(st.Field(i), setting{pos: e.Pos(), value: e, way: whole})
		}
	}
}

// set notes that what e stands for is set. What is set inside a variable (an
// element, a field) leaves the variable itself with a content not known.
func (v *variables) set(e ast.Expr, s setting) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if obj, ok := v.info.ObjectOf(e).(*types.Var); ok {
			v.add(obj, s)
		}
	case *ast.SelectorExpr:
		if sel, ok := v.info.Selections[e]; ok {
			if obj, ok := sel.Obj().(*types.Var); ok {
				v.add(obj, s)
			}
			v.set(e.X, setting{pos: s.pos})
		} else if obj, ok := v.info.Uses[e.Sel].(*types.Var); ok {
			v.add(obj, s)
		}
	case *ast.IndexExpr:
		v.set(e.X, setting{pos: s.pos})
	case *ast.SliceExpr:
		v.set(e.X, setting{pos: s.pos})
	case *ast.StarExpr:
		v.set(e.X, setting{pos: s.pos})
	}
}

func (v *variables) add(obj *types.Var, s setting) {
	obj = obj.Origin()
	v.sets[obj] = append(v.sets[obj], s)
}

// once returns the only place that sets a variable.
func (v *variables) once(obj *types.Var) (setting, bool) {
	sets := v.sets[obj.Origin()]
	if len(sets) != 1 {
		return setting{}, false
	}
	return sets[0], true
}

// maxSteps bounds how far a value is followed through variables.
const maxSteps = 8

// arguments says of each argument of a call whether it is fixed; nil where
// none is.
func (v *variables) arguments(c *ast.CallExpr, at enclosure) []FixedArgument {
	if v.of.MethodExpression(c) {
		return nil // its first argument is the receiver
	}
	out := make([]FixedArgument, 0, len(c.Args))
	some := false
	for _, arg := range c.Args {
		if tuple, ok := v.info.TypeOf(arg).(*types.Tuple); ok {
			out = append(out, make([]FixedArgument, tuple.Len())...)
			continue
		}
		f := v.fixed(arg, at, maxSteps)
		some = some || f != FixedArgument{}
		out = append(out, f)
	}
	if !some {
		return nil
	}
	return out
}

// fixed says why an expression has the same value in each call.
func (v *variables) fixed(e ast.Expr, at enclosure, steps int) FixedArgument {
	if steps == 0 {
		return FixedArgument{}
	}
	e = ast.Unparen(e)
	if tv := v.info.Types[e]; tv.Value != nil {
		return FixedArgument{By: FixedConst, Value: text(tv.Value)}
	} else if tv.IsNil() {
		return FixedArgument{By: FixedConst}
	}
	switch e := e.(type) {
	case *ast.Ident:
		switch obj := v.info.Uses[e].(type) {
		case *types.Var:
			return v.variable(obj, at, steps)
		case *types.Func:
			return FixedArgument{By: FixedConst}
		}
	case *ast.SelectorExpr:
		if _, ok := v.info.Selections[e]; !ok {
			if _, ok := v.info.Uses[e.Sel].(*types.Func); ok {
				return FixedArgument{By: FixedConst}
			}
		}
	case *ast.UnaryExpr:
		if e.Op != token.AND && e.Op != token.ARROW {
			return join(v.fixed(e.X, at, steps-1))
		}
	case *ast.BinaryExpr:
		return join(v.fixed(e.X, at, steps-1), v.fixed(e.Y, at, steps-1))
	case *ast.CallExpr:
		if v.info.Types[ast.Unparen(e.Fun)].IsType() && len(e.Args) == 1 {
			f := v.fixed(e.Args[0], at, steps-1)
			f.Param = 0
			if !textual(v.info.TypeOf(e)) || !textual(v.info.TypeOf(e.Args[0])) {
				f.Value = nil
			}
			return f
		}
	case *ast.CompositeLit:
		t := v.info.TypeOf(e)
		if t == nil {
			return FixedArgument{} // in what does not type-check
		}
		_, isStruct := t.Underlying().(*types.Struct)
		parts := make([]FixedArgument, 0, 1+len(e.Elts))
		parts = append(parts, FixedArgument{By: FixedConst})
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if !isStruct {
					parts = append(parts, v.fixed(kv.Key, at, steps-1))
				}
				elt = kv.Value
			}
			parts = append(parts, v.fixed(elt, at, steps-1))
		}
		return join(parts...)
	}
	return FixedArgument{}
}

func (v *variables) variable(obj *types.Var, at enclosure, steps int) FixedArgument {
	if obj.IsField() {
		return FixedArgument{}
	}
	s, ok := v.once(obj)
	if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
		if !ok || s.way != embedded && s.way != whole {
			return FixedArgument{}
		}
		f := FixedArgument{By: FixedVar}
		if s.way == whole && textual(obj.Type()) {
			f.Value = v.fixed(s.value, enclosure{}, steps-1).Value
		}
		return f
	}
	switch {
	case !ok:
		return v.throughLoop(obj, at)
	case s.way == parameter:
		f := v.throughLoop(obj, at)
		if !at.literal {
			f.Param = s.param
		}
		return f
	case s.way == element:
		if n := v.constants(s.value, steps-1); n > 0 {
			return FixedArgument{By: FixedElement, Of: n}
		}
	case s.way == whole:
		// What is fixed for the place that sets the variable is so for its use;
		// of loops only the one around the use counts.
		if _, tuple := v.info.TypeOf(s.value).(*types.Tuple); tuple {
			break
		}
		if f := v.fixed(s.value, enclosure{literal: at.literal}, steps-1); f.Always() || f.By == FixedElement {
			return f
		}
	}
	return v.throughLoop(obj, at)
}

// throughLoop: a variable that the innermost loop around a call neither
// declares nor sets has one value in all its passes. Only numbers, strings and
// booleans: the content of anything else could change.
func (v *variables) throughLoop(obj *types.Var, at enclosure) FixedArgument {
	if _, ok := obj.Type().Underlying().(*types.Basic); !ok || at.loop == nil || within(at.loop, obj.Pos()) {
		return FixedArgument{} // what a type switch declares is set nowhere else
	}
	for _, s := range v.sets[obj.Origin()] {
		if s.taken || within(at.loop, s.pos) || slices.ContainsFunc(v.literals, func(l *ast.FuncLit) bool {
			return within(l, s.pos) && !within(l, obj.Pos())
		}) {
			return FixedArgument{}
		}
	}
	return FixedArgument{By: FixedLoop}
}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// constants returns the number of elements of a list of constants, or of a
// package variable that holds one; 0: it is none.
func (v *variables) constants(e ast.Expr, steps int) int {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		obj, ok := v.info.Uses[id].(*types.Var)
		if !ok {
			return 0
		}
		s, ok := v.once(obj)
		if !ok || s.way != whole {
			return 0
		}
		e = ast.Unparen(s.value)
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok || !v.fixed(lit, enclosure{}, steps).Always() {
		return 0
	}
	return len(lit.Elts)
}

// join returns what holds for something built of parts.
func join(parts ...FixedArgument) FixedArgument {
	f := FixedArgument{By: FixedConst, Of: 1}
	for _, p := range parts {
		f.By = min(f.By, p.By)
		f.Of *= max(p.Of, 1)
	}
	if f.By != FixedElement {
		f.Of = 0
	}
	return f
}

func text(v constant.Value) *string {
	if v.Kind() != constant.String {
		return nil
	}
	s := constant.StringVal(v)
	if len(s) > maxFormat {
		return nil
	}
	return &s
}

// textual reports whether a type is a string or []byte: what converts between
// them keeps the text.
func textual(t types.Type) bool {
	if t == nil {
		return false
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Info()&types.IsString != 0
	}
	return typeName(t.Underlying()) == "[]byte"
}
