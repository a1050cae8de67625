// Package symbolname parses the linker's name of a function: the package, the
// receiver, the function, the type arguments, and the suffixes of functions that the
// compiler makes itself.
//
// Its input is a name from a symbol table or profile. The import path ends at the
// first dot after its last slash; the linker writes that dot, and bytes that an
// assembler would not accept, as %xx. Brackets, braces and quoted struct tags may
// contain paths and dots, which separate nothing.
//
// It misleads about ambiguous names. The literal p.A.B.func1 is in method B of type
// A, or in function B inlined into function A: it is taken for the method's, unless
// A cannot be a type. A C function f.part has the name of a Go function part in a
// package f.
package symbolname
