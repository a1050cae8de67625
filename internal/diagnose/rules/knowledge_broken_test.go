package rules_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/diagnose/knowledge"
)

// Rows are asked about calls that do not compile too: with arguments missing, with
// too many, or with some of another kind. They may be silent, and must not fail.
func TestKnowledgeBroken(t *testing.T) {
	reg := registry(t)
	lists := []string{"", "missing", `"a", 1, 'b', nil, f, []missing{}`, "map[any]any{3: 1}"}
	if testing.Short() {
		lists = lists[:1]
	}
	for _, row := range knowledge.Table() {
		example := row.Example
		example.Result = ""
		var body strings.Builder
		for _, with := range lists {
			for _, broken := range brokenCalls(t, example.Before, with) {
				fmt.Fprintf(&body, "{\n%s\n}\n", broken)
			}
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s: %v", row.ID, r)
				}
			}()
			src, err := example.Source("app", "f", body.String())
			if err != nil {
				t.Fatal(err)
			}
			if typedProgram(t, src).Package("m/app").Errors == 0 {
				t.Errorf("%s: nothing is broken", row.ID)
			}
			var cpu, allocs []stack
			for line := range strings.Count(src, "\n") {
				for _, callee := range row.Callees {
					if conversion := conversions[callee]; conversion != "" {
						callee = conversion
					}
					frames := fmt.Sprintf("m/app.f:%d %s", line+1, strings.ReplaceAll(callee, " ", ""))
					cpu = append(cpu, stack{frames: frames + " runtime.mallocgc", n: 1000})
					allocs = append(allocs, stack{frames: frames, n: 1000, size: 64})
				}
			}
			run(t, reg, []*diagnose.Subject{app(t, src, known, cpu, allocs)})
		}()
	}
}

// brokenCalls returns the statements of a function with another list of arguments in
// one call each.
func brokenCalls(t *testing.T, body, with string) (list []string) {
	t.Helper()
	calls := func(file *ast.File) (calls []*ast.CallExpr) {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				calls = append(calls, call)
			}
			return true
		})
		return calls
	}
	for one := 0; ; one++ {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", "package p\nfunc f() {\n"+body+"\n}\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		all := calls(file)
		if one >= len(all) {
			return list
		}
		all[one].Args, all[one].Ellipsis = nil, token.NoPos
		if with != "" {
			all[one].Args = []ast.Expr{ast.NewIdent(with)}
		}
		var b bytes.Buffer
		for _, st := range file.Decls[0].(*ast.FuncDecl).Body.List {
			if err := format.Node(&b, fset, st); err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
		}
		list = append(list, b.String())
	}
}
