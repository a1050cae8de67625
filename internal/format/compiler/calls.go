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
	// Pointee is, of each argument that is a pointer, the size in bytes of what
	// it points to; 0 for any other. nil where all are 0, and in recordings
	// made before it was looked for.
	Pointee []int64 `json:"pointee,omitempty"`
	// Plain says of each argument whether it is compared by value and holds no
	// reference but strings: numbers, booleans, strings, arrays and structs of
	// them. nil where none is, and in recordings made before it was looked for.
	Plain []bool `json:"plain,omitempty"`
	// Format is the constant value of the first string parameter's argument
	// where it is a constant, for functions whose name ends in f.
	Format *string `json:"format,omitempty"`
	// InLoop: the call lies in a for statement of its function.
	InLoop bool `json:"in_loop,omitempty"`
	// Fixed says of each argument whether it has the same value in every call;
	// nil where none has, and in recordings made before it was looked for.
	Fixed []Fixed `json:"fixed,omitempty"`
	// Recv is how a method's receiver was made, where that is known and
	// everything that went into it is fixed.
	Recv *Made `json:"recv,omitempty"`
}

// Fixed is why an argument has the same value in call after call. The zero
// value says that it may differ.
type Fixed struct {
	By FixedBy `json:"by,omitempty"`
	// Value is a string's text (or that of a []byte converted from one), nil
	// where it is no string, is too long or is not known.
	Value *string `json:"value,omitempty"`
	// Of is the number of elements of a [FixedElement]'s list.
	Of int `json:"of,omitempty"`
	// Param is which parameter of the enclosing declared function the argument
	// is, counted from 1, where that function does not change it.
	Param int `json:"param,omitempty"`
}

// FixedBy is the reason.
type FixedBy string

const (
	FixedConst   FixedBy = "const"   // it is built of constants only
	FixedVar     FixedBy = "var"     // of package variables too that their package sets where it declares them, and nowhere else
	FixedElement FixedBy = "element" // each element in turn of a list of constants
	FixedLoop    FixedBy = "loop"    // of variables that the innermost loop around the call does not change
)

// Always reports whether the value is the same for the whole run.
func (f Fixed) Always() bool { return f.By == FixedConst || f.By == FixedVar }

// Made is a call whose result is used as a receiver, directly or by a variable
// or field that is set by this call and nowhere else in its package.
type Made struct {
	Callee string  `json:"callee"`
	Line   int     `json:"line"`
	Fixed  []Fixed `json:"fixed,omitempty"` // of its arguments, all of them Always
	Recv   *Made   `json:"recv,omitempty"`  // of its own receiver, if it is a method
	// Held names where the receiver comes from: "" the call itself, "local" a
	// variable of the function, "package" a variable of the package, "field".
	Held string `json:"held,omitempty"`
	// Uses is how often a local variable is used.
	Uses int `json:"uses,omitempty"`
}
