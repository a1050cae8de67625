//go:build linux

package fast

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"whet/internal/load/engine"
)

// peer is an address to connect to, as the kernel takes it.
type peer struct {
	family int
	raw    []byte
}

// resolve finds the addresses that a job's requests go to, in the order in
// which they are to be tried.
func resolve(ctx context.Context, a engine.Address) ([]peer, error) {
	if a.Network == "unix" {
		return unixPeer(a.Dial)
	}
	_, service, err := net.SplitHostPort(a.Dial)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", a.Dial, err)
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", service)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", a.Dial, err)
	}
	if len(a.IPs) == 0 {
		if err := a.LookUp(ctx); err != nil {
			return nil, err
		}
	}
	peers := make([]peer, len(a.IPs))
	for i, ip := range a.IPs {
		peers[i] = tcpPeer(ip, port)
	}
	return peers, nil
}

func tcpPeer(ip net.IPAddr, port int) peer {
	if four := ip.IP.To4(); four != nil {
		raw := make([]byte, unix.SizeofSockaddrInet4)
		binary.NativeEndian.PutUint16(raw, unix.AF_INET)
		binary.BigEndian.PutUint16(raw[2:], uint16(port))
		copy(raw[4:], four)
		return peer{family: unix.AF_INET, raw: raw}
	}
	raw := make([]byte, unix.SizeofSockaddrInet6)
	binary.NativeEndian.PutUint16(raw, unix.AF_INET6)
	binary.BigEndian.PutUint16(raw[2:], uint16(port))
	copy(raw[8:], ip.IP.To16())
	binary.NativeEndian.PutUint32(raw[24:], zone(ip.Zone))
	return peer{family: unix.AF_INET6, raw: raw}
}

// zone returns the number of an interface that an address of a link goes through.
func zone(name string) uint32 {
	if name == "" {
		return 0
	}
	if i, err := net.InterfaceByName(name); err == nil {
		return uint32(i.Index)
	}
	n, _ := strconv.ParseUint(name, 10, 32)
	return uint32(n)
}

// unixPeer returns the socket at a path, or with a leading @ that of an abstract
// name.
func unixPeer(path string) ([]peer, error) {
	const room = unix.SizeofSockaddrUnix - 2
	if len(path) == 0 || len(path) >= room {
		return nil, fmt.Errorf("connect to socket %q: its path has %d bytes, and at most %d fit", path, len(path), room-1)
	}
	raw := make([]byte, 2, unix.SizeofSockaddrUnix)
	binary.NativeEndian.PutUint16(raw, unix.AF_UNIX)
	raw = append(raw, path...)
	if path[0] == '@' {
		raw[2] = 0
	} else {
		raw = append(raw, 0)
	}
	return []peer{{family: unix.AF_UNIX, raw: raw}}, nil
}

// socket makes a non-blocking socket for p.
func (p *peer) socket() (int32, syscall.Errno) {
	fd, _, errno := unix.RawSyscall(unix.SYS_SOCKET, uintptr(p.family), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if errno != 0 {
		return none, errno
	}
	if p.family != unix.AF_UNIX {
		// Without it the kernel may hold back the second part of a request.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	return int32(fd), 0
}

// connect begins to connect a socket: 0 says that it is, EINPROGRESS that it
// will be.
func (p *peer) connect(fd int32) syscall.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p.raw))), uintptr(len(p.raw)))
	return errno
}

// recv and send do not block, and so the runtime is not told of them.

func recv(fd int32, b []byte) (int, syscall.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}

func send(fd int32, b []byte) (int, syscall.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}

// pending returns the error that a socket ended with.
func pending(fd int32) syscall.Errno {
	n, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return syscall.EIO
	}
	return syscall.Errno(n)
}
