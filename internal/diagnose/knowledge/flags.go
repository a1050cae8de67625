package knowledge

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"whet/internal/finding"
	"whet/internal/typed"
)

// ofFlags are the rows of functions that do less if they are told what is not needed, or
// how much is to come.
func ofFlags() []Row {
	return []Row{
		{
			ID: "parser-objects", Cause: "unused-work", Callees: []string{"go/parser.ParseFile", "go/parser.ParseDir"}, When: all(withoutModes, noObjects),
			Cost:       "resolves each identifier to an ast.Object, which nothing here asks for",
			Instead:    "Give the mode parser.SkipObjectResolution, too. The Obj of identifiers, the Scope of a file and its Unresolved are not set then; types.Info has what they would say, and more. Leave it where the file is handed to another package that asks for them.",
			Confidence: finding.Medium,
			Example: Example{Params: "src string", Result: "int", Args: "`package a; func f(a, b int) int { c := a + b; for i := range c { c += i * a }; return c }; func g(x, y int) int { z := f(x, y); return z + f(z, x) }`", Imports: []string{"go/parser", "go/token"},
				Before: "f, err := parser.ParseFile(token.NewFileSet(), \"a.go\", src, parser.ParseComments)\nif err != nil {\n\treturn 0\n}\nreturn len(f.Decls)",
				After:  "f, err := parser.ParseFile(token.NewFileSet(), \"a.go\", src, parser.ParseComments|parser.SkipObjectResolution)\nif err != nil {\n\treturn 0\n}\nreturn len(f.Decls)"},
		},
		{
			ID: "reflect-append-loop", Cause: "general-function", Callees: []string{"reflect.Append"}, When: all(countedRounds, args(2, "it appends one value")),
			Cost:       "copies the slice's header to the heap for each element",
			Instead:    "Make the slice with its length, s := reflect.MakeSlice(t, n, n), and set its elements: s.Index(i).Set(x). Where the type of the list that it is filled from converts as it is (reflect.Type.ConvertibleTo), convert that as a whole.",
			Confidence: finding.Medium,
			Example: Example{Params: "list []any", Result: "int", Args: "[]any{1, 2, 3, 5, 8, 13, 21, 34}",
				Before: "t := reflect.TypeFor[[]int]()\ns := reflect.MakeSlice(t, 0, len(list))\nfor _, x := range list {\n\ts = reflect.Append(s, reflect.ValueOf(x))\n}\nreturn s.Len()",
				After:  "t := reflect.TypeFor[[]int]()\ns := reflect.MakeSlice(t, len(list), len(list))\nfor i, x := range list {\n\ts.Index(i).Set(reflect.ValueOf(x))\n}\nreturn s.Len()"},
		},
		{
			ID: "reflect-map-unsized", Cause: "general-function", Callees: []string{"reflect.Value.SetMapIndex"}, When: all(inLoop, unsizedMap),
			Cost:       "fills a map that was made without a size, and so grows step by step",
			Instead:    "reflect.MakeMapWithSize(t, n) with the number of rounds makes room for all. Check a number that is read from data first.",
			Confidence: finding.Medium,
			Example: Example{Params: "list []string", Result: "int", Args: "strings.Fields(strings.Repeat(\"a \", 8) + `b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff gg hh ii jj kk ll mm nn`)",
				Before: "m := reflect.MakeMap(reflect.TypeFor[map[string]int]())\nfor i, s := range list {\n\tm.SetMapIndex(reflect.ValueOf(s), reflect.ValueOf(i))\n}\nreturn m.Len()",
				After:  "m := reflect.MakeMapWithSize(reflect.TypeFor[map[string]int](), len(list))\nfor i, s := range list {\n\tm.SetMapIndex(reflect.ValueOf(s), reflect.ValueOf(i))\n}\nreturn m.Len()"},
		},
		{
			ID: "reflect-new-asked", Cause: "unused-work", Callees: []string{"reflect.New"}, When: newToAsk,
			Cost:       "makes a value on the heap to ask its type for an interface",
			Instead:    "Ask the type: reflect.PointerTo(t).Implements(reflect.TypeFor[I]()), with the interface's type in a package variable, and make a value only where it does.",
			Confidence: finding.Medium,
			Example: Example{Params: "t reflect.Type", Result: "int", Args: "reflect.TypeFor[wide]()", Decls: "type wide struct {\n\ta, b, c, d, e, f string\n\tn [8]int\n}\n\nvar stringer = reflect.TypeFor[fmt.Stringer]()",
				Before: "v := reflect.New(t).Interface()\nif s, ok := v.(fmt.Stringer); ok {\n\treturn len(s.String())\n}\nreturn 0",
				After:  "if reflect.PointerTo(t).Implements(stringer) {\n\treturn len(reflect.New(t).Interface().(fmt.Stringer).String())\n}\nreturn 0"},
		},
	}
}

