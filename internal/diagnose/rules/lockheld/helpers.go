package lockheld

import (
	"go/ast"
	"slices"
	"strings"

	"whet/internal/diagnose"
	"whet/internal/symbolname"
	"whet/internal/typed"
)

// helpers knows which calls of one subject's program lock and unlock: the
// methods of package sync, and functions of the program's own that do one of
// them and leave the other to their partner.
type helpers struct {
	calls   map[string][]typed.Call // by file
	in      map[string][]typed.Call // by the function they are in
	acquire map[string]bool
	release map[string]bool
}

func newHelpers(s *diagnose.Subject) *helpers {
	h := &helpers{calls: s.Calls, in: make(map[string][]typed.Call), acquire: make(map[string]bool), release: make(map[string]bool)}
	for _, calls := range s.Calls {
		for _, c := range calls {
			h.in[c.In] = append(h.in[c.In], c)
		}
	}
	for fn, calls := range h.in {
		if !namedForLock(symbolname.Parse(fn).Name) {
			continue
		}
		locks := slices.ContainsFunc(calls, func(c typed.Call) bool { return isLock(c.Callee) })
		unlocks := slices.ContainsFunc(calls, func(c typed.Call) bool { return isUnlock(c.Callee) })
		h.acquire[fn] = locks && !unlocks
		h.release[fn] = unlocks && !locks
	}
	return h
}

// namedForLock is what keeps functions out that lock and unlock by way of
// another's help.
func namedForLock(name string) bool {
	name = strings.ToLower(name)
	if strings.Contains(name, "lock") {
		return true
	}
	for _, word := range [...]string{"acquire", "release", "enter", "leave", "begin", "end"} {
		if strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}

func isLock(callee string) bool {
	return isSync(callee, "Lock", "RLock")
}

func isUnlock(callee string) bool {
	return isSync(callee, "Unlock", "RUnlock")
}

// isSync knows the locks of package sync, and the interface they implement.
func isSync(callee string, names ...string) bool {
	sym := symbolname.Parse(callee)
	if sym.Package != "sync" || !slices.Contains(names, sym.Name) {
		return false
	}
	return isLockType(sym.Receiver)
}

// isLockType knows the types of package sync that lock, and their interface.
func isLockType(receiver string) bool {
	switch receiver {
	case "Mutex", "RWMutex", "Locker", "rlocker":
		return true
	}
	return false
}

// callee is the typed name of a call; known is false where no calls were
// recorded for the file.
func (h *helpers) callee(f *diagnose.Function, call *ast.CallExpr) (name string, known bool) {
	calls, known := h.calls[f.File]
	line, called := f.Line(call.Pos()), calledName(call)
	for _, c := range calls {
		if c.Line == line && symbolname.Parse(c.Callee).Name == called {
			return c.Callee, true
		}
	}
	return "", known
}

// acquires reports whether a call locks, and what.
func (h *helpers) acquires(f *diagnose.Function, call *ast.CallExpr) (key string, read, ok bool) {
	name := calledName(call)
	callee, known := h.callee(f, call)
	switch {
	case h.acquire[callee]:
		return h.key(call, callee), strings.HasPrefix(strings.ToLower(name), "r"), true
	case isLock(callee), !known && (name == "Lock" || name == "RLock"):
		return receiver(call), name == "RLock", true
	}
	return "", false, false
}

// releases reports whether a call unlocks, and what.
func (h *helpers) releases(f *diagnose.Function, call *ast.CallExpr) (key string, read, helper, ok bool) {
	name := calledName(call)
	callee, known := h.callee(f, call)
	switch {
	case h.release[callee]:
		return h.key(call, callee), false, true, true
	case isUnlock(callee), !known && (name == "Unlock" || name == "RUnlock"):
		return receiver(call), name == "RUnlock", false, true
	}
	return "", false, false, false
}

// key of a helper: what its method is called on, or its package.
func (h *helpers) key(call *ast.CallExpr, callee string) string {
	sym := symbolname.Parse(callee)
	if sym.Receiver == "" {
		return sym.Package
	}
	return receiver(call)
}

// ranges reports whether a range statement receives from a channel.
func (h *helpers) ranges(f *diagnose.Function, n *ast.RangeStmt) bool {
	line := f.Line(n.Pos())
	return slices.ContainsFunc(h.calls[f.File], func(c typed.Call) bool {
		return c.Line == line && c.Callee == typed.Range && len(c.Args) == 1 && (strings.HasPrefix(c.Args[0], "chan ") || strings.HasPrefix(c.Args[0], "<-chan "))
	})
}
