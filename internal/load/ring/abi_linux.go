package ring

import "unsafe"

// The kernel's interface, include/uapi/linux/io_uring.h. Names are the kernel's without
// their prefix.

const (
	setupCQSize       = 1 << 3
	setupClamp        = 1 << 4
	setupDisabled     = 1 << 6
	setupSubmitAll    = 1 << 7
	setupCoopTaskrun  = 1 << 8
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	featSingleMmap = 1 << 0
	featNoDrop     = 1 << 1
	featExtArg     = 1 << 8
	featCQESkip    = 1 << 11
	featMinTimeout = 1 << 15

	enterGetEvents = 1 << 0
	enterExtArg    = 1 << 3

	unregisterFiles      = 3
	registerEnableRings  = 12
	registerFiles2       = 13
	registerFilesUpdate2 = 14
	registerPbufRing     = 22
	registerSyncCancel   = 24
	registerSparse       = 1 << 0
	offSQRing            = 0
	offSQEs              = 0x10000000
	opNop                = 0
	opPollAdd            = 6
	opAsyncCancel        = 14
	opConnect            = 16
	opSend               = 26
	opRecv               = 27
	sqeFixedFile         = 1 << 0
	sqeBufferSelect      = 1 << 5
	sqeSkipSuccess       = 1 << 6
	recvMultishot        = 1 << 1
	pollMulti            = 1 << 0
	cancelAll            = 1 << 0
	cancelAny            = 1 << 2
	cqeBuffer            = 1 << 0
	cqeMore              = 1 << 1
	cqeBufferShift       = 16
)

type params struct {
	sqEntries, cqEntries, flags, cpu, idle, features, wq uint32
	_                                                    [3]uint32
	sq                                                   sqOffsets
	cq                                                   cqOffsets
}

type sqOffsets struct {
	head, tail, mask, entries, flags, dropped, array uint32
	_                                                uint32
	_                                                uint64
}

type cqOffsets struct {
	head, tail, mask, entries, overflow, cqes, flags uint32
	_                                                uint32
	_                                                uint64
}

// sqe is an operation.
type sqe struct {
	op, flags uint8
	ioprio    uint16
	fd        int32
	off       uint64
	addr      uint64
	len       uint32
	opFlags   uint32
	data      uint64
	group     uint16
	_         uint16
	_         uint32
	_         [2]uint64
}

// cqe is a completion.
type cqe struct {
	data  uint64
	res   int32
	flags uint32
}

type getEventsArg struct {
	sigmask uint64
	size    uint32
	minWait uint32 // microseconds
	timeout uint64
}

type filesRegister struct {
	n, flags   uint32
	_          uint64
	data, tags uint64
}

type filesUpdate struct {
	offset     uint32
	_          uint32
	data, tags uint64
	n          uint32
	_          uint32
}

type bufferRegister struct {
	addr    uint64
	entries uint32
	group   uint16
	flags   uint16
	_       [3]uint64
}

// buffer is a place in a ring of buffers. The first one's last field is the
// ring's tail.
type buffer struct {
	addr uint64
	len  uint32
	id   uint16
	tail uint16
}

type syncCancel struct {
	addr    uint64
	fd      int32
	flags   uint32
	timeout [2]int64 // seconds, nanoseconds
	_       [4]uint64
}

// The kernel takes these sizes for granted.
var (
	_ [120]byte = [unsafe.Sizeof(params{})]byte{}
	_ [64]byte  = [unsafe.Sizeof(sqe{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(cqe{})]byte{}
	_ [24]byte  = [unsafe.Sizeof(getEventsArg{})]byte{}
	_ [32]byte  = [unsafe.Sizeof(filesRegister{})]byte{}
	_ [32]byte  = [unsafe.Sizeof(filesUpdate{})]byte{}
	_ [40]byte  = [unsafe.Sizeof(bufferRegister{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(buffer{})]byte{}
	_ [64]byte  = [unsafe.Sizeof(syncCancel{})]byte{}
)