// withoutModes holds where the last argument is a constant of modes that need no objects, and
// of a whole file: DeclarationErrors are found with them.
var withoutModes = Condition{"its mode is a constant without PackageClauseOnly, ImportsOnly, DeclarationErrors and SkipObjectResolution", func(c *Call) bool {
	v := c.value(len(c.Args) - 1)
	if v == nil {
		return false
	}
	mode, exact := constant.Int64Val(constant.ToInt(v))
	return exact && mode&(1|1<<1|1<<4|1<<6) == 0
}}

// noObjects holds where the package asks for no objects of the parser. That no other package
// does it cannot say.
var noObjects = Condition{"the package uses none of Obj, Scope, Unresolved, ast.NewPackage and go/doc", func(c *Call) bool {
	for _, obj := range c.In.Info.Uses {
		if obj.Pkg() == nil {
			continue
		}
		switch path := obj.Pkg().Path(); {
		case path == "go/doc":
			return false
		case path != "go/ast":
		case obj.Name() == "Obj" || obj.Name() == "Scope" || obj.Name() == "Unresolved" || obj.Name() == "NewPackage":
			return false
		}
	}
	return true
}}

// unsizedMap holds where reflect.MakeMap made the map that a loop of so many rounds as
// something has elements fills.
var unsizedMap = Condition{"reflect.MakeMap made the map, and the number of rounds is known before the loop", func(c *Call) bool {
	to, loop := c.receiver(), c.innermost()
	if to == nil || !c.counts(loop) {
		return false
	}
	found := false
	ast.Inspect(c.In.Declaration(c.Pos()), func(n ast.Node) bool {
		made, ok := n.(*ast.CallExpr)
		if !ok || c.In.Called(made) != "reflect.MakeMap" || within(loop, made.Pos()) {
			return !found
		}
		switch around := c.In.Parent(made).(type) {
		case *ast.AssignStmt:
			found = found || len(around.Lhs) == 1 && c.In.Var(around.Lhs[0]) != nil && c.In.Var(around.Lhs[0]) == c.In.Var(to)
		case *ast.CallExpr:
			set, ok := ast.Unparen(around.Fun).(*ast.SelectorExpr)
			found = found || ok && set.Sel.Name == "Set" && typed.Same(set.X, to)
		}
		return !found
	})
	return found
}}

// countedRounds holds where each round of such a loop makes the call, so that the number of calls is
// known before it.
var countedRounds = Condition{"in every round of a loop whose number of rounds is known", func(c *Call) bool {
	loop, always := c.around()
	if !always || !c.counts(loop) {
		return false
	}
	leaves := false
	ast.Inspect(loop, func(n ast.Node) bool {
		_, jumps := n.(*ast.BranchStmt)
		leaves = leaves || jumps
		return !leaves
	})
	return !leaves
}}

// counts reports whether a loop goes over the elements of something, or up to a number.
func (c *Call) counts(loop ast.Stmt) bool {
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		over := c.In.TypeOf(loop.X)
		if over == nil {
			return false
		}
		switch over.Underlying().(type) {
		case *types.Slice, *types.Array, *types.Map, *types.Basic, *types.Pointer:
			return true
		}
	case *ast.ForStmt:
		is, ok := loop.Cond.(*ast.BinaryExpr)
		return ok && (is.Op == token.LSS || is.Op == token.LEQ) && loop.Post != nil
	}
	return false
}

// newToAsk holds where the new value's Interface is only asked for other interfaces.
var newToAsk = Condition{"all that is done with it is to ask whether what it points to implements an interface", func(c *Call) bool {
	sel, ok := c.In.Parent(c.CallExpr).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Interface" {
		return false
	}
	call, ok := c.In.Parent(sel).(*ast.CallExpr)
	if !ok || call.Fun != sel {
		return false
	}
	uses := c.In.Results(call)
	for _, use := range uses {
		e, ok := c.In.Parent(use).(*ast.TypeAssertExpr)
		if !ok || e.Type == nil || c.In.TypeOf(e.Type) == nil || !types.IsInterface(c.In.TypeOf(e.Type)) || !c.asked(e) {
			return false
		}
	}
	return len(uses) > 0
}}

// asked reports whether a type assertion says whether it holds.
func (c *Call) asked(e *ast.TypeAssertExpr) bool {
	st, ok := c.In.Parent(e).(*ast.AssignStmt)
	return ok && len(st.Lhs) == 2
}
