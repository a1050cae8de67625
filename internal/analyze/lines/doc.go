// Package lines joins the data about a source line: its costs of every recorded
// kind, the compiler's decisions about it, and doubts about either.
//
// Its input are columns of profiles ([Evidence]), which may be made from execution
// traces, and the compiler's text. It joins them by the file and line that the
// program's line tables give to an instruction: a profile's frames and the
// compiler's positions come from the same tables, //line directives included. Flat
// and cum are pprof's. An inlined call has its cost at its own line, and again below
// the line it was inlined into ([Line.Inlined]).
//
// Nothing is lost: for each kind, the flat values of all lines and the values
// without a line ([Account.Unplaced]) sum to the total of the profile.
//
// It misleads if the source differs from the measured one: [Mapping] maps the lines
// that did not change and reports the others as gone. If the compiler's text does
// not name a file, its decisions there are unknown, not absent.
package lines
