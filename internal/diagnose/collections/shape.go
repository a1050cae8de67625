package collections

import (
	"go/ast"
	"go/types"
)

// iterates are the functions of slices and maps that go through their argument,
// and answers those whose result shares no memory with it.
var (
	iterates = set("All", "Backward", "Values", "Keys")
	answers  = set("BinarySearch", "BinarySearchFunc", "Clone", "Compare", "Contains", "ContainsFunc", "Equal", "EqualFunc", "Index", "IndexFunc",
		"IsSorted", "IsSortedFunc", "Max", "Min", "Search", "SearchInts", "SearchStrings", "SliceIsSorted")
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// standard returns the name of a function of package slices, sort or maps that
// is called, "" for any other.
func (p *Package) standard(call *ast.CallExpr) string {
	if fn := p.Package.Function(call); fn != nil && fn.Pkg() != nil {
		switch fn.Pkg().Path() {
		case "slices", "sort", "maps":
			return fn.Name()
		}
	}
	return ""
}

// same compares expressions as they are written.
func same(a, b ast.Expr) bool {
	return types.ExprString(ast.Unparen(a)) == types.ExprString(ast.Unparen(b))
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return e == nil || ok && id.Name == "_"
}

func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func isMap(t types.Type) bool {
	_, ok := underlying(t).(*types.Map)
	return ok
}

// IsCollection reports whether a type is a map or a slice.
func IsCollection(t types.Type) bool {
	switch underlying(t).(type) {
	case *types.Map, *types.Slice:
		return true
	}
	return false
}

// ElementOf returns what a map or slice holds.
func ElementOf(t types.Type) types.Type {
	switch t := underlying(t).(type) {
	case *types.Map:
		return t.Elem()
	case *types.Slice:
		return t.Elem()
	}
	return nil
}

// IsSet reports whether a map only says what is in it.
func IsSet(m *types.Map) bool {
	switch e := m.Elem().Underlying().(type) {
	case *types.Basic:
		return e.Info()&types.IsBoolean != 0
	case *types.Struct:
		return e.NumFields() == 0
	}
	return false
}
