// Package explore shows profiles in the views of go tool pprof and some more.
//
// A view ([Commands]) is a verb and a command of the prompt, which reads commands as
// go tool pprof does. One table defines its options: flags, assignments in the
// prompt, completion and help. Package profiles opens the operands, package
// selection chooses samples and frames, and packages view and flame lay out the
// view. This package chooses the view and its destination: the standard output, or a
// file, which it replaces when complete and which is never one of its inputs.
//
// It misleads where words differ from pprof's: it has no PNG, PDF or web server, and
// a word that pprof would take for a command may be the value of a flag.
package explore
