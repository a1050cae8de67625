// Package startup is the rule that says what a program does before its main begins.
//
// The runtime says for each package how long its initialization took and what it
// allocated (GODEBUG=inittrace=1); the profiles of the run say at which line. The share is
// that of the run's wall time.
//
// It misleads for a program that is run for longer elsewhere: its start-up then is a
// smaller part.
package startup
