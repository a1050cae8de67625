// Package document writes whet's JSON: every document that a verb prints with
// -json, and every file of a recording that is one.
//
// Its input is a struct that begins with a [Head], or an [Object] that begins with
// what [Begin] makes; [Write] prints it, [WriteLine] prints it on one line, a
// [Stream] prints one that is too large to hold, and [Format] makes a file of it.
// All write two spaces of indent, the characters <, > and & as they are, and what a
// terminal would obey as escapes. [Schemas] is the table of what is written, by whom.
//
// The rules of a document: it begins with its schema and its warnings, and
// warnings are never null; null is unknown and 0 is measured; units stand in the
// names of keys. What is not a number ([Known]) is unknown. The writer holds a
// document to the first rule only: lists that a package leaves nil are null.
package document
