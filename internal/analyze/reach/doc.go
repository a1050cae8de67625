// Package reach answers which benchmarks of two builds of a test program run the
// same code, from the object files that the programs were linked from.
//
// # Reachable code
//
// A benchmark reaches the code that the linker would keep of a test program with
// this benchmark alone: from the entry of the program, the initialization of all
// its packages and the benchmark itself, everything that code or data refers to,
// and those methods of types converted to an interface that a reachable call
// through an interface, or reflection, can mean (cmd/link/internal/ld/deadcode.go
// has the rules). Such a program would run the benchmark in exactly the same way:
// the linker's rules must be safe, or programs would crash. Where this package
// departs from them it keeps more: all of the runtime, all of packages with
// objects of a C compiler, the initialization of maps that nothing reads.
//
// # Equality
//
// Both programs are walked together, from pairs of roots along pairs of
// references. A pair is equal if kind, flags, size, alignment, content and the
// form of all relocations are equal, and if their references are pairs again, one
// to one: names count only for undefined symbols, so that a temporary or a
// closure with another number is still the same. The comparison ignores the
// origin of code (lines, files, the names of inlined functions, DWARF), and the
// order in which independent packages are initialized. Since equal pairs have
// equal edges, the code that old reaches is then equal too.
//
// Types are a pair if they differ in methods alone, as long as nothing asks for a
// method of such a name: neither a call through an interface or by name, nor a
// conversion to an interface, nor reflection over all methods, nor code outside
// the standard library that counts methods.
//
// In doubt two things are different: an unknown release or format, another
// toolchain, an undefined name, C objects with different bytes, copies of one
// symbol in several packages that disagree.
//
// # Files and programs
//
// A benchmark may read files and start programs. If code outside the standard
// library calls a function that starts a program, nothing is the same. If it calls
// one that opens a file, the names of the files that differ between the sides are
// searched for among the reached strings, without the extension unless they are
// source files; if it lists directories, one file that differs is enough. If it
// asks the runtime for functions and lines, these must be equal, too.
//
// # When it misleads
//
// The addresses of code, the size of tables over the whole program (types, itabs,
// line tables) and a few global variables that only other code uses are not code,
// and may differ: whet prove calls them layout. Package testing prints the line of
// a call of b.Log, which may differ.
//
// A file whose name is computed from parts, or read from outside the package's
// directory and testdata, is not noticed; nor is data from a network.
package reach
