// Package message makes the requests that a load sends.
//
// It answers: which bytes does each request contain? Its input are targets, from
// the command line, from a file in a format of package target or from a
// recording, and a seed; its output are Messages, complete and validated, which
// an engine only has to write. It sends nothing.
//
// # Choice of the target
//
// Several targets are sent in turn, over all streams together, so that n requests
// to n targets ask each one once. With weights the target of each request is
// drawn at random, with a probability in proportion to its weight.
//
// # Templates
//
// Path, query, header values and body of a target may contain generators between
// double braces:
//
//	{{seq}}           1, 2, 3 … over the whole load, each number once; {{seq 1000}} begins at 1000
//	{{int 1 1000}}    a whole number from 1 to 1000, both included, uniformly distributed
//	{{string 12}}     twelve letters and digits
//	{{hex 16}}        sixteen hexadecimal digits
//	{{uuid}}          a random UUID (version 4)
//	{{pick a b "c d"}} one of the words
//	{{csv.NAME}}      the value of a column of the CSV file; {{csv "A NAME"}} if it contains spaces
//	{{"{{"}}          a quoted text, unchanged: here two braces
//
// Within one request all columns are from one row, and {{seq}} is one number; the
// other generators draw a new value at each place. Rows are taken in turn over
// all streams, and again from the first after the last. A text without "{{" is no
// template, and a Literal target never is.
//
// Values in a URL are escaped for their position: before the question mark as a
// path segment, in which a slash becomes %2F, and after it as a query value. A
// value with an ampersand is therefore one value, and no value can break out of
// the URL. Values in headers and bodies are not escaped. A word before the
// generator changes this:
//
//	{{raw csv.path}}    in a URL: unescaped, except bytes that no URL may contain
//	{{query csv.name}}  escaped as in a query, for bodies that are forms
//	{{json csv.name}}   escaped as between the quotes of a JSON string
//
// Line breaks and other control characters in a header, also from a row of the
// CSV file, are refused when the set is made, and so are values that make a URL,
// a header or a body longer than any service accepts.
//
// # Randomness
//
// A random value is a function of the seed, of the stream's number and of the
// number of messages that the stream has made. {{seq}}, rows and targets in turn
// are shared by all streams: which stream gets which depends on the streams'
// speeds, but each is used once, in order.
//
// # When it misleads
//
// A cache answers repeated requests: {{int 1 1000}} asks uniformly for a thousand
// things, while users ask for few things often. A CSV file of real requests has
// their frequencies. Values of other lengths make requests of other lengths.
package message
