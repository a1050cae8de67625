// Package constantwork is the rule that finds work repeated in every call
// although its result does not change: the host name, a time zone's data, a
// template or an address parsed from a constant, a constant file read, a
// replacer built of constants, a large map or slice literal.
//
// It knows a table of functions, and for each which arguments decide about the
// result, and what could change it all the same while the program runs: a host
// name, a file, an environment variable. That is said in the remedy. A literal
// is claimed where the function only reads it.
//
// It reads the samples below these functions (of a literal: those of the
// runtime that builds it) and the types for which arguments are fixed.
// What html/template does at a template's first execution is counted with the
// parsing where the source leads from the executed variable to it.
//
// It misleads where one line holds several statements, and where a result that
// would be shared is changed by someone the source does not show.
package constantwork
