// Package fmtformat is the rule that finds fmt where strconv, append or
// concatenation does the same: Sprint, Fprint, Append and Print with plain
// verbs and arguments that are strings, numbers or booleans.
//
// It reads the samples below the call and the boxing of its arguments, and the
// types for what the arguments and the format are. Only the part that
// the replacement saves counts for the threshold: the Write that Fprintf makes
// stays.
//
// Without types it is silent.
//
// It misleads where one line holds several statements.
package fmtformat
