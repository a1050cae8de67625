package logging

import (
	"go/ast"
	"slices"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// mostlyText reports whether text built before the call is the larger part of
// what is avoidable: of CPU time where there are samples enough to say so, of
// bytes otherwise.
func (f *finder) mostlyText(st *statement, avoidable diagnose.Samples) bool {
	if f.s.CPUSamples(avoidable.CPU) >= offSamples {
		return 2*f.s.CPUShare(st.text.CPU.Keep()) > f.s.CPUShare(avoidable.CPU)
	}
	return 2*f.s.AllocShare(st.text.Allocs.Keep()) > f.s.AllocShare(avoidable.Allocs)
}

// buildsText reports whether the own frame at index at, which builds something
// for a record, builds text. What it boxes or puts into a map is not: that the
// logger's way of taking values asks for.
func (f *finder) buildsText(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID, at int, st *statement) bool {
	if at == 0 {
		// An allocation profile leaves the runtime's frames out: a block that is
		// larger than a boxed value may be a joined string.
		return f.joins(st) && !diagnose.BoxSized(sample.Labels())
	}
	callee := f.frame(c, stack[at-1])
	switch callee.Package {
	case "fmt", "strconv", "strings", "bytes", "time", "encoding/json", "encoding/hex", "encoding/base64":
		return true
	case "runtime":
		return begins(callee.Name.Name, "concatstring", "slicebytetostring", "slicerunetostring", "intstring")
	}
	return false
}

// joins reports whether a statement joins strings.
func (f *finder) joins(st *statement) (found bool) {
	pkg := f.s.PackageOf(st.File)
	if st.Node == nil || pkg == nil {
		return false
	}
	ast.Inspect(st.Node, func(n ast.Node) bool {
		_, literal := n.(*ast.FuncLit)
		found = found || pkg.Joins(n)
		return !found && !literal
	})
	return found
}

// library is the advice for a package of loggers, and for those below it.
type library struct {
	path    string
	renders string // what it does for each record, of the function %s
	values  string // how it takes values in place of text
	on, off string // what to do, by whether the level is
}

const (
	stopBuilding = "Do not build text for the record before the call: log a constant message and pass the values "
	rendersAnew  = "Every call of %s formats a record with reflection and allocation; typed fields appended to a reused buffer need neither."
	askFirst     = "Check the level before building the arguments, or pass the logger a function or a value that it formats only when the level is on."
)

// libraries are in the order in which they are looked for.
var libraries = [...]library{
	{
		path:    "log/slog",
		renders: "%s appends to a buffer that slog's handlers reuse; the remaining cost is boxing loose key-value pairs, formatting other types by reflection, and whatever is built for the record before the call.",
		values:  "as typed attributes with LogAttrs (slog.Int, slog.String).",
		on:      "Call LogAttrs with typed attributes (slog.Int, slog.String) instead of loose key-value pairs, and do not pass slog.Any values that need reflection.",
		off:     "Check logger.Enabled(ctx, level) first, or use LogAttrs with typed attributes and a LogValuer for expensive values.",
	},
	{
		path:    "go.uber.org/zap",
		renders: "%s appends to a buffer that zap reuses; the remaining cost is boxing loose values, formatting them by reflection, and the slice of fields.",
		values:  "as typed fields (zap.Int, zap.String).",
		on:      "Use only zap's typed fields (no Any, Reflect or Stringer), and Check with Write if the field slice itself counts.",
		off:     "Call logger.Check(level, message) first and build the fields only if the result is not nil.",
	},
	{
		path:    "github.com/rs/zerolog",
		renders: "%s appends to a buffer that zerolog reuses; the remaining cost is boxing values and formatting them by reflection or fmt.",
		values:  "with the event's typed methods (Int, Str).",
		on:      "Use zerolog's typed methods (Str, Int, Msg) instead of Interface, Fields, Any, Msgf or Print, and no ConsoleWriter.",
		off:     "Check Enabled on the event, or build the expensive field in Func, which runs only when the level is on.",
	},
	{
		path:    "github.com/sirupsen/logrus",
		renders: rendersAnew,
		values:  "as fields.",
		on:      "Replace logrus here with a logger that appends typed fields to a reused buffer (zerolog, or zap or slog with typed attributes).",
		off:     "Check logger.IsLevelEnabled(level) before the statement.",
	},
	{
		path:    "log",
		renders: "%s formats into a buffer that package log reuses; the remaining cost is fmt, which boxes its arguments and parses its format for every record.",
		values:  "as typed attributes of a structured logger (slog.LogAttrs, zerolog); if package log has to stay, its Printf at least formats into a reused buffer.",
		on:      "Append the record with strconv.AppendInt and the like to a reused buffer, or use a logger with typed fields (slog.LogAttrs, zerolog).",
		off:     askFirst,
	},
	{
		path:    "",
		renders: rendersAnew,
		values:  "with their types, for the logger to append.",
		on:      "Let the logger take typed values and append them to a reused buffer with strconv.AppendInt and the like, or use one that does (slog.LogAttrs, zerolog).",
		off:     askFirst,
	},
}

// libraryOf returns the advice for the package of a function that logs.
func libraryOf(logger string) library {
	fn := symbolname.Parse(logger)
	l := libraries[slices.IndexFunc(libraries[:], func(l library) bool {
		return fn.Package == l.path || strings.Contains(l.path, ".") && strings.HasPrefix(fn.Package, l.path) || l.path == ""
	})]
	if l.path == "go.uber.org/zap" && fn.Receiver == "SugaredLogger" {
		l.on = "Call Desugar once and log with zap's typed fields (zap.Int, zap.String) instead of the sugared logger."
	}
	return l
}
