// Package scaling says how the cost of an operation grows with its size, from
// benchmarks whose names differ in one number.
//
// It answers: with which power of the number do time, bytes and allocations grow,
// and how sure is that. Benchmarks belong together that have the same name but for
// one number: n=100 and n=1000, Sort/1k and Sort/10k, Fib10 and Fib20.
//
// # The exponent
//
// The logarithm of t = a·n^b is a straight line; b is its slope by least squares, and the
// interval Student's, from the distances of the points to the line (N. R. Draper and
// H. Smith, Applied Regression Analysis, Wiley 1998, chapter 1). A fixed part of the
// cost bends the line at its lower end, so the slope between the two largest sizes is
// told too.
//
// It misleads where the number is not a size: names of types and hashes (int32,
// sha256) are left out, other such names are not recognised. Three points are the
// fewest; the interval of three that lie on no line is wide, and says so.
package scaling
