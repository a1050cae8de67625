// Command testlog reads `go test -json` and prints what `go test` would have
// printed, and at the end how many tests passed, failed and were skipped.
//
// It answers the one thing that `go test` without -v does not say: whether a
// test was skipped. A skip is printed with its reason, and with CI=true in the
// environment it makes the exit code 1, as a failure does.
//
// Output of tests that passed is left out, and output of a package that
// failed comes as a whole once the package is done. It misleads nobody who
// reads the exit code: that is 1 as well when the stream ends before a package
// does, holds no test at all, or has the event "failed", which the Makefile adds
// where go test fails, and nothing that says why.
package main
