package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whet/casebook/gateway"
)

// A client bounds nothing: the server of every case, and that of the service
// behind the gateway, bounds its header, its body, its reading of the answer and
// its silence. A profile takes as long as it is asked to.
func TestServersHaveTimeouts(t *testing.T) {
	behind, err := startLoopback(http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	defer behind.Close()
	for what, s := range map[string]*http.Server{"a case": newServer(http.NotFoundHandler()), "the service behind the gateway": behind.server} {
		if s.ReadHeaderTimeout <= 0 || s.ReadTimeout < s.ReadHeaderTimeout || s.WriteTimeout < s.ReadTimeout || s.IdleTimeout <= 0 {
			t.Errorf("%s: %v for a header, %v for a body, %v for an answer, %v between requests", what, s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout)
		}
	}
	if s := newProfileServer(); s.ReadHeaderTimeout <= 0 || s.IdleTimeout <= 0 || s.ReadTimeout != 0 || s.WriteTimeout != 0 {
		t.Errorf("profiles: %v for a header, %v between requests, %v and %v for what takes its time", s.ReadHeaderTimeout, s.IdleTimeout, s.ReadTimeout, s.WriteTimeout)
	}
}

// pipe is a listener that gives one connection.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipe) Addr() net.Addr { return &net.TCPAddr{} }

// Every stage of the gateway answers who says that a body comes, and sends none.
// The time is that of a bubble.
func TestGatewayBodyDoesNotCome(t *testing.T) {
	for _, st := range gatewayStudy().stages {
		synctest.Test(t, func(t *testing.T) {
			h, closer, err := st.serve(environment{log: io.Discard, downstream: "http://127.0.0.1:1"})
			if err != nil {
				t.Fatal(err)
			}
			p := &pipe{conns: make(chan net.Conn, 1), done: make(chan struct{})}
			server := newServer(h)
			go server.Serve(p)
			client, conn := net.Pipe()
			p.conns <- conn
			from := time.Now()
			if _, err := fmt.Fprintf(client, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", gateway.Path); err != nil {
				t.Fatal(err)
			}
			r, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, r.Body)
			if d := time.Since(from); r.StatusCode != http.StatusRequestTimeout || d != time.Minute {
				t.Errorf("%s answers %s after %v, want 408 after a minute", st.name, r.Status, d)
			}
			client.Close()
			server.Close()
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
