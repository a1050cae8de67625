// Package printable makes text that came from outside safe to print: names in
// profiles, lines of source, words of another program.
//
// [Line] and [Source] write what a terminal would obey and what hides or
// reorders text as escapes that can be read (\x1b, \u202e), so that two
// different names stay different and nothing is dropped. [JSON] does the same
// for a document that encoding/json has written. HTML and SVG need
// html.EscapeString besides.
//
// It misleads about names that hold such escapes as text: `\n` in print may be
// a newline or a backslash and an n.
package printable
