// Package child starts what is measured, for the casebook's table: it may use
// whet's proofs and its load, and not what the proofs stand on.
//
// It answers what became of a command, and what a benchmark of a test binary
// showed, from a command line or a binary, by the means of whet's own proofs:
// packages capture/process and gobench. A command leads a process group that
// ends with it and, where the system can, with the program that started it; it
// may be pinned to processors, and its output and its time are bounded.
//
// It misleads where those two do, which say so.
package child
