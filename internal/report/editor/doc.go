// Package editor is a language server: it shows an editor what a recording knows
// of the lines of the files that are open in it, as code lenses, hovers and
// diagnostics, over the Language Server Protocol 3.17.
//
// Its input are pages of package listing, which it asks for whenever the editor
// wants something, so that a newer recording is shown as soon as there is one, and
// the texts that the editor holds. Lines of the source that was measured are found
// in these texts by their difference (lines.Map): a line that was changed since
// shows nothing, and after an edit the figures of the others stay with their lines.
//
// It knows only full texts (TextDocumentSyncKind.Full) and positions in UTF-16. It
// misleads where a file of the same name on this machine is not the one that was
// measured, as a page does.
package editor
