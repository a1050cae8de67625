//go:build go1.26

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// door is the agent's own address.
type door struct {
	agent    *Agent
	listener net.Listener
	server   *http.Server
	socket   string // to remove
}

const (
	closeLimit = 500 * time.Millisecond // for answers that are being written
	dialLimit  = 200 * time.Millisecond
)

// openDoor returns nil when the address cannot be had.
func openDoor(a *Agent) *door {
	d := &door{agent: a}
	var err error
	switch path, unix := strings.CutPrefix(a.settings.listen, "unix:"); {
	case a.settings.socket != "":
		d.listener, err = listenUnix(a.settings.socket)
		d.socket = a.settings.socket
	case unix:
		d.listener, err = listenUnix(path)
		d.socket = path
	default:
		d.listener, err = listenTCP(a.settings.listen, a.settings.token != "")
	}
	if err != nil {
		a.notes.add("the agent cannot listen on its own address: %v", err)
		return nil
	}
	var handler http.Handler = a.Handler()
	if d.socket == "" && a.settings.token == "" {
		handler = localOnly(handler)
	}
	d.server = &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		// What goes wrong with one connection is that client's to see.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	a.work("the agent's address", func() {
		if err := d.server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
			a.notes.add("the agent's address is closed: %v", err)
		}
	})
	return d
}

// listenTCP listens where other machines cannot reach it, or a token guards it.
func listenTCP(address string, guarded bool) (net.Listener, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", address, err)
	}
	if !guarded && !addr.IP.IsLoopback() {
		return nil, fmt.Errorf("listen on %q: other machines could reach it: listen on 127.0.0.1 or a Unix socket, or set a Token", address)
	}
	return net.ListenTCP("tcp", addr)
}

// localOnly keeps web pages out that a browser on this machine shows: their
// requests name a host of theirs, or an origin.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) || r.Header.Get("Origin") != "" {
			answerError(w, refuse(http.StatusForbidden, "without a token the agent answers only programs on this machine, at localhost or 127.0.0.1"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// listenUnix makes a socket that only this user can open. In a directory that
// others can enter it is made in a private one first: between its making and
// its mode anyone could connect.
func listenUnix(path string) (net.Listener, error) {
	if err := clearSocket(path); err != nil {
		return nil, fmt.Errorf("listen on unix:%s: %w", path, err)
	}
	dir := filepath.Dir(path)
	st, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("listen on unix:%s: %w", path, err)
	}
	at := path
	if st.Mode().Perm()&0o077 != 0 {
		private, err := os.MkdirTemp(dir, ".w")
		if err != nil {
			return nil, fmt.Errorf("listen on unix:%s: %w", path, err)
		}
		defer os.RemoveAll(private)
		at = filepath.Join(private, "s")
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on unix:%s: %w", path, err)
	}
	l.SetUnlinkOnClose(false) // it may have another name by then
	if err = os.Chmod(at, 0o600); err == nil && at != path {
		err = os.Rename(at, path)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("listen on unix:%s: %w", path, err)
	}
	return l, nil
}

// clearSocket removes a socket that a dead process left.
func clearSocket(path string) error {
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.Mode().Type() != fs.ModeSocket:
		return errors.New("the name exists and is not a socket")
	}
	if c, err := net.DialTimeout("unix", path, dialLimit); err == nil {
		c.Close()
		return errors.New("another process listens there")
	}
	return os.Remove(path)
}

// close lets answers that are being written end, but not for long.
func (d *door) close() {
	if d == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if d.server.Shutdown(ctx) != nil {
		d.server.Close()
	}
	if d.socket != "" {
		os.Remove(d.socket)
	}
}
