// Package noescape is the third step of the gateway's tuning: the body is
// decoded into a local of its own, which is then assigned, and the answer is
// encoded from one. Only these escape now; the struct with all that is known of
// a request stays on the stack. The rest is as in the step before, rawmessage.
package noescape
