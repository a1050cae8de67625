package process

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Gates reports whether this system can stop a command at its writes.
const Gates = true

// gatePipe is a pipe that holds one write: a second one waits until the first is read.
type gatePipe struct {
	packetPipe
	gate *Gate
}

func newGatePipe(g *Gate) (*gatePipe, error) {
	p, err := newPacketPipe(os.Getpagesize())
	if err != nil {
		return nil, err
	}
	if size, err := unix.FcntlInt(p.w.Fd(), unix.F_GETPIPE_SZ, 0); err != nil || size != os.Getpagesize() {
		p.drop()
		return nil, fmt.Errorf("a pipe for one write: it has room for %d bytes: %w", size, errors.ErrUnsupported)
	}
	return &gatePipe{p, g}, nil
}

// started begins to read; the command holds the other end now.
func (p *gatePipe) started(to io.Writer) {
	p.w.Close()
	go func() {
		defer close(p.done)
		c, err := p.r.SyscallConn()
		if err != nil {
			return
		}
		buf := make([]byte, maxPacket)
		hold := false
		for {
			n := 0
			if hold {
				// The write is there, and stays in the pipe, where the next one has no room.
				err = c.Read(func(fd uintptr) bool {
					ready, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
					return ready > 0
				})
				if err == nil && !p.wait() {
					hold = false
				}
			}
			if err == nil {
				err = c.Read(func(fd uintptr) bool {
					var e error
					if n, e = unix.Read(int(fd), buf); e == unix.EAGAIN || e == unix.EINTR {
						return false
					}
					return true
				})
			}
			if err != nil || n <= 0 {
				return
			}
			to.Write(buf[:n])
			hold = p.gate.holds(buf[:n])
		}
	}()
}

// wait tells that the command waits, until it may go on. It returns false when the
// command has ended.
func (p *gatePipe) wait() bool {
	select {
	case p.gate.held <- struct{}{}:
	case <-p.gate.over:
		return false
	}
	select {
	case <-p.gate.next:
		return true
	case <-p.gate.over:
		return false
	}
}
