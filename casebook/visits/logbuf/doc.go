// Package logbuf is the visit counter with its log message built in a buffer
// from the pool that the answers use: no map of fields any more, still logrus.
// A formatter of its own writes the message as it is, for the fields stand in
// it. The answer and the lock are as in the stage before, pool.
package logbuf
