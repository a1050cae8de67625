// Package prealloc is the request statistics with its lists of tags and parts
// made with the capacity they need. The rest is as in the stage before,
// byteloop: a loop cleans each tag, strings.Join makes the name, the host's
// name is asked for in every request.
//
// Today's compiler puts the first memory of a small list that does not escape
// on the stack by itself, so that less is left for this step to save than when
// it was published.
package prealloc
