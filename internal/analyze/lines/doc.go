// Package lines answers what is known of a source line: what it costs, of every
// kind of cost that was recorded, what the compiler decided about it, and what
// speaks against either.
//
// Its input are columns of profiles ([Evidence]), which may be made of execution
// traces, and the compiler's text. They are joined by the file and the line that
// the program's own line tables give to an instruction: a profile's frames and
// the compiler's positions come from the same tables, //line directives
// included. Flat and cum are pprof's. An inlined call has its cost at its own
// line, and stands once more under the line that it was inlined into
// ([Line.Inlined]).
//
// Nothing is lost: of each kind, the flat values of all lines and what has no
// line ([Account.Unplaced]) sum to the total of the profile.
//
// It misleads where the source is another than what was measured: [Mapping] says
// where a line is now, and of lines that changed that they are nowhere. Where the
// compiler's text does not name a file, nothing is known of the compiler's
// decisions there, which is not that it made none.
package lines
