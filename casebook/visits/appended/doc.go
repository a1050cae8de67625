// Package appended is the visit counter without fmt: the answer's parts are
// appended to the pooled buffer one by one. It is the published stage called
// append, which is no name for a package. The lock is still held to the end of
// the request; the stage after this one, final, holds it for the count only.
package appended
