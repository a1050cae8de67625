// Package explore looks at profiles: it answers what a profile holds, in the
// views of go tool pprof and some more.
//
// A view ([Commands]) is a verb and words of the prompt, which reads commands as
// go tool pprof does. Its options are one table: flags, assignments in the
// prompt, completion and help. Package profiles opens the operands, package
// selection chooses samples and frames, and package view or flame lays out what
// is asked for; here it is decided which, and where it goes: to the standard
// output, or to a file that is replaced once it is whole, and never one that is
// read.
//
// It misleads where words differ from pprof's: PNG, PDF and a web server are not
// there, and a word that is taken for one of pprof's may be a flag's value.
package explore
