// Package fmtformat is the rule that finds fmt where strconv, append or concatenation
// does the same: Sprint, Fprint, Append and Print with plain verbs and arguments that
// are strings, numbers or booleans.
//
// It reads the samples below the call and the conversion of its arguments to
// interfaces, and the types of the arguments and the format. Only the part that the
// replacement saves counts for the threshold: the Write that Fprintf makes remains.
//
// Without types it reports nothing.
//
// It misleads where one line has several statements.
package fmtformat
