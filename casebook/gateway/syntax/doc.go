// Package syntax says which texts the gateway takes as JSON, and walks over
// them without making anything of them.
//
// The question it answers is whether a text is one JSON value that every
// reader of it must read alike. json-iterator, which the stages before best
// decode with, does not answer it: what it skips it reads by other rules than
// what it decodes, and both let texts pass that are no JSON ({null:1}, -+1,
// {}, NUL and anything after it). So every stage puts this before its decoder,
// and best, which has no other, builds on it.
//
// A text passes when encoding/json's Valid says so and, beyond that,
//
//   - it is UTF-8 throughout (RFC 8259, section 8.1);
//   - no \u escape is half of a surrogate pair: such a string stands for no
//     text, and each decoder makes something else of it (section 8.2; RFC 7493
//     forbids it);
//   - arrays and objects nest no deeper than the caller allows (section 9).
//
// The method is one pass over the bytes with a stack of one bit a level, and
// eight bytes at a time inside strings. The fuzz targets hold it to
// encoding/json.
//
// It misleads who takes a text that passes for one of unique names: an object
// may repeat a name here, as in encoding/json. Numbers are looked at for their
// form alone: 1e999 is one.
package syntax
