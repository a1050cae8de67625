// Package program builds a main package with whet's agent in it, and prepares
// a private place for what the agent of one run leaves behind.
//
// It answers how a program, or a service that whet starts, can be measured
// from before main to its end without a change to its source. The input is a
// package that gobench resolved. [Build] has the go command build it with an
// overlay, which adds three things that are on no disk where the user works:
// the agent as package internal/whetagent below the main package, one file of
// package main that imports it, and one file of the standard library's
// runtime/metrics that lets the agent run as the process exits, so that
// os.Exit and log.Fatal keep the profiles too. That package is a leaf: nothing
// else of the standard library is rebuilt. No file in the user's tree is
// written.
//
// The binary starts its agent when it finds [Agent.Env] in its environment,
// and is the user's program as it was when it does not. [NewAgent] makes one
// run's directory, and [Agent.Read] reads what the run left there.
//
// # When it misleads
//
// Packages are initialised before the agent's when they do not import each
// other and their paths come first in the alphabet, and then what they do is
// not measured. When one of them ends the program there are no profiles at
// all. What package main itself initialises is always measured.
//
// The agent is not in a child process that the program starts, nor in the
// program that it replaces itself with: what they do is not measured.
//
// A panic, a signal and a call of C's exit skip the exit hooks. What the agent
// had written until then is there, and its manifest says "running".
//
// The binary carries no version control stamp, so what it says of its own
// version may differ from what an ordinary build says.
//
// A toolchain that the go command fetched lies in the module cache, where no
// overlay may add a file. It is then reached by a symbolic link that is gone
// after the build, and the standard library's files carry that link's name in
// profiles and in runtime.GOROOT.
package program
