// Package bufferpercall is the rule that finds buffers which a function allocates in
// each call and drops on return: a []byte or an array to read into, a bytes.Buffer, a
// bufio.Reader or Writer or a type that contains one (a csv.Reader), a compressor, the
// state of a hash. A buffer in a pool or a field is allocated once.
//
// It reads the allocation profile at the statement that makes the buffer and, if the
// memory is allocated later (a Buffer when it is written, a compressor at its first
// Write), at the statements that use the variable. The source shows that the buffer
// does not outlive the call (package typed): the rule follows every use of the
// variable, and reports nothing if it does not understand one. The profile shows that
// the buffer is on the heap at all: buffers on the stack have no samples.
//
// It misleads where the functions called by one statement use two buffers of a kind,
// and where a call passes the buffer to a method with a name such as Write that, unlike
// others of that name, keeps it.
package bufferpercall
