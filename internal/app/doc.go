// Package app is whet's command line: the only place that wires everything.
//
// Run takes the arguments, finds the verb in the command table, parses its
// flags (before or after the operands, with one dash or two), runs it and
// turns its error into one line on stderr and an exit code. All help texts
// and completions are made from the same table.
package app
