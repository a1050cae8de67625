package typed

// Range is the Callee of a range statement.
const Range = "range"

// Call is one call or conversion expression, or the head of a range statement:
// its one argument is the underlying type of what is ranged over.
type Call struct {
	Line    int    // of the call's first token
	EndLine int    // of its closing parenthesis
	In      string // enclosing declared function, as the linker names it; literals belong to it
	// Callee is the full name as the linker has it: "fmt.Sprintf",
	// "github.com/sirupsen/logrus.(*Entry).Info", "log/slog.(*Logger).Debug";
	// for an interface method "io.Writer.Write"; for a conversion
	// "string([]byte)" or "[]byte(string)"; "" for a call of a func value;
	// Range for a range statement.
	Callee string
	// Args are the static types of the arguments, variadic ones one by one,
	// with full package paths. "..." is appended to a spread one.
	Args []string
	// Basic says of each argument whether its underlying type is a string,
	// boolean or number and it has no String, Error or Format method.
	Basic []bool
	// Pointee is, of each argument that is a pointer, the size in bytes of what
	// it points to; 0 for any other. nil where all are 0.
	Pointee []int64
	// Plain says of each argument whether it is compared by value and holds no
	// reference but strings: numbers, booleans, strings, arrays and structs of
	// them. nil where none is.
	Plain []bool
	// Format is the constant value of the first string parameter's argument
	// where it is a constant, for functions whose name ends in f.
	Format *string
	// InLoop: the call lies in a for statement of its function.
	InLoop bool
	// Fixed says of each argument whether it has the same value in every call;
	// nil where none has.
	Fixed []Fixed
	// Recv is how a method's receiver was made, where that is known and
	// everything that went into it is fixed.
	Recv *Made
}

// Fixed is why an argument has the same value in call after call. The zero
// value says that it may differ.
type Fixed struct {
	By FixedBy
	// Value is a string's text (or that of a []byte converted from one), nil
	// where it is no string, is too long or is not known.
	Value *string
	// Of is the number of elements of a [FixedElement]'s list.
	Of int
	// Param is which parameter of the enclosing declared function the argument
	// is, counted from 1, where that function does not change it.
	Param int
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
	Callee string
	Line   int
	Fixed  []Fixed // of its arguments, all of them Always
	Recv   *Made   // of its own receiver, if it is a method
	// Held names where the receiver comes from: "" the call itself, "local" a
	// variable of the function, "package" a variable of the package, "field".
	Held string
	// Uses is how often a local variable is used.
	Uses int
}
