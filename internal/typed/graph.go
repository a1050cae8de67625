package typed

import (
	"go/ast"

	"golang.org/x/tools/go/cfg"
)

// ends are functions that do not return.
var ends = set("Exit Goexit Fatal Fatalf Fatalln FailNow SkipNow Panic Panicf Panicln")

// Graph returns the control flow of a function's body. Control does not go on after panic,
// and after functions and methods that are called as those of packages os, runtime,
// log and testing which do not return.
func (p *Package) Graph(body *ast.BlockStmt) *cfg.CFG {
	return cfg.New(body, func(call *ast.CallExpr) bool {
		fn := p.Function(call)
		return p.Builtin(call) != "panic" && (fn == nil || !ends()[fn.Name()])
	})
}
