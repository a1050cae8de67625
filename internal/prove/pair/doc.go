// Package pair holds what the proofs of two commands and of two services share:
// how a command line is taken apart, the settings of a run, and how the rounds
// become a result.
//
// A command line is split as a POSIX shell splits one, and nothing in it is
// expanded: quotes and backslashes mean what they mean there. What only a shell
// could do, such as a pipe, is refused and not passed on as an argument, since
// the two would measure different things; sh -c 'a | b' runs one.
//
// It misleads nobody by itself; what a verdict is worth is said in packages
// rounds and compare, and what was measured in command and service.
package pair
