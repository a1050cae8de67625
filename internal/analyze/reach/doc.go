// Package reach answers of two builds of a test program which of its benchmarks
// run the same code, from the object files that the programs were linked of.
//
// # Reach
//
// What a benchmark can reach is what the linker would keep of a test program
// whose lists of tests have this benchmark alone: from the entry of the program,
// the initialisation of all its packages and the benchmark itself, everything
// that code or data refers to, and those methods of types converted to an
// interface that some reached call through an interface, or by reflection, can
// mean (cmd/link/internal/ld/deadcode.go has the rules). Such a program would run
// the benchmark exactly so: the linker's rules have to be safe, or programs would
// crash. Where this package departs from them it keeps more: all of the runtime,
// all of packages with objects of a C compiler, the initialisation of maps that
// nothing reads.
//
// # The same
//
// Both programs are walked at once, from pairs of roots along pairs of
// references. A pair is equal when kind, flags, size, alignment, content and
// the form of all relocations are, and what both refer to is a pair again, one
// to one: names count only where nothing is defined, so that a temporary or a
// closure that got another number is still the same. Left out is what says where code comes
// from (lines, files, the names of inlined functions, DWARF), and the order in which
// packages that do not need each other are initialised. Since equal pairs
// have equal edges, what old reaches is then equal too.
//
// Types are a pair when they differ in methods alone, as long as nothing asks for
// a method of such a name: neither a call through an interface or by name, nor a
// conversion to an interface, nor reflection over all methods, nor code outside
// of the standard library that counts methods.
//
// In doubt two things are different: a release or format that is not known,
// another toolchain, a name that nothing defines, C objects that are not the
// same bytes, copies of one symbol in several packages that disagree.
//
// # Beside the code
//
// A benchmark may read files and start programs. Where code outside of the
// standard library calls what starts a program, nothing is the same. Where it
// calls what opens a file, the files that differ between the sides are searched
// for among the reached strings, by name, of others than source files without
// the ending; where it lists directories, one file that differs is enough. Where
// it asks the runtime for functions and lines, these have to be equal, too.
//
// # When it misleads
//
// Where code lies in memory, the size of tables over the whole program (types,
// itabs, line tables) and few global variables that only other code uses are not
// code, and may differ: they are what whet prove calls layout. Package testing
// writes the line of a call of b.Log before it, which may differ.
//
// A file whose name is put together from parts, read from outside of the
// package's directory and testdata, is not seen; nor what comes over a network.
package reach
