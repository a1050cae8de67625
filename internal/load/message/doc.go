// Package message makes the requests that a load sends.
//
// It answers: which bytes does request after request carry? Its input are
// targets, as of the command line, of a file in a format of package target or
// of a recording, and a seed; its output are Messages, whole and checked, which
// an engine only has to write. It sends nothing.
//
// # Which target
//
// Of several targets each is sent in turn, over all streams together, so that n
// requests to n targets ask each one once. With weights a target is drawn at
// random for each request, with a probability in proportion to its weight.
//
// # Templates
//
// Path and query, header values and body of a target may hold generators
// between double braces:
//
//	{{seq}}           1, 2, 3 … over the whole load, each number once; {{seq 1000}} begins with 1000
//	{{int 1 1000}}    a whole number from 1 to 1000, both included, evenly drawn
//	{{string 12}}     twelve letters and digits
//	{{hex 16}}        sixteen hexadecimal digits
//	{{uuid}}          a random UUID (version 4)
//	{{pick a b "c d"}} one of the words
//	{{csv.NAME}}      the value of a column of the CSV file; {{csv "A NAME"}} where it holds spaces
//	{{"{{"}}          a quoted text, as it is: here two braces
//
// Within one request all columns are of one row, and {{seq}} is one number; the
// other generators draw anew wherever they stand. Rows are taken in turn over
// all streams, and from the first one again after the last. A text without "{{"
// is no template, and a Literal target never is.
//
// Values in a URL are escaped for the place where they stand: before the
// question mark as a segment of a path, in which a slash becomes %2F, and after
// it as a value of a query. So a value with an ampersand is one value, as its
// user means it, and no value can break out of the URL. Values in headers and
// bodies stand as they are. A word before the generator says otherwise:
//
//	{{raw csv.path}}    in a URL: as it is; only bytes that no URL may hold are escaped
//	{{query csv.name}}  as in a query, for bodies that are forms
//	{{json csv.name}}   as between the quotes of a JSON string
//
// Line breaks and other control characters in a header are refused when the set
// is made, also where a row of the CSV file would bring them in, and so are values
// that make a URL, a header or a body longer than any service takes.
//
// # What is random
//
// What is drawn at random is a function of the seed, of the stream's number and
// of how many messages the stream has made. {{seq}}, rows in turn and targets in
// turn are handed out over all streams: which of several streams gets which
// depends on their speed, and only that each is handed out once, in order, does
// not.
//
// # When it misleads
//
// A cache answers what it has seen: {{int 1 1000}} asks evenly for a thousand
// things, while users ask for few things often. A CSV file of what users asked
// for has their frequencies. And values of other lengths make requests of other
// lengths.
package message
