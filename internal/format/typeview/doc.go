// Package typeview reads and writes the typed view of a recording: what the Go
// type checker has to know of a program beside the sources that are kept of it.
//
// It answers: which types have the objects that the kept packages import? Its
// input is packages of go/types, as they are read from the compiler's export data
// when a recording is made; that format is understood by a few versions of Go, and
// a recording is to open in years. So a view is a format of whet's own: a line with
// its version, and packed below it the names and types of the exported objects of
// each imported package (functions, variables, constants with their values, types
// with all their methods and fields), and of all types that these reach. A type is
// a record that refers to others by number. A record begins with its kind:
//
//	basic      name in the universe                    "int", "error", "untyped nil"
//	pointer, slice, array, map, chan                   their elements
//	struct     package; fields: name, type, embedded, tag
//	signature  package; type parameters, parameters, results, variadic
//	interface  package; type of its methods' receiver, methods, embedded types
//	union      terms: tilde, type
//	parameter  package, name, constraint               of one type or function each
//	named      package, name, type parameters, underlying type, methods
//	alias      package, name, type parameters, type
//	instance   generic type, type arguments
//	kept       package, name                           of a kept package: its source says the rest
//
// Numbers are varints, texts are numbers in one table. Packages are decoded when
// they are imported first. A kept package is never in the view: where an imported
// object refers to a type of one, the type that was checked from source takes its
// place, so that an object has one identity.
//
// It misleads where the kept sources are not those that were built: an object may
// be missing that such a source uses. There are no positions and no bodies of
// functions, and of a package that nothing kept imports only what others reach.
package typeview
