package ring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrUnavailable is why there is no ring: an old kernel, or one that forbids it.
var ErrUnavailable = errors.New("io_uring is not available here")

// Options are the sizes of a ring.
type Options struct {
	Entries     uint32 // operations that one call can submit
	Completions uint32 // unread completions that fit; at least Entries
	Files       uint32 // slots for sockets
	// Submitting, where set, is called each time before the kernel gets operations,
	// whichever method gives it some.
	Submitting func()
}

// Ring is a pair of queues. After Enable it belongs to one thread.
type Ring struct {
	// Batches reports whether the kernel can wait for several completions for a limited
	// time without waiting that long for the first.
	Batches bool

	fd       int
	memory   []byte // of both queues
	sqeBytes []byte

	sqHead, sqTail *uint32
	sqMask         uint32
	sqes           []sqe
	tail           uint32 // of operations that were written
	submitted      uint32 // of them given to the kernel

	cqHead, cqTail *uint32
	cqMask         uint32
	cqes           []cqe
	head           uint32 // of completions that were read

	arg     getEventsArg
	timeout unix.Timespec
	file    int32
	err     error // of a call between two waits

	groups     []*Buffers
	submitting func()
}

// New makes a ring that Enable has yet to bring to life.
func New(o Options) (*Ring, error) {
	const flags = setupCQSize | setupClamp | setupDisabled | setupSubmitAll | setupCoopTaskrun | setupSingleIssuer | setupDeferTaskrun
	p := params{flags: flags, cqEntries: max(o.Completions, o.Entries)}
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(o.Entries), uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return nil, setupError(errno)
	}
	r := &Ring{fd: int(fd), Batches: p.features&featMinTimeout != 0, submitting: o.Submitting}
	if err := r.begin(&p, o.Files); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func setupError(errno syscall.Errno) error {
	switch errno {
	case unix.ENOSYS:
		return fmt.Errorf("%w: the kernel does not have it, or a filter forbids its calls", ErrUnavailable)
	case unix.EPERM, unix.EACCES:
		return fmt.Errorf("%w: it is forbidden, by the sysctl kernel.io_uring_disabled or by a container's seccomp profile", ErrUnavailable)
	case unix.EINVAL:
		return fmt.Errorf("%w: the kernel is older than 6.1", ErrUnavailable)
	}
	return fmt.Errorf("set up io_uring: %w", errno)
}

// begin maps the queues and makes room for sockets.
func (r *Ring) begin(p *params, files uint32) error {
	const needed = featSingleMmap | featNoDrop | featExtArg | featCQESkip
	if p.features&needed != needed {
		return fmt.Errorf("%w: the kernel is older than 6.1", ErrUnavailable)
	}
	size := max(p.sq.array+p.sqEntries*4, p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(cqe{})))
	var err error
	if r.memory, err = r.mmap(offSQRing, int(size)); err != nil {
		return err
	}
	if r.sqeBytes, err = r.mmap(offSQEs, int(p.sqEntries)*int(unsafe.Sizeof(sqe{}))); err != nil {
		return err
	}
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.memory[off])) }
	r.sqHead, r.sqTail, r.sqMask = word(p.sq.head), word(p.sq.tail), *word(p.sq.mask)
	r.cqHead, r.cqTail, r.cqMask = word(p.cq.head), word(p.cq.tail), *word(p.cq.mask)
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&r.sqeBytes[0])), p.sqEntries)
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&r.memory[p.cq.cqes])), p.cqEntries)
	for i := range p.sqEntries {
		*word(p.sq.array + 4*i) = i // operations are in the order of the queue
	}
	if files > 0 {
		f := filesRegister{n: files, flags: registerSparse}
		if errno := r.register(registerFiles2, unsafe.Pointer(&f), unsafe.Sizeof(f)); errno != 0 {
			return fmt.Errorf("make %d slots for sockets in io_uring: %w", files, errno)
		}
	}
	return nil
}

func (r *Ring) mmap(offset int64, size int) ([]byte, error) {
	b, err := unix.Mmap(r.fd, offset, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map a queue of io_uring: %w", err)
	}
	return b, nil
}

func (r *Ring) register(op int, arg unsafe.Pointer, n uintptr) syscall.Errno {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), uintptr(op), uintptr(arg), n, 0, 0)
	return errno
}

// Enable makes the calling thread the one that may use the ring. The goroutine
// must be locked to it.
func (r *Ring) Enable() error {
	if errno := r.register(registerEnableRings, nil, 0); errno != 0 {
		return fmt.Errorf("enable io_uring: %w", errno)
	}
	return nil
}

