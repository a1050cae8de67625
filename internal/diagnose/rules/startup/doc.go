// Package startup is the rule that finds work before a program's main begins.
//
// The runtime reports for each package how long its initialization took and what it
// allocated (GODEBUG=inittrace=1); the profiles of the run show the line. The share is
// that of the run's wall time.
//
// It misleads for a program that runs longer elsewhere: its start is then a smaller
// part.
package startup
