// Package readgrowth is the rule that finds inputs which are read completely into
// growing memory although their size is known or bounded: the body of a request or
// response with a Content-Length, a file, a reader over bytes in memory.
//
// It reads the samples in which io.ReadAll and bytes.Buffer.ReadFrom allocate and copy
// themselves, not those of the reader below them, and in the source which reader the
// statement passes: by its type if that is enough, otherwise by its declaration in the
// same function.
//
// All blocks but the last are avoidable, and that too if a Buffer is local to the
// function and does not outlive it: it can be reused. The ReadAll of Go 1.26 and newer
// reads into a sequence of pieces, 512, 256, 384, 576, … bytes, and copies them into
// one block at the end; an older one, and a Buffer, move to larger and larger blocks.
//
// The profile of a service or a program is a sample that has hardly any small blocks:
// there the rule derives the pieces from those that are large enough, and from their
// sum (pieces.go). If that fails, only the copying counts.
//
// It misleads where inputs of several sizes are read in turn and the size of one equals
// that of a piece by chance.
package readgrowth