// Close ends all operations and gives everything back; the sockets are closed.
// It belongs to the thread that Enable was called on, if it was.
func (r *Ring) Close() {
	if r.memory != nil {
		// Closing the ring does all this too, but later, in the kernel's time. Canceled
		// operations are reaped first, since each cancellation scans all remaining
		// ones. One call reaps some tens at most.
		r.reap()
		c := syncCancel{fd: -1, flags: cancelAny | cancelAll, timeout: [2]int64{1, 0}}
		r.register(registerSyncCancel, unsafe.Pointer(&c), 1)
		r.enter(unix.Syscall6, 0, 0, enterGetEvents)
		r.reap()
		r.register(unregisterFiles, nil, 0)
	}
	for _, g := range r.groups {
		_ = unix.Munmap(g.memory)
	}
	if r.sqeBytes != nil {
		_ = unix.Munmap(r.sqeBytes)
	}
	if r.memory != nil {
		_ = unix.Munmap(r.memory)
	}
	unix.Close(r.fd)
	*r = Ring{fd: -1}
}

// reap makes the kernel finish ended operations, and drops their completions.
func (r *Ring) reap() {
	for {
		r.enter(unix.Syscall6, 0, 0, enterGetEvents)
		if r.Left() == 0 {
			return
		}
		r.head = atomic.LoadUint32(r.cqTail)
		atomic.StoreUint32(r.cqHead, r.head)
	}
}

// SetFile puts a socket into a slot, which then keeps its own reference; -1 empties the
// slot. Operations under way keep their socket.
func (r *Ring) SetFile(slot uint32, fd int) error {
	r.file = int32(fd) // not a variable here: a stack may move
	u := filesUpdate{offset: slot, data: uint64(uintptr(unsafe.Pointer(&r.file))), n: 1}
	errno := r.register(registerFilesUpdate2, unsafe.Pointer(&u), unsafe.Sizeof(u))
	if errno != 0 {
		return fmt.Errorf("put a socket into io_uring: %w", errno)
	}
	return nil
}

// Submit passes the written operations to the kernel, without waiting.
func (r *Ring) Submit() {
	if r.tail != r.submitted {
		r.note(r.enter(unix.RawSyscall6, 0, 0, 0))
	}
}

// note keeps an error for the next Wait.
func (r *Ring) note(errno syscall.Errno) {
	if r.err == nil && errno != 0 && errno != unix.EINTR && errno != unix.EBUSY && errno != unix.EAGAIN {
		r.err = fmt.Errorf("give io_uring operations: %w", errno)
	}
}

// Wait submits the written operations and waits for a completion, at most d; not at all
// if one is there or d is 0. With n above 1 it waits for n completions, but for no
// longer than batch if there is one by then. A signal may end it early.
//
// The runtime is informed of the wait only if release is set, so that it can use the
// thread's processor meanwhile; that costs about a microsecond, and more if others use
// the processor: short waits are cheaper without. The runtime's signals end those, so
// that the collector need not wait for them.
func (r *Ring) Wait(d time.Duration, n int, batch time.Duration, release bool) error {
	if err := r.err; err != nil {
		return err
	}
	if d <= 0 || atomic.LoadUint32(r.cqTail)-r.head >= uint32(n) {
		r.note(r.enter(unix.RawSyscall6, 0, 0, enterGetEvents))
		return r.err
	}
	r.timeout = unix.NsecToTimespec(int64(d))
	r.arg = getEventsArg{timeout: uint64(uintptr(unsafe.Pointer(&r.timeout)))}
	if n > 1 {
		r.arg.minWait = uint32(batch / time.Microsecond)
	}
	call := unix.RawSyscall6
	if release {
		call = unix.Syscall6
	}
	if errno := r.enter(call, n, uintptr(unsafe.Pointer(&r.arg)), enterGetEvents|enterExtArg); errno != unix.ETIME {
		r.note(errno)
	}
	return r.err
}

// enter is io_uring_enter by one of the two ways to make a call.
func (r *Ring) enter(call func(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno), n int, arg, flags uintptr) syscall.Errno {
	if r.submitting != nil && r.tail != r.submitted {
		r.submitting()
	}
	atomic.StoreUint32(r.sqTail, r.tail)
	var size uintptr
	if arg != 0 {
		size = unsafe.Sizeof(r.arg)
	}
	_, _, errno := call(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(r.tail-r.submitted), uintptr(n), flags, arg, size)
	r.submitted = atomic.LoadUint32(r.sqHead)
	return errno
}

// Completion is the result of an operation.
type Completion struct {
	Data  uint64        // of the operation
	N     int           // bytes; of a failed operation 0
	Errno syscall.Errno // 0: it succeeded
	More  bool          // the operation goes on
	flags uint32
}

// Next returns the next completion; ok is false when none is there.
func (r *Ring) Next() (c Completion, ok bool) {
	if r.head == atomic.LoadUint32(r.cqTail) {
		return c, false
	}
	e := &r.cqes[r.head&r.cqMask]
	c = Completion{Data: e.data, More: e.flags&cqeMore != 0, flags: e.flags}
	if e.res < 0 {
		c.Errno = syscall.Errno(-e.res)
	} else {
		c.N = int(e.res)
	}
	r.head++
	atomic.StoreUint32(r.cqHead, r.head)
	return c, true
}

// Left returns the number of completions to read.
func (r *Ring) Left() int { return int(atomic.LoadUint32(r.cqTail) - r.head) }
