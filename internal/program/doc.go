// Package program builds a main package with whet's agent in it, and prepares a
// private directory for the agent's files of one run.
//
// It answers how a program, or a service that whet starts, can be measured from
// before main to its end without a change to its source. The input is a package
// resolved by gobench. [Build] runs the go command with an overlay, which adds
// three files that exist nowhere in the user's directories: the agent as package
// internal/whetagent below the main package, one file of package main that
// imports it, and one file of the standard library's runtime/metrics that runs
// the agent when the process exits, so that os.Exit and log.Fatal keep the
// profiles too. That package is a leaf: nothing else of the standard library is
// rebuilt. No file in the user's tree is written.
//
// The binary starts its agent if it finds [Agent.Env] in its environment, and
// behaves like the user's program otherwise. [NewAgent] makes one run's
// directory, and [Agent.Read] reads the files that the run wrote there.
//
// # When it misleads
//
// Packages that do not import each other are initialized in alphabetical order:
// those before the agent's package are not measured. If one of them ends the
// program there are no profiles at all. The initialization of package main itself
// is always measured.
//
// The agent is not in child processes, nor in a program that replaces this one
// (exec): their work is not measured.
//
// A panic, a signal and a call of C's exit skip the exit hooks. The files that
// the agent had written until then remain, and its manifest says "running".
//
// The binary has no version control stamp, so the version that it reports may
// differ from that of an ordinary build.
//
// A toolchain fetched by the go command is in the module cache, where no overlay
// may add a file. The build then uses a symbolic link to it, which is removed
// afterwards, and the standard library's files have that link's name in profiles
// and in runtime.GOROOT.
package program
