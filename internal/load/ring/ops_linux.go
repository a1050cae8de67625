package ring

import (
	"sync/atomic"
	"unsafe"
)

// next returns an entry for an operation. If the queue is full, it first submits the
// entries in it.
func (r *Ring) next() *sqe {
	if r.tail-atomic.LoadUint32(r.sqHead) > r.sqMask {
		r.Submit()
	}
	s := &r.sqes[r.tail&r.sqMask]
	r.tail++
	*s = sqe{}
	return s
}

// Connect connects the socket in a slot to an address as the kernel takes it,
// which must stay as it is until the call that submits the operation is over.
func (r *Ring) Connect(slot uint32, address []byte, data uint64) {
	s := r.next()
	s.op, s.flags, s.fd, s.data = opConnect, sqeFixedFile, int32(slot), data
	s.addr = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(address))))
	s.off = uint64(len(address))
}

// Receive makes the kernel put the data of a slot into buffers, with a completion for
// each, until one without More: the end (N is 0), an error, or ENOBUFS, after which it
// must be called again once buffers are free.
func (r *Ring) Receive(slot uint32, into *Buffers, data uint64) {
	s := r.next()
	s.op, s.flags, s.fd, s.data = opRecv, sqeFixedFile|sqeBufferSelect, int32(slot), data
	s.ioprio, s.group = recvMultishot, into.group
}

// Send sends all of b, which must stay as it is until the completion. If it is
// silent there is a completion only where it fails, and b must stay as it is
// until something else shows that it was sent.
func (r *Ring) Send(slot uint32, b []byte, silent bool, data uint64) {
	const waitAll, noSignal = 0x100, 0x4000
	s := r.next()
	s.op, s.flags, s.fd, s.data = opSend, sqeFixedFile, int32(slot), data
	if silent {
		s.flags |= sqeSkipSuccess
	}
	s.addr, s.len = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint32(min(len(b), 1<<30))
	s.opFlags = waitAll | noSignal
}

// Watch completes each time when a descriptor, which is not in a slot, has
// something to read.
func (r *Ring) Watch(fd int, data uint64) {
	const pollIn = 1
	s := r.next()
	s.op, s.fd, s.data = opPollAdd, int32(fd), data
	s.len, s.opFlags = pollMulti, pollIn
}

// Cancel ends the operation that was given some data. It completes, as canceled
// if nothing else. There is a completion of Cancel itself only where there was
// nothing to end. (All operations on a slot could be ended at once, for which the
// kernel looks through those of every slot.)
func (r *Ring) Cancel(operation, data uint64) {
	s := r.next()
	s.op, s.flags, s.fd, s.data = opAsyncCancel, sqeSkipSuccess, -1, data
	s.addr = operation
}

// Withdraw undoes the operations that were given some data, if the kernel does not have
// them yet: there are no completions of them.
func (r *Ring) Withdraw(operation uint64) {
	for i := r.submitted; i != r.tail; i++ {
		if s := &r.sqes[i&r.sqMask]; s.data == operation {
			*s = sqe{op: opNop, flags: sqeSkipSuccess}
		}
	}
}
