// Package goroutineleak is the rule that finds goroutines that an iteration, a request
// or a program leaks.
//
// It reads the number of goroutines over the run, and goroutine profiles: one of the
// end, and others from earlier. Goroutines are grouped by their first function. A group
// leaks if the total number rises from the beginning to the end and still does at the
// end, and the group's own number has risen with it. A benchmark whose run was too
// short to be watched must have as many at the end as it had iterations, or a whole
// multiple. If the runtime itself proves leaks (the profile goroutineleak), the
// goroutines it lists leak whatever the numbers were.
//
// The source shows where they were started: the go statement, or the call of a method
// Go, with the first function. They are at the innermost line of the user's own code,
// with the reason for which the runtime has them wait.
//
// It misleads where goroutines end later than the run; the finding mentions those that
// sleep. A program that needs ever more goroutines as long as it runs looks like one
// that leaks.
package goroutineleak
