// Package rawmessage is the second step of the gateway's tuning: the body is
// decoded into a struct whose payload is a json.RawMessage, and so is the
// answer's. The payload is no longer made into values and back.
//
// Published, it was slower than the step before and took more bytes: all that
// is known of a request is in one struct, the decoder is given the address of a
// part of it, and so the whole of it escapes to the heap. That has been left
// as it was.
//
// By json-iterator's defaults this step changes more than its cost: payloads
// go on byte for byte, with what a map replaces on the way; names are taken in
// any case, headers that are given twice are merged, and some numbers refused
// that a map takes. The comment of package gateway has the rules that keep the
// original's behaviour.
package rawmessage
