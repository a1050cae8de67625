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
// The avoidable part is making the values, and encoding them; scanning the text
// stays, as json.RawMessage needs it too, and so does copying the result. Of
// packages other than encoding/json the inside is not known: there only a value
// that is handed on whole is claimed, with all of its cost.
//
// It misleads where the round trip is meant: it sorts keys, drops all but the
// last of equal keys, and rounds numbers to float64.
package jsonreencode
