// Package agentcopy writes the source of package agent into the user's module, so
// that a program can import it without a clone of whet and without a replace line.
//
// It answers where such a copy may go, which version lies there, and whether it is
// as whet wrote it. Its input is the source that the binary carries, and the
// directory. The directory is the copy's alone: agent.sum in it has the version and
// the SHA-256 of each file, so that a later copy takes the place of an earlier one
// but never that of what somebody changed. A copy is written beside and put in place
// whole: what fails leaves everything as it was.
//
// It misleads about a copy whose agent.sum was edited to fit.
package agentcopy
