// Package tabletest checks that a table of bench/README.md is what the program
// that makes it makes of the samples that are kept: a test of each program calls
// it from the program's own directory.
package tabletest
