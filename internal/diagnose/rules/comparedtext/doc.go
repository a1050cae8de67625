// Package comparedtext is the rule that finds texts which are made only to be
// compared: two in lower case, a time as its date, bytes in hexadecimal.
//
// It knows a table of functions with what compares instead. It reads the samples
// below them, and asks of the typed view whether anything but == and != ever sees
// the text, by itself or through a variable.
//
// All of the function's work is avoidable: what compares instead costs little
// beside it.
//
// It misleads where the text is compared with something that exists only as a text,
// so that this has to be parsed once.
package comparedtext
