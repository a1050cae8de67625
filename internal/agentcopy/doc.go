// Package agentcopy copies the source of package agent into the user's module, so
// that a program can import it without a clone of whet and without a replace
// directive.
//
// Its input is the source embedded in the binary, and a directory. It reports
// whether a copy may be made there, which version is there, and whether it was
// changed. The directory belongs to the copy alone: its agent.sum has the version
// and the SHA-256 of each file, so that a newer copy replaces an older one but never
// a file that the user changed. A copy is written to a temporary directory and
// renamed when complete; on error nothing changes.
//
// It misleads about a copy whose agent.sum was edited to match.
package agentcopy
