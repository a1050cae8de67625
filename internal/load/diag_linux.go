package load

import (
	"encoding/binary"
	"errors"
	"net"
	"strconv"
	"syscall"
)

// The kernel's interface, include/uapi/linux/sock_diag.h and inet_diag.h.
const (
	sockDiagByFamily = 20
	tcpListen        = 10
	diagRequestSize  = 56
	diagSize         = 72
)

// askListening asks the kernel for the inodes of the TCP sockets that accept connections
// to an address, as listeningTCP finds them. To read /proc/net/tcp the kernel goes through
// its table of connections, even if that is empty: 5 ms for each family, with 262,144
// places.
func askListening(ip net.IP, port uint16) (inodes []string, err error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.NETLINK_INET_DIAG)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	for _, family := range []byte{syscall.AF_INET, syscall.AF_INET6} {
		if err := syscall.Sendto(fd, diagRequest(family, port), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
			return nil, err
		}
		for done := false; !done; {
			b := make([]byte, 32<<10)
			n, _, err := syscall.Recvfrom(fd, b, 0)
			if err != nil {
				return nil, err
			}
			messages, err := syscall.ParseNetlinkMessage(b[:n])
			if err != nil {
				return nil, err
			}
			for _, m := range messages {
				switch m.Header.Type {
				case sockDiagByFamily:
					if inode, ok := listeningDiag(m.Data, ip, port); ok {
						inodes = append(inodes, inode)
					}
				case syscall.NLMSG_DONE:
					done = true
					if len(m.Data) >= 4 && binary.NativeEndian.Uint32(m.Data) != 0 {
						return nil, errNoDiag
					}
				default:
					return nil, errNoDiag
				}
			}
		}
	}
	return inodes, nil
}

var errNoDiag = errors.New("the kernel does not say which sockets listen")

// diagRequest asks for all TCP sockets of a family that listen at a port.
func diagRequest(family byte, port uint16) []byte {
	b := make([]byte, syscall.NLMSG_HDRLEN+diagRequestSize)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(b[6:], syscall.NLM_F_REQUEST|syscall.NLM_F_DUMP)
	r := b[syscall.NLMSG_HDRLEN:]
	r[0], r[1] = family, syscall.IPPROTO_TCP
	binary.NativeEndian.PutUint32(r[4:], 1<<tcpListen)
	binary.BigEndian.PutUint16(r[8:], port)
	return b
}

// listeningDiag reads an inet_diag_msg: family and state, at 4 the port, at 8 the
// address, in the network's order, and at 68 the inode.
func listeningDiag(m []byte, ip net.IP, port uint16) (inode string, ok bool) {
	if len(m) < diagSize || m[1] != tcpListen || binary.BigEndian.Uint16(m[4:]) != port {
		return "", false
	}
	at := net.IP(m[8:24])
	if m[0] == syscall.AF_INET {
		at = at[:net.IPv4len]
	}
	return strconv.FormatUint(uint64(binary.NativeEndian.Uint32(m[68:])), 10), accepts(at, ip)
}
