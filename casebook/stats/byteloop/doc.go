// Package byteloop is the request statistics with the regular expression
// replaced by a loop over the bytes of a tag. The rest is as in the stage
// before, original: lists grown by append, strings.Join, the host's name asked
// for in every request.
//
// The loop that was published knew space and tab alone and left line feed,
// carriage return and form feed in the name, which the regular expression had
// replaced. This one replaces them.
package byteloop
