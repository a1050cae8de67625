// Package goroutineleak is the rule that finds goroutines that an iteration, a
// request or a program leaves behind.
//
// It reads how many goroutines there were all along, and profiles of them: one
// of the end, and others from earlier in the run. Goroutines are told apart by
// their first function. A kind of them is left behind where the number of all
// rises from the beginning to the end and still does at the end, and that
// kind's own number has risen with it. A benchmark whose run was too short to be
// watched needs as many at the end as it had iterations, or a whole multiple.
// Where the runtime itself proves leaks (the profile goroutineleak), what it
// lists is left behind whatever the numbers did.
//
// Where they were started is read from the source: the go statement, or the
// call of a method Go, that has the first function. Where they stand is the
// innermost line of the user's own code and what the runtime has them wait for.
//
// It misleads where goroutines end by themselves, but later than the run: those
// that sleep are said to. A program that needs ever more goroutines as long as
// it runs looks as one that leaks.
package goroutineleak
