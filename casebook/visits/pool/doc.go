// Package pool is the second attempt at the visit counter's answer: it is
// formatted into a buffer from a sync.Pool and written once. The rest is as in
// the stage before, fprintf: logrus with a map of fields, one lock to the end
// of the request.
package pool
