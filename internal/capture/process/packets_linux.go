package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// packetSlots is the capacity asked for: a pipe of packets holds one write
	// a page, and the runtime prints a line of gctrace with fifty.
	packetSlots = 1 << 20
	maxPacket   = 4 << 10 // PIPE_BUF: what is longer comes in several
	many        = 100     // writes of a program that prints more than 100,000 a second
	// gather is how long writes come together before they are read, unless
	// there are very many: each would wake the reader otherwise, at the
	// command's expense, which takes longer than the write itself.
	gather = time.Millisecond
)

// packets carries the command's stderr, each write by itself: of a pipe in
// packet mode a read returns what one write put in.
type packets struct{ packetPipe }

// packetPipe is a pipe of packets that a command writes to and a goroutine of ours reads.
type packetPipe struct {
	r, w *os.File
	done chan struct{} // closed when all has been read
}

func newPackets() (*packets, error) {
	// A smaller pipe makes the writer wait more often, and no more than that.
	p, err := newPacketPipe(packetSlots)
	if err != nil {
		return nil, err
	}
	return &packets{p}, nil
}

// newPacketPipe returns a pipe of packets of about this size in bytes: it holds a write a
// page.
func newPacketPipe(size int) (pipe packetPipe, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_DIRECT); err != nil {
		return pipe, os.NewSyscallError("pipe2", err)
	}
	unix.FcntlInt(uintptr(p[0]), unix.F_SETPIPE_SZ, size)
	// The reader's end alone, so that closing it ends a read that waits.
	if err := unix.SetNonblock(p[0], true); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		return pipe, os.NewSyscallError("fcntl", err)
	}
	return packetPipe{r: os.NewFile(uintptr(p[0]), "|0"), w: os.NewFile(uintptr(p[1]), "|1"), done: make(chan struct{})}, nil
}

// started begins to read; the command holds the other end now.
func (p *packets) started(to *stream) {
	p.w.Close()
	go func() {
		defer close(p.done)
		c, err := p.r.SyscallConn()
		if err != nil {
			return
		}
		buf := make([]byte, 256<<10)
		drained := 0
		c.Read(func(fd uintptr) bool {
			if drained < many {
				time.Sleep(gather)
			}
			for drained = 0; ; {
				var writes [][]byte
				n, err := 0, error(nil)
				for free := buf; len(free) >= maxPacket; free = free[n:] {
					if n, err = unix.Read(int(fd), free[:maxPacket]); n <= 0 {
						break
					}
					writes = append(writes, free[:n])
				}
				to.writeEach(writes)
				if drained += len(writes); n <= 0 && err != unix.EINTR {
					return err != unix.EAGAIN
				}
			}
		})
	}()
}

// ended waits for what is left in the pipe, no longer than a descendant may hold it.
func (p *packetPipe) ended() {
	t := time.NewTimer(pipeDelay)
	defer t.Stop()
	select {
	case <-p.done:
	case <-t.C:
	}
	p.r.Close()
	<-p.done
}

// drop closes both ends of a command that was not started.
func (p *packetPipe) drop() {
	p.w.Close()
	p.r.Close()
}
