package typed

// FixedArgument is the reason that an argument has the same value in every call. The
// zero value means that it may differ.
type FixedArgument struct {
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

// FixedBy is the reason. For a value built from parts it is the weakest of theirs.
type FixedBy uint8

const (
	NotFixed     FixedBy = iota
	FixedLoop            // of variables that the innermost loop around the call does not change
	FixedElement         // each element in turn of a list of constants
	FixedVar             // of package variables too that their package sets where it declares them, and nowhere else
	FixedConst           // it is built of constants only
)

// Always reports whether the value is the same for the whole run.
func (f FixedArgument) Always() bool { return f.By >= FixedVar }

// ReceiverCall is a call whose result is used as a receiver, directly or by a variable
// or field that is set by this call and nowhere else in its package.
type ReceiverCall struct {
	Callee string
	Line   int
	Fixed  []FixedArgument // of its arguments, all of them Always
	Recv   *ReceiverCall   // of its own receiver, if it is a method
	// Held names where the receiver comes from: "" the call itself, "local" a
	// variable of the function, "package" a variable of the package, "field".
	Held string
	// Uses is how often a local variable is used.
	Uses int
}
