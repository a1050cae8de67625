// Package docs keeps the documentation true: its test runs every command that
// README.md and the pages beside this file show, and compares what they print.
//
// A block fenced as "console" holds commands after "$ " (continued after
// "> " after a backslash) and what each prints, stdout and stderr as a
// terminal would show them. "…" in a line stands for any text, and a line of
// nothing but "…" for any number of lines; a command without output is run for
// its exit code, which is 0 unless the command ends in "# exit 3". A block
// fenced as "console sample" holds the real output of one run, figures and all:
// of it only the lines at the margin that hold no figure have to come again, in
// their order. "console sample until WORD" leaves out what lies between the
// first line that begins with WORD and the last paragraph. All commands of a
// page run one after the other in a copy of the tree. A whet tune, record or prove
// that stands in several pages, word for word but for the file that its output goes
// to, is run for the first of them, and the others find what it printed and wrote:
// it must not depend on the commands before it.
//
// Blocks fenced as "sh" are not run: they may hold only the few commands that
// a test cannot give, listed in the test.
//
// `go test ./docs -update` writes the real output into samples and into blocks
// without "…".
package docs
