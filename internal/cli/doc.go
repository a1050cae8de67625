// Package cli is what every verb of the command line needs: it answers how a
// run meets its user.
//
// A verb is a [Command]: its name, help and flags, and what runs with an [Env],
// the standard streams, the arguments and what the terminal can show. It ends
// with an error: [UsageError], [ExitError] with another exit code, or any other,
// which means that it failed. [Env.Emit], [WriteFile] and [WriteResult] write
// outputs under a temporary name and rename them when whole; [Abandonable] ends
// what only reads without waiting for it; [StatusLine] is progress on a
// terminal. What verbs are there, and how a command line becomes one of them,
// is package app's.
//
// It misleads about a device or a pipe as an output, which is written to as it
// stands: of an interrupted run a part is there.
package cli
