// Package app is whet's command line. It alone wires the packages together.
//
// Run finds the verb in the command table, parses its flags (before or after the
// operands, with one dash or two), runs it, and turns its error into one line on
// stderr and an exit code. The help texts and completions are made from the same
// table.
package app
