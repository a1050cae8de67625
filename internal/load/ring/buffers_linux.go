package ring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Buffers are memory that the kernel fills as it needs it. It takes one for each
// completion of Receive; Recycle gives it back.
type Buffers struct {
	group  uint16
	size   int
	memory []byte // first the ring, then the buffers
	slots  []buffer
	data   []byte
	mask   uint16
	tail   uint16
}

// Buffers makes n buffers, a power of two, of a size. They live as long as the
// ring.
func (r *Ring) Buffers(n, size int) (*Buffers, error) {
	if n < 1 || n > 1<<15 || n&(n-1) != 0 {
		return nil, errors.New("make buffers for io_uring: their number is no power of two up to 32,768")
	}
	page := unix.Getpagesize()
	head := (n*int(unsafe.Sizeof(buffer{})) + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, head+n*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("make buffers for io_uring: %w", err)
	}
	b := &Buffers{group: uint16(len(r.groups)), size: size, memory: m, data: m[head:], mask: uint16(n - 1)}
	b.slots = unsafe.Slice((*buffer)(unsafe.Pointer(&m[0])), n)
	reg := bufferRegister{addr: uint64(uintptr(unsafe.Pointer(&m[0]))), entries: uint32(n), group: b.group}
	if errno := r.register(registerPbufRing, unsafe.Pointer(&reg), 1); errno != 0 {
		_ = unix.Munmap(m)
		return nil, fmt.Errorf("make buffers for io_uring: %w", errno)
	}
	r.groups = append(r.groups, b)
	for id := range n {
		b.add(uint16(id))
	}
	b.publish()
	return b, nil
}

func (b *Buffers) add(id uint16) {
	s := &b.slots[b.tail&b.mask]
	s.addr, s.len, s.id = uint64(uintptr(unsafe.Pointer(&b.data[int(id)*b.size]))), uint32(b.size), id
	b.tail++
}

// publish makes added buffers visible to the kernel. The tail is the upper half of the
// first slot's last word, whose lower half is that slot's buffer.
func (b *Buffers) publish() {
	word := (*uint32)(unsafe.Pointer(&b.slots[0].id))
	parts := [2]uint16{b.slots[0].id, b.tail}
	atomic.StoreUint32(word, *(*uint32)(unsafe.Pointer(&parts)))
}

// Bytes returns the bytes of a completion of Receive; valid until Recycle.
func (b *Buffers) Bytes(c Completion) []byte {
	if c.flags&cqeBuffer == 0 {
		return nil
	}
	at := int(c.flags>>cqeBufferShift) * b.size
	return b.data[at : at+c.N]
}

// Recycle gives the completion's buffer back, if it has one.
func (b *Buffers) Recycle(c Completion) {
	if c.flags&cqeBuffer != 0 {
		b.add(uint16(c.flags >> cqeBufferShift))
		b.publish()
	}
}
