// Package doctor reports which instruments whet can use on this machine: it tries
// each and reports whether it works, works with limits, or is absent, why, and what
// would help.
//
// It takes a short profile of each kind of itself, asks the compiler for its
// diagnostics on a package of three lines, and reads the system's clock, processors,
// limits and load. With -cost it drives a service in turns with and without each
// instrument, and compares the service's CPU time for a request.
//
// It misleads about later measurements: a machine that is quiet now may be busy
// then.
package doctor
