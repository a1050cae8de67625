// Command testlog reads `go test -json`, prints what `go test` would have printed,
// and at the end the numbers of tests that passed, failed and were skipped.
//
// It shows what `go test` without -v hides: whether a test was skipped. It prints a
// skip with its reason, and with CI=true in the environment a skip makes the exit
// code 1, as a failure does.
//
// It omits the output of tests that passed, and prints the output of a failed
// package as a whole when the package ends. The exit code is also 1 if the stream
// ends before a package does, has no test at all, or has the event "failed", which
// the Makefile adds when go test fails, without an explanation.
package main
