package logging

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/symbolname"
)

// mostlyText reports whether text built before the call is the larger part of
// what is avoidable: of CPU time where there are samples enough to say so, of
// bytes otherwise.
func (f *finder) mostlyText(st *statement) bool {
	s := f.s
	if s.CPUSamples(st.cpu.avoidable.Keep()) >= offSamples {
		return 2*s.CPUShare(st.cpu.text.Keep()) > s.CPUShare(st.cpu.avoidable.Keep())
	}
	return 2*s.AllocShare(st.allocs.text.Keep()) > s.AllocShare(st.allocs.avoidable.Keep())
}

// buildsText reports whether the own frame at index at, which builds something
// for a record, builds text. What it boxes or puts into a map is not: that the
// logger's way of taking values asks for.
func buildsText(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID, at int, st *statement) bool {
	if at == 0 {
		// An allocation profile leaves the runtime's frames out: a block that is
		// larger than a boxed value may be a joined string.
		return concatenates(st.Node) && !diagnose.BoxSized(sample.Labels())
	}
	fn := c.Frame(stack[at-1]).Function
	switch pkg := symbolname.Package(fn); pkg {
	case "fmt", "strconv", "strings", "bytes", "time", "encoding/json", "encoding/hex", "encoding/base64":
		return true
	case "runtime":
		name := strings.TrimPrefix(fn, "runtime.")
		for _, prefix := range []string{"concatstring", "slicebytetostring", "slicerunetostring", "intstring"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
	}
	return false
}

// concatenates reports whether a statement joins strings: a + with a string
// literal somewhere among its operands.
func concatenates(st ast.Stmt) bool {
	if st == nil {
		return false
	}
	found := false
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			found = found || n.Op == token.ADD && (isText(n.X) || isText(n.Y))
		}
		return !found
	})
	return found
}

func isText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

// renders says what a library does for each record.
func renders(pkg, name string) string {
	switch {
	case pkg == "log/slog":
		return fmt.Sprintf("%s appends to a buffer that slog's handlers reuse; what costs beside that is boxing the values of loose pairs, rendering values without a type of their own by reflection, and whatever is built for the record before the call.", name)
	case strings.HasPrefix(pkg, "go.uber.org/zap"):
		return fmt.Sprintf("%s appends to a buffer that zap reuses; what costs beside that is boxing loose values, rendering them by reflection, and the slice of fields.", name)
	case strings.HasPrefix(pkg, "github.com/rs/zerolog"):
		return fmt.Sprintf("%s appends to a buffer that zerolog reuses; what costs beside that is boxing values and rendering them by reflection or fmt.", name)
	case pkg == "log":
		return fmt.Sprintf("%s formats into a buffer that package log reuses; what costs beside that is fmt, which boxes its arguments and reads its format for every record.", name)
	}
	return fmt.Sprintf("Every call of %s renders a record: formatting, reflection and allocation that typed fields appended to a reused buffer do without.", name)
}

// stopBuilding is the remedy where text is built before the call.
func stopBuilding(pkg string) string {
	const stop = "Stop building text for the record before the call: log a constant message and pass the values "
	switch {
	case pkg == "log/slog":
		return stop + "as typed attributes with LogAttrs (slog.Int, slog.String)."
	case strings.HasPrefix(pkg, "go.uber.org/zap"):
		return stop + "as typed fields (zap.Int, zap.String)."
	case strings.HasPrefix(pkg, "github.com/rs/zerolog"):
		return stop + "with the event's typed methods (Int, Str)."
	case strings.HasPrefix(pkg, "github.com/sirupsen/logrus"):
		return stop + "as fields."
	case pkg == "log":
		return stop + "as typed attributes of a structured logger (slog.LogAttrs, zerolog); where package log has to stay, its Printf at least formats into a reused buffer."
	}
	return stop + "with their types, for the logger to append."
}

func onRemedy(pkg, fn string) string {
	sym := symbolname.Parse(fn)
	switch {
	case strings.HasPrefix(pkg, "github.com/sirupsen/logrus"):
		return "Replace logrus here by a logger that appends typed fields to a reused buffer (zerolog, or zap or slog with typed attributes)."
	case strings.HasPrefix(pkg, "go.uber.org/zap") && sym.Receiver == "SugaredLogger":
		return "Call Desugar once and log with zap's typed fields (zap.Int, zap.String) instead of the sugared logger."
	case strings.HasPrefix(pkg, "go.uber.org/zap"):
		return "Use zap's typed fields only (no Any, Reflect or Stringer), and Check with Write where the field slice itself counts."
	case strings.HasPrefix(pkg, "github.com/rs/zerolog"):
		return "Use zerolog's typed methods (Str, Int, Msg) instead of Interface, Fields, Any, Msgf or Print, and no ConsoleWriter."
	case pkg == "log/slog":
		return "Call LogAttrs with typed attributes (slog.Int, slog.String) instead of loose key-value pairs, and give slog.Any no value that needs reflection."
	case pkg == "log":
		return "Append the record with strconv.AppendInt and the like to a reused buffer, or use a logger with typed fields (slog.LogAttrs, zerolog)."
	}
	return "Let the logger take typed values and append them to a reused buffer with strconv.AppendInt and the like, or use one that does (slog.LogAttrs, zerolog)."
}

func offRemedy(pkg string) string {
	const tail = " Until then nothing is gained by a faster logger."
	switch {
	case strings.HasPrefix(pkg, "github.com/sirupsen/logrus"):
		return "Ask logger.IsLevelEnabled(level) before the statement." + tail
	case strings.HasPrefix(pkg, "go.uber.org/zap"):
		return "Ask logger.Check(level, message) first and build the fields only if it is not nil." + tail
	case strings.HasPrefix(pkg, "github.com/rs/zerolog"):
		return "Ask Enabled on the event, or build the costly field in Func, which runs only when the level is on." + tail
	case pkg == "log/slog":
		return "Ask logger.Enabled(ctx, level) first, or use LogAttrs with typed attributes and a LogValuer for what is costly." + tail
	}
	return "Check the level before the arguments are built, or hand the logger a function or a value that it renders only when the level is on." + tail
}
