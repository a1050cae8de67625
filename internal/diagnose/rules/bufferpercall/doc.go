// Package bufferpercall is the rule that finds buffers which a function makes
// anew in each call and drops when it returns: a []byte or an array to read into, a
// bytes.Buffer, a bufio.Reader or Writer or what has one inside (a csv.Reader),
// a compressor, a hash's state. One that is kept in a pool or in a field is made
// once.
//
// It reads the allocation profile at the statement that makes the buffer, and
// where memory is taken later (a Buffer that is written to, a compressor at its
// first Write) at the statements that mention the variable. That the buffer does
// not outlive the call is read in the source (package typed): every use of the
// variable is followed, and one that is not understood makes the rule silent.
// That the buffer lies on the heap at all is what the profile says: what the
// compiler keeps on the stack has no samples.
//
// It misleads where two buffers of a kind are used in one statement's callees,
// and where a call hands the buffer to a method that has a name such as Write
// and keeps it against that name's custom.
package bufferpercall
