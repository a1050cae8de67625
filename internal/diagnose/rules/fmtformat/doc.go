// Package fmtformat is the rule that finds fmt where strconv, append or
// concatenation does the same: Sprint, Fprint, Append and Print with plain
// verbs and arguments that are strings, numbers or booleans.
//
// It reads the samples below the call and the boxing of its arguments, and the
// typed calls for what the arguments and the format are. Only the part that
// the replacement saves counts for the threshold: the Write that Fprintf makes
// stays.
//
// Without typed calls for a file it speaks only where the source itself shows
// a constant format whose verbs take nothing but numbers and booleans (%d %t
// %c %f %g %e), and with low confidence: %s and %v could be given a Stringer.
//
// It misleads where one line holds several statements.
package fmtformat
