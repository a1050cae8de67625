package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// What a figure is of has the name that the target's figures have, and is left
// out where it is not known.
func TestFiguresPerRequest(t *testing.T) {
	calls := known
	for _, test := range []struct {
		iterations int64
		says       string
	}{{100, "480 bytes in 10.0 blocks per request"}, {0, ""}} {
		s := app(t, bufferSource, calls, []stack{{frames: "m/app.work:99 runtime.mallocgc", n: 1000}}, []stack{{"m/app.f:4", 1000, 48}, {"m/app.work:99", 1000, 48}})
		s.Kind, s.BytesPerOp, s.AllocIterations = "service", -1, test.iterations
		got := said(t, "buffer-per-call", s)
		if len(got) != 1 {
			t.Fatalf("%+v", got)
		}
		if text := describe(got[0]); !strings.Contains(text, test.says) || strings.Contains(text, "per iteration") || test.says == "" && strings.Contains(text, " per ") {
			t.Errorf("%d requests: %s", test.iterations, text)
		}
	}
}

// A service has requests and a program has runs: no rule may write the word for
// a benchmark's.
func TestNoRuleSaysPerIteration(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("*", "*.go"))
	if err != nil || len(files) < len(directories) {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, "per iteration") {
				t.Errorf("%s: %s: use (*Subject).Iteration", fset.Position(lit.Pos()), lit.Value)
			}
			return true
		})
	}
}
