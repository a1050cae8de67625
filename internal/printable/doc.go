// Package printable makes untrusted text safe to print: names in profiles, lines of
// source, the output of another program.
//
// [Line] and [Source] write control characters and characters that hide or reorder
// text as readable escapes (\x1b, \u202e), so that two different names stay
// different and nothing is dropped. [JSON] does the same for a document that
// encoding/json has written. HTML and SVG also need html.EscapeString.
//
// It misleads about names that contain such escapes as text: `\n` in print may be a
// newline or a backslash and an n.
package printable
