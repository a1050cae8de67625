//go:build linux

package fast

import (
	"errors"
	"syscall"

	"whet/internal/load/record"
	"whet/internal/load/wire"
	"whet/internal/loadresult"
)

// errEnded is an end of the connection where an answer was to begin.
var errEnded = errors.New("the connection was closed before an answer")

// errUnasked is an answer to no request.
var errUnasked = errors.New("the server sent more than was asked for")

// connectError is the reason why there is no connection.
type connectError struct{ errno syscall.Errno }

func (e connectError) Error() string { return "connect: " + e.errno.Error() }
func (e connectError) Unwrap() error { return e.errno }

// kindOf returns the kind of an error that ended a connection or of a fault in its
// data.
func kindOf(err error) string {
	bad, isBad := errors.AsType[wire.Error](err)
	switch {
	case err == errEnded, bad == wire.ErrNoAnswer:
		return loadresult.Reset
	case bad == wire.ErrShort:
		return loadresult.ShortBody
	case isBad, err == errUnasked:
		return loadresult.BadAnswer
	}
	return record.KindOf(err, false)
}

// othersMayDo reports that an address which failed so may be the only one that
// does.
func othersMayDo(errno syscall.Errno) bool {
	switch record.KindOfErrno(errno) {
	case loadresult.NoFiles, loadresult.NoPorts:
		return false
	}
	return true
}
