// Package constantwork is the rule that finds work repeated in every call although its
// result does not change: the host name, a time zone's data, a template or an address
// parsed from a constant, a constant file read, a replacer built from constants, a
// large map or slice literal.
//
// It has a table of functions, with the arguments of each that determine the result,
// and with what can change the result nevertheless while the program runs: a host name,
// a file, an environment variable. The remedy mentions that. A literal is claimed if
// the function only reads it.
//
// It reads the samples below these functions (for a literal, those of the runtime code
// that builds it) and the types, to find fixed arguments. The work of html/template at
// a template's first execution counts with the parsing if the source leads from the
// executed variable to it.
//
// It misleads where one line has several statements, and where code that the source
// does not show changes a result that would be shared.
package constantwork
