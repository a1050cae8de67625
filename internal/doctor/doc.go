// Package doctor answers what whet can measure with here: it tries each
// instrument and says that it works, works with less to be trusted, or is
// absent, why, and what would help.
//
// It takes a short profile of each kind of itself, asks the compiler for its
// diagnostics on a package of three lines, and reads what the system says of
// clock, processors, limits and load. With -cost it drives a service, in turns
// with each instrument and without, and compares the service's CPU time for a
// request.
//
// It misleads about what comes later: a machine that is quiet now may not be
// while it measures.
package doctor
