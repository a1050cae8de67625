// Package review says what a recording found where a change is looked at: as
// commands of GitHub's workflows, as SARIF 2.1.0, and as Markdown for a pull
// request.
//
// Its input is the page of a recording. Findings name files relative to their
// module's root, and a review those relative to the repository's: the caller says
// where the one lies in the other. Titles, functions and files come from what was
// measured and are escaped as each format asks for.
//
// A finding is an error where the caller's bar counts it, a warning where its
// confidence is high or medium, and else a note.
//
// It misleads where the recording is not of the revision that is looked at: its
// lines are those of the source that was measured.
package review
