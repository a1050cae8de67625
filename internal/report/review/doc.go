// Package review prints the findings of a recording for code review: as commands of
// GitHub's workflows, as SARIF 2.1.0, and as Markdown for a pull request.
//
// Its input is the page of a recording. Findings name files relative to their
// module's root, and a review relative to the repository's: the caller passes the
// module's directory in the repository. Titles, functions and files come from the
// measured program and are escaped for each format.
//
// A finding is an error if the caller's bar counts it, a warning if its confidence
// is high or medium, and otherwise a note.
//
// It misleads if the recording is not of the reviewed revision: its lines are those
// of the measured source.
package review
