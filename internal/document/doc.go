// Package document writes whet's JSON: the documents that verbs print with -json,
// and the JSON files of a recording.
//
// Its input is a struct that begins with a [Head], or an [Object] that begins with
// the result of [Begin]. [Write] prints it, [WriteLine] prints it on one line, a
// [Stream] prints one that is too large for memory, and [Format] returns it as a
// file. All indent by two spaces, keep the characters <, > and &, and escape
// characters that control a terminal. [Schemas] is the table of all documents and
// the verbs that write them.
//
// A document begins with its schema and its warnings, which are never null. Null
// means unknown and 0 means measured. Keys end in their units. A value that is not a
// number ([Known]) is unknown. The writer enforces the first rule only: a list that
// a package leaves nil is null.
package document
