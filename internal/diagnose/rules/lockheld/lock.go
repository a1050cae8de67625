package lockheld

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"whet/internal/symbolname"
	"whet/internal/typed"
)

// lock is what is locked: the mutex, or what has it inside.
type lock struct {
	root *types.Var // that the expression begins with, nil for a function's
	text string     // "s.mu", "s" for an embedded lock; a helper function's package
}

// change is what a call does to a lock.
type change struct {
	lock
	unlocks, read bool
	helper        bool // by a function of the program's own
}

// changeOf reads a call that locks or unlocks: a method of package sync, or a
// function of the program's own that does one of them and leaves the other to its
// partner. nil: it is neither.
func changeOf(pkg *typed.Package, call *ast.CallExpr) *change {
	if call == nil {
		return nil
	}
	name, c := pkg.Called(call), &change{}
	if c.unlocks = isUnlock(name); c.unlocks || isLock(name) {
		c.read = strings.HasPrefix(symbolname.Parse(name).Name, "R")
	} else {
		to := pkg.Reached(call)
		locks, unlocks := half(to)
		if !locks && !unlocks {
			return nil
		}
		c.helper, c.unlocks, c.read = true, unlocks, locks && strings.HasPrefix(strings.ToLower(to.Object.Name()), "r")
		if to.Decl.Recv == nil {
			c.text = to.Package.Path
			return c
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		c.lock = lock{pkg.Var(pkg.Base(sel.X)), types.ExprString(sel.X)}
	}
	return c
}

// half reports whether a function locks and leaves unlocking to its callers, or the
// other way round. Its name keeps functions out that lock and unlock by way of
// another's help.
func half(fn *typed.Function) (locks, unlocks bool) {
	if fn == nil || fn.Object == nil {
		return false, false
	}
	name := strings.ToLower(fn.Decl.Name.Name)
	if !strings.Contains(name, "lock") && !slices.ContainsFunc([]string{"acquire", "release", "enter", "leave", "begin", "end"}, func(word string) bool { return strings.HasPrefix(name, word) }) {
		return false, false
	}
	ast.Inspect(fn.Decl, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			callee := fn.Package.Called(call)
			locks, unlocks = locks || isLock(callee), unlocks || isUnlock(callee)
		}
		return true
	})
	return locks && !unlocks, unlocks && !locks
}

func isLock(callee string) bool { return isSync(callee, "Lock", "RLock") }

func isUnlock(callee string) bool { return isSync(callee, "Unlock", "RUnlock") }

// isSync knows the locks of package sync, and the interface they implement.
func isSync(callee string, names ...string) bool {
	sym := symbolname.Parse(callee)
	return sym.Package == "sync" && slices.Contains(names, sym.Name) && isLockType(sym.Receiver)
}

// isLockType knows the types of package sync that lock, and their interface.
func isLockType(receiver string) bool {
	switch receiver {
	case "Mutex", "RWMutex", "Locker", "rlocker":
		return true
	}
	return false
}
