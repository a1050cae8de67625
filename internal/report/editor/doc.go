// Package editor is a language server: it shows the costs in a recording on the
// lines of open files, as code lenses, hovers and diagnostics, over the Language
// Server Protocol 3.17.
//
// Its input are pages of package listing, which it requests anew for each request of
// the editor, so that it shows a newer recording at once, and the texts that the
// editor holds. It maps the lines of the measured source to these texts by their
// difference (lines.Map): a line that was changed since shows nothing, and after an
// edit the figures of the others stay with their lines.
//
// It supports only full texts (TextDocumentSyncKind.Full) and positions in UTF-16.
// Like a page it misleads if a file of the same name on this machine is not the
// measured one.
package editor
