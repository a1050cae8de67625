// Package noescape is the third step of the gateway's tuning: the body is
// decoded into a local of its own, which is then assigned, and the answer is
// encoded from one. Only these escape now; the struct with all that is known of
// a request stays on the stack, the array of names in it too, which is ours: see
// the step before, rawmessage. The rest is as there.
package noescape
