package load

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A path as long as the system takes is one that can be connected to.
func TestLongestSocket(t *testing.T) {
	t.Chdir(t.TempDir())
	path := strings.Repeat("s", longestSocket)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := options("http://h/")
	o.Socket = path
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if err := o.reachSocket(t.Context()); err != nil {
		t.Error(err)
	}
}

// A socket that is not there, or that nobody listens on any more, is reported at
// once, with its path.
func TestNobodyAtSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	o := options("http://h/")
	o.Socket, o.Requests, o.Duration = path, 100, time.Hour
	try := func(want string) {
		t.Helper()
		want = "connect to the Unix socket " + path + ": " + want + ": start the service first, or name the path where it listens"
		if _, err := Run(t.Context(), o); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	try("no such file or directory")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	try("connection refused")

	// Whoever is interrupted wants no reason.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.reachSocket(ctx); err != nil {
		t.Error(err)
	}
}
