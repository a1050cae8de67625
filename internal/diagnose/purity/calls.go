package purity

import (
	"slices"
	"strings"

	"whet/internal/symbolname"
)

// differing are the packages, or parts of their names that end with a slash,
// whose functions give another result each time, or an effect.
var differing = []string{"net", "net/http", "os", "os/", "syscall", "internal/poll", "internal/syscall/", "database/sql", "log", "log/slog", "math/rand", "math/rand/v2", "runtime/debug", "runtime/metrics", "crypto/", "golang.org/x/crypto/", "golang.org/x/sys/"}

// effects are functions of other packages that ask for the time or the state of
// the program, wait, print, or run what is not Go.
var effects = []string{"fmt.Print", "fmt.Printf", "fmt.Println", "runtime.NumGoroutine", "runtime.ReadMemStats", "runtime.Stack", "runtime.cgocall", "time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer", "time.NewTicker"}

// clock are those that only ask for the time.
var clock = []string{"time.Now", "time.Since", "time.Until"}

// OfItsArguments reports whether a function in a profile, or called in the
// source, may belong to work that depends only on its arguments.
// Hashing does not, because results must not be kept: the same packages hash
// passwords.
func OfItsArguments(fn string) bool {
	pkg := symbolname.Package(fn)
	for _, p := range differing {
		if pkg == p || strings.HasSuffix(p, "/") && strings.HasPrefix(pkg, p) {
			return false
		}
	}
	return !slices.Contains(effects, fn) && !strings.HasPrefix(fn, "runtime.chan") && !strings.HasPrefix(fn, "runtime.select")
}

// shares reports whether a call of the user's own guards memory that others
// change, or waits for them.
func shares(callee string) bool {
	if symbolname.Package(callee) == "sync/atomic" {
		return true
	}
	return strings.HasPrefix(callee, "sync.") && !strings.HasPrefix(callee, "sync.(*Pool).")
}

// changing are the beginnings of methods' names that say that the receiver, or
// the world, is changed.
var changing = []string{
	"Add", "Append", "Clear", "Close", "Commit", "Cut", "Dec", "Delete", "Do", "Drain", "Exec", "Fill", "Flush", "Get", "Grow", "Inc", "Init", "Insert", "Load", "Lock", "Log", "Next", "Observe",
	"Pop", "Post", "Print", "Publish", "Push", "Put", "Query", "RLock", "Read", "Remove", "Reset", "Rotate", "Scan", "Seek", "Send", "Set", "Shuffle", "Sort", "Store", "Swap", "Take", "Truncate",
	"Unlock", "Unread", "Update", "Warn", "Write", "Info", "Debug", "Error", "Fatal", "Panic", "Trace",
}

// asking are those of methods that ask a store, in other packages than the
// standard library's: what they give can be another thing the next time.
var asking = []string{"Contains", "Count", "Exists", "Fetch", "Find", "Has", "Iterate", "List", "Lookup", "Peek", "Range", "Search", "Select", "View"}

// stateful reports whether a method of somebody else's changes its receiver, or
// depends on what others did to it, by its name.
func stateful(method string, standard bool) bool {
	return symbolname.Begins(method, changing) || !standard && symbolname.Begins(method, asking)
}

// writesTo reports whether a method writes to its first argument.
func writesTo(method string, args int) bool {
	switch method {
	case "Execute", "ExecuteTemplate", "WriteTo":
		return true
	}
	return method == "Encode" && args > 1
}

// fills reports whether a function of somebody else's writes to what an argument
// refers to: the first, or, for decoders, the last.
func fills(name string) (first, last bool) {
	switch {
	case strings.HasPrefix(name, "Sort"), strings.HasPrefix(name, "Shuffle"), strings.HasPrefix(name, "Reverse"), strings.HasPrefix(name, "Put"), strings.HasPrefix(name, "Append"),
		name == "Slice", name == "SliceStable", name == "Stable", name == "Ints", name == "Strings", name == "Draw", name == "DrawMask", name == "Copy", name == "Fprint", name == "Fprintf", name == "Fprintln", name == "WriteString":
		return true, false
	case strings.HasPrefix(name, "Unmarshal"), strings.HasPrefix(name, "Decode"), strings.HasPrefix(name, "Scan"), strings.HasPrefix(name, "Sscan"), strings.HasPrefix(name, "Read"):
		return false, true
	}
	return false, false
}
