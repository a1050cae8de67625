// Package firstpieces is the rule that finds texts which are split into all of their
// pieces although only the first few are used.
//
// It knows Split and Fields of packages strings and bytes. It reads the samples
// below them, and asks of the typed view whether all that sees the pieces is an
// index that is constant and at most [most].
//
// Avoidable is the memory of the slice, and what taking it costs. Looking for the
// separators stays, though it ends sooner.
//
// It misleads where texts are so short that a few pieces are all there are: the
// slice goes, and nothing else.
package firstpieces
