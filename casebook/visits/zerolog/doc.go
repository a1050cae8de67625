// Package zerolog is the visit counter with its logger replaced: zerolog's
// typed fields in place of logrus. The answer, formatted into a pooled buffer,
// and the lock to the end of the request are as in the stages before, pool and
// logbuf.
package zerolog
