package compiler

// Calls is what the type checker knows about call expressions in the module
// under test. The profile says what a line costs; this says what it calls,
// also where the callee was inlined away or did nothing (a log level that is
// off).
type Calls struct {
	Schema string `json:"schema"` // "whet/calls/1"
	Files  []File `json:"files"`
}

// File holds the calls of one source file, in source order.
type File struct {
	Frame string `json:"frame"` // the file's name as the profiles have it
	Calls []Call `json:"calls"`
}

// Range is the Callee of a range statement.
const Range = "range"

// Call is one call or conversion expression, or the head of a range statement:
// its one argument is the underlying type of what is ranged over.
type Call struct {
	Line    int    `json:"line"`     // of the call's first token
	EndLine int    `json:"end_line"` // of its closing parenthesis
	In      string `json:"in"`       // enclosing declared function, as the linker names it; literals belong to it
	// Callee is the full name as the linker has it: "fmt.Sprintf",
	// "github.com/sirupsen/logrus.(*Entry).Info", "log/slog.(*Logger).Debug";
	// for an interface method "io.Writer.Write"; for a conversion
	// "string([]byte)" or "[]byte(string)"; "" for a call of a func value;
	// Range for a range statement.
	Callee string `json:"callee"`
	// Args are the static types of the arguments, variadic ones one by one,
	// with full package paths. "..." is appended to a spread one.
	Args []string `json:"args"`
	// Basic says of each argument whether its underlying type is a string,
	// boolean or number and it has no String, Error or Format method.
	Basic []bool `json:"basic"`
	// Format is the constant value of the first string parameter's argument
	// where it is a constant, for functions whose name ends in f.
	Format *string `json:"format,omitempty"`
	// InLoop: the call lies in a for statement of its function.
	InLoop bool `json:"in_loop,omitempty"`
}
