// Package jsonreencode is the rule that finds JSON which is decoded into maps
// and interfaces only to be encoded again: a payload that is handed on.
//
// It starts from the statements that the profile shows decoding, and follows in
// the source what they decode into: a variable of type any (or maps and slices
// of it), or a field of that type of a struct. Where nothing but an encoder of
// the same package uses the value or a part of it, in the function, in its caller
// or in a function that it is handed to, the bytes could have been handed on as
// they came.
//
// A codec is known by the stems of its names: Unmarshal or Decode with an address
// last, and Marshal or Encode with the value first, of one package that is
// encoding/json or none of the standard library.
//
// The avoidable part is making the values, and encoding them; scanning the text
// stays, as json.RawMessage needs it too, and so does copying the result. Of
// packages other than encoding/json the inside is not known. There all of the
// encoding counts. Of the decoding all counts where the value is handed on whole;
// where a part of a map is, what makes values, by the runtime's functions and
// those of package reflect below it; of a struct only what fills maps and
// interfaces. A field that is encoded with its struct is left out.
//
// It misleads where the round trip is meant: it sorts keys, drops all but the
// last of equal keys, and rounds numbers to float64. In a map of another
// library the values that are read count as avoidable beside those that are
// handed on, and the copy that the raw type makes of its text is not taken off.
package jsonreencode
