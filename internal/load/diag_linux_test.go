package load

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// The kernel names the sockets that its tables in /proc have.
func TestAskListening(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", "0.0.0.0:0", "[::]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Log(err) // without IPv6
			continue
		}
		defer l.Close()
		port := uint16(l.Addr().(*net.TCPAddr).Port)
		for _, to := range []net.IP{nil, net.IPv4(127, 0, 0, 1), net.IPv6loopback, net.IPv4(192, 0, 2, 1)} {
			got, err := askListening(to, port)
			if err != nil {
				t.Skip(err)
			}
			want := append(listeningTCP(readProc("/proc/net/tcp"), to, port), listeningTCP(readProc("/proc/net/tcp6"), to, port)...)
			if !slices.Equal(got, want) {
				t.Errorf("%s, to %v: %v, want %v", l.Addr(), to, got, want)
			}
		}
	}
}

// FuzzListeningDiag: a message means what a line of /proc/net/tcp with its values does.
func FuzzListeningDiag(f *testing.F) {
	m := make([]byte, diagSize)
	m[0], m[1], m[4], m[5] = syscall.AF_INET, tcpListen, 0x1f, 0x90
	copy(m[8:], []byte{127, 0, 0, 1})
	binary.NativeEndian.PutUint32(m[68:], 18002)
	f.Add(m, "127.0.0.1", uint16(8080))
	f.Add(m, "", uint16(8080))
	f.Add(m[:diagSize-1], "", uint16(8080))
	m = slices.Clone(m)
	m[0] = syscall.AF_INET6
	copy(m[8:], net.IPv6loopback)
	f.Add(m, "::1", uint16(8080))
	f.Fuzz(func(t *testing.T, m []byte, ip string, port uint16) {
		to := net.ParseIP(ip)
		inode, ok := listeningDiag(m, to, port)
		if len(m) < diagSize {
			if ok {
				t.Errorf("%q is the inode of %d bytes", inode, len(m))
			}
			return
		}
		words := 4
		if m[0] == syscall.AF_INET {
			words = 1
		}
		address := ""
		for i := range words {
			address += fmt.Sprintf("%08X", binary.LittleEndian.Uint32(m[8+4*i:]))
		}
		n := strconv.FormatUint(uint64(binary.NativeEndian.Uint32(m[68:])), 10)
		line := fmt.Sprintf("0: %s:%04X 00000000:0000 %02X 0:0 00:0 0 0 0 %s", address, binary.BigEndian.Uint16(m[4:]), m[1], n)
		want := listeningTCP([]byte(line), to, port)
		if ok != (len(want) == 1) || ok && inode != want[0] {
			t.Errorf("%q, %v, want %q", inode, ok, want)
		}
	})
}
