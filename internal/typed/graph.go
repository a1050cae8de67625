package typed

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/cfg"
)

// Graph is the control flow of a function's body. Control does not go on after panic,
// and after what is called Exit, Fatal or Panic.
func (p *Package) Graph(body *ast.BlockStmt) *cfg.CFG {
	return cfg.New(body, func(call *ast.CallExpr) bool {
		name := ""
		if obj := p.Object(call.Fun); obj != nil {
			name = obj.Name()
		}
		return name != "panic" && name != "Exit" && !strings.HasPrefix(name, "Fatal") && !strings.HasPrefix(name, "Panic")
	})
}
