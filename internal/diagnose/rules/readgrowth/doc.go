// Package readgrowth is the rule that finds inputs which are read whole into
// memory that grows on the way although their size is known or bounded: the
// body of a request or response that says its Content-Length, a file, a reader
// over bytes that are in memory already.
//
// It reads the samples of what io.ReadAll and bytes.Buffer.ReadFrom allocate
// and copy themselves, not those of the reader below them, and in the source
// which reader the statement hands over: by its type, where that says
// it, by its declaration in the same function otherwise.
//
// The avoidable part is all blocks but the last, and that too where a Buffer is
// the function's own and nothing holds it afterwards: it can be reused. The ReadAll of Go 1.26 and
// newer reads into a row of pieces, 512, 256, 384, 576, … bytes, and copies
// them into one block at the end; an older one, and a Buffer, move to larger
// and larger blocks.
//
// The profile of a service or a program is a sample, of which small blocks are
// hardly any: there the pieces are told by those that are large enough, and by
// what they add up to (pieces.go). Where that tells nothing, only the copying
// counts.
//
// It misleads where inputs of several sizes are read in turn and the size of
// one is by chance that of a piece.
package readgrowth
