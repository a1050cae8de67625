// Package scaling estimates how the cost of an operation grows with its size, from
// benchmarks whose names differ in one number.
//
// It answers with which power of the number time, bytes and allocations grow, and
// how certain that is. Benchmarks form a family if their names are the same but for
// one number: n=100 and n=1000, Sort/1k and Sort/10k, Fib10 and Fib20.
//
// # The exponent
//
// The logarithm of t = a·n^b is a straight line; b is its slope by least squares,
// and the interval is Student's, from the distances of the points to the line (N. R.
// Draper and H. Smith, Applied Regression Analysis, Wiley 1998, chapter 1). A fixed
// part of the cost bends the line at its lower end, so the slope between the two
// largest sizes is reported too.
//
// It misleads if the number is not a size: names of types and hashes (int32, sha256)
// are excluded, other such names are not recognised. A family has at least three
// points; the interval of three points far from a line is wide.
package scaling
