package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// uses maps names of the standard library to the power they take. A name
// "pkg" stands for the whole package, "pkg.Name" for one name of it.
var uses = map[string]Powers{
	"time.Now": Clock, "time.Since": Clock, "time.Until": Clock, "time.Sleep": Clock,
	"time.After": Clock, "time.AfterFunc": Clock, "time.Tick": Clock, "time.NewTimer": Clock, "time.NewTicker": Clock,
	"context.WithTimeout": Clock, "context.WithTimeoutCause": Clock,
	"context.WithDeadline": Clock, "context.WithDeadlineCause": Clock,

	"os/exec": Exec, "os.StartProcess": Exec,
	"golang.org/x/sys": Exec | Net | Files,

	"net": Net, "net/http": Net, "net/rpc": Net, "net/smtp": Net, "crypto/tls": Net, "log/syslog": Net, "expvar": Net,

	"os": Files, "os/signal": Files, "os/user": Files, "io/ioutil": Files, "plugin": Files,
	"path/filepath.Abs": Files, "path/filepath.EvalSymlinks": Files, "path/filepath.Glob": Files,
	"path/filepath.Walk": Files, "path/filepath.WalkDir": Files,
}

// subtrees are the entries of uses that also stand for the packages below
// them. net has harmless ones, such as net/url, and is not among them.
var subtrees = []string{"net/http", "net/rpc", "golang.org/x/sys"}

// CheckCalls returns the uses of clock, commands, network and files in one
// file that its package's row does not allow. Values count like calls: handing
// time.Now to someone is using it.
func (p Plan) CheckCalls(importPath string, fset *token.FileSet, file *ast.File) []Fault {
	row, _, ok := p.Place(importPath)
	if !ok {
		return nil
	}
	var faults []Fault
	fault := func(pos token.Pos, what string, power Powers) {
		if missing := power &^ row.Powers; missing != 0 {
			faults = append(faults, Fault{fset.Position(pos).String(), fmt.Sprintf(
				"%s: the %s has no %s here; take it as an argument, or give %s the power in internal/house/plan.go and say why",
				what, row.Floor, missing, row.Pattern)})
		}
	}
	names := make(map[string]string) // name in this file → import path
	for _, spec := range file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if power := packagePower(imp); power != 0 {
			fault(spec.Pos(), "imports "+imp, power)
			continue
		}
		name := path.Base(imp)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." && (imp == "time" || imp == "syscall" || imp == "context" || imp == "path/filepath") {
			faults = append(faults, Fault{fset.Position(spec.Pos()).String(),
				"imports " + imp + " with a dot: the house cannot see what it uses; import it by name"})
		}
		names[name] = imp
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		if imp, ok := names[id.Name]; ok {
			fault(sel.Pos(), imp+"."+sel.Sel.Name, namePower(imp, sel.Sel.Name))
		}
		return true
	})
	return faults
}

// namePower returns the power that one name of a package takes. Of syscall, the
// names of signals and errors only name things; all else acts.
func namePower(imp, name string) Powers {
	if imp != "syscall" {
		return uses[imp+"."+name]
	}
	if onlyNames.MatchString(name) {
		return 0
	}
	return Exec | Net | Files
}

var onlyNames = regexp.MustCompile(`^(SIG[A-Z0-9]+|E[A-Z0-9]+|Signal|Errno)$`)

func packagePower(imp string) Powers {
	if power, ok := uses[imp]; ok {
		return power
	}
	i := slices.IndexFunc(subtrees, func(base string) bool { return strings.HasPrefix(imp, base+"/") })
	if i < 0 {
		return 0
	}
	return uses[subtrees[i]]
}

// CheckSleep returns the places where a test waits for time to pass: such a
// test is slow when it passes and wrong on a busy machine.
func CheckSleep(fset *token.FileSet, file *ast.File) []Fault {
	var faults []Fault
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" && sel.Sel.Name == "Sleep" {
				faults = append(faults, Fault{fset.Position(sel.Pos()).String(), "a test sleeps: wait for the event itself, or hand in a clock"})
			}
		}
		return true
	})
	return faults
}
