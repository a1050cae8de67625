package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// longestSocket is the number of bytes that the path of a Unix socket may have: the system
// takes it in an array, with a zero after it.
const longestSocket = len(syscall.RawSockaddrUnix{}.Path) - 1

// reachSocket reports that nobody listens at the Unix socket. A TCP service may
// come back under the load, at an address that was its own before; a path that
// is not there is most often a wrong one, and the load would only count that.
func (o *Options) reachSocket(ctx context.Context) error {
	if o.Socket == "" {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(within, "unix", o.Socket)
	switch {
	case err == nil:
		return conn.Close()
	case within.Err() != nil, errors.Is(err, syscall.EAGAIN): // somebody has much to do
		return nil
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		err = errno // without the path, which the error names already
	}
	return fmt.Errorf("connect to the Unix socket %s: %w: start the service first, or name the path where it listens", o.Socket, err)
}
