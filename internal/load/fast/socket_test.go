//go:build linux

package fast

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"whet/internal/load/engine"
)

// Addresses are as the kernel's structures have them.
func TestAddressBytes(t *testing.T) {
	four := unix.RawSockaddrInet4{Family: unix.AF_INET, Port: 0x901f, Addr: [4]byte{192, 0, 2, 7}} // 8080, big-endian
	six := unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: 0x901f, Addr: [16]byte{0xfe, 0x80, 15: 1}, Scope_id: 3}
	for _, c := range []struct {
		got  peer
		want []byte
	}{
		{tcpPeer(net.IPAddr{IP: net.IPv4(192, 0, 2, 7)}, 8080), unsafe.Slice((*byte)(unsafe.Pointer(&four)), unix.SizeofSockaddrInet4)},
		{tcpPeer(net.IPAddr{IP: net.ParseIP("fe80::1"), Zone: "3"}, 8080), unsafe.Slice((*byte)(unsafe.Pointer(&six)), unix.SizeofSockaddrInet6)},
	} {
		if !bytes.Equal(c.got.raw, c.want) {
			t.Errorf("% x, want % x", c.got.raw, c.want)
		}
	}
	long := make([]byte, 108)
	for _, path := range []string{"", string(long)} {
		if _, err := resolve(t.Context(), engine.Address{Network: "unix", Dial: path}); err == nil {
			t.Errorf("a path of %d bytes: no error", len(path))
		}
	}
}

// A Unix socket whose queue is full is tried again.
func TestFullQueue(t *testing.T) {
	for name, path := range map[string]string{"path": filepath.Join(t.TempDir(), "s"), "abstract": "@whet-fast-test"} {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
			t.Fatal(err)
		}
		if err := unix.Listen(fd, 0); err != nil { // one may wait
			t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), path)
		l, err := net.FileListener(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		serveAll(t, l, hello)
		j := job(t, "unix.example")
		j.Addresses[0] = engine.Address{Network: "unix", Dial: path}
		j.Connections, j.Requests, j.KeepAlive = 30, 300, false
		r, _ := drive(t, j)
		if r.Requests != 300 || r.Status[200] != 300 {
			t.Errorf("%s: %d requests, errors %v %v", name, r.Requests, r.Errors, r.Examples)
		}
	}
}

// What a host stands for is not asked where that is known.
func TestLookedUp(t *testing.T) {
	addr := listen(t, "tcp", "127.0.0.1:0", hello)
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	j := job(t, addr)
	j.Addresses[0] = engine.Address{Network: "tcp", Dial: "no-such-host.invalid:" + port, IPs: []net.IPAddr{{IP: net.IPv4(127, 0, 0, 1)}}}
	j.Requests = 10
	r, _ := drive(t, j)
	wantKinds(t, r, 10, nil)
}
