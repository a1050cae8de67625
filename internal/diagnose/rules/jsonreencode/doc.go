// Package jsonreencode is the rule that finds JSON which is decoded into maps and
// interfaces only to be encoded again: a payload that is passed on.
//
// It starts from the statements that decode according to the profile, and follows the
// decoded value in the source: a variable of type any (or maps and slices of it), or a
// field of that type of a struct. If only an encoder of the same package uses the value
// or a part of it, in the function, in its caller or in a function to which it is
// passed, the bytes could have been passed on unchanged.
//
// A codec is known by its function names: Unmarshal or Decode with an address as the
// last argument, and Marshal or Encode with the value as the first, of one package that
// is encoding/json or outside the standard library.
//
// Creating the values and encoding them is avoidable; scanning the input remains,
// because json.RawMessage needs it too, and so does copying the result. The inside of
// packages other than encoding/json is unknown. There all of the encoding counts. If
// the value is passed on as a whole, all of the decoding counts; if a part of a map is,
// the samples in functions of the runtime and of package reflect that create values;
// for a struct only those that fill maps and interfaces. A field that is encoded with
// its struct is left out.
//
// It misleads where the round trip is intended: it sorts keys, drops all but the last
// of equal keys, and rounds numbers to float64. In a map of another library, values
// that are read count as avoidable beside those that are passed on, and the copy that
// the raw type makes is not subtracted.
package jsonreencode
