package conformance

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// drained waits until the other side of a Unix socket has read what was sent:
// there, unlike with TCP, the kernel says so.
func (c *conn) drained() {
	u, ok := c.Conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return
	}
	for unread := 1; unread > 0; runtime.Gosched() {
		unread = 0
		raw.Control(func(fd uintptr) {
			if n, err := unix.IoctlGetInt(int(fd), unix.TIOCOUTQ); err == nil {
				unread = n
			}
		})
	}
}
