// Package cli is the part of the command line that all verbs share.
//
// A verb is a [Command]: its name, help and flags, and a function that runs with an
// [Env], the standard streams, the arguments and the abilities of the terminal. It
// ends with an error: [UsageError], [ExitError] with another exit code, or any
// other, which means that it failed. [Env.Emit], [WriteFile] and [WriteResult] write
// outputs under a temporary name and rename them when complete; [Abandonable] stops
// a read-only operation without waiting for it; [StatusLine] shows progress on a
// terminal. Package app has the table of verbs and parses the command line.
//
// It misleads about a device or a pipe as an output, which it writes directly: an
// interrupted run leaves a part.
package cli
