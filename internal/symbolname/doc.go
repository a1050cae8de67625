// Package symbolname takes the name that the linker gives a function apart:
// the package, the receiver, the function, the type arguments, and what the
// compiler adds for functions that it makes itself.
//
// Its input is a name as it stands in symbol tables and profiles. The import
// path ends at the first dot after its last slash; the linker writes a dot
// there, and whatever an assembler would trip over, as %xx. Brackets, braces
// and quoted struct tags hold paths and dots of their own, which separate
// nothing.
//
// It misleads where names themselves are ambiguous. The literal p.A.B.func1 is
// in method B of type A, or in function B where that was inlined into function
// A: it is taken for the method's, unless A can be no type. A C function
// f.part has the name of a Go function part in a package f.
package symbolname
