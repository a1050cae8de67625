package compiler

// Decision is a line that the compiler printed about one position.
type Decision struct {
	File string // as the compiler printed it
	Line int
	Col  int
	Kind Kind
	Text string // the compiler's words without position: "make([]byte, n) escapes to heap"
}

// Kind is the sort of decision.
type Kind string

const (
	Escapes      Kind = "escapes"       // a value is allocated on the heap
	MovedToHeap  Kind = "moved"         // a variable is
	DoesNot      Kind = "stays"         // does not escape
	Leaks        Kind = "leaks"         // a parameter's content leaves the function
	Inlines      Kind = "inlines"       // a call was inlined here
	CanInline    Kind = "can-inline"    // a function can be
	CannotInline Kind = "cannot-inline" // a function cannot be, with the reason
)
