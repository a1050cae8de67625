package conformance

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// transports checks what requests can go over.
func (s *runner) transports(t *testing.T) {
	t.Run("unix", s.unix)
	t.Run("IPv6", s.ipv6)
	t.Run("TLS", s.tls)
	t.Run("TLS answers", s.tlsAnswers)
	t.Run("resumption", s.resumption)
	t.Run("client certificate", s.clientCertificate)
	t.Run("certificate not accepted", s.notAccepted)
	t.Run("no TLS there", s.noTLS)
	t.Run("TLS stalls", s.tlsStalls)
	t.Run("TLS stalls in what has no end", s.tlsEndless)
}

func (s *runner) unix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range []bool{true, false} {
		server := listenOn(t, l, each(func(c *conn, q *serverRequest) bool {
			if q.Host != "socket.example" {
				return c.give("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			}
			return c.give(sized("hello"))
		}))
		j := job(t, "unix", path, 50, message.Target{URL: "http://socket.example/"})
		j.KeepAlive = keep
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 50, http.StatusOK, "")
		if keep {
			server.counted(t, 50, 2)
			if l, err = net.Listen("unix", path+"2"); err != nil {
				t.Fatal(err)
			}
			path += "2"
		} else {
			server.counted(t, 50, 50)
		}
	}
}

func (s *runner) ipv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Logf("this machine has no IPv6 loopback, so nothing is checked: %v", err)
		return
	}
	server := listenOn(t, l, each(func(c *conn, q *serverRequest) bool {
		if q.Host != l.Addr().String() {
			return c.give("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		}
		return c.give(sized("hello"))
	}))
	got := s.drive(t, t.Context(), server.to(20), server)
	got.all(t, 20, http.StatusOK, "")
	server.counted(t, 20, 2)
}

// secure returns a server with TLS. Its connections that end before a request was
// read are handshakes that failed.
func secure(t *testing.T, config *tls.Config, serve func(*conn)) *server {
	t.Helper()
	return listenOn(t, tls.NewListener(tcp(t, "127.0.0.1:0"), config), serve)
}

// toSecure returns a job to a server with TLS.
func (s *server) toSecure(requests int64, config *tls.Config) *engine.Job {
	j := job(s.t, "tcp", s.addr(), requests, message.Target{URL: "https://" + s.addr() + "/"})
	config.ServerName = "127.0.0.1"
	j.Addresses[0].TLS = config
	return j
}

func (s *runner) tls(t *testing.T) {
	ca := newAuthority(t)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, keep := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, keep-alive %v", tls.VersionName(version), keep), func(t *testing.T) {
				var other atomic.Int64
				server := secure(t, serverConfig(ca), each(func(c *conn, _ *serverRequest) bool {
					if c.Conn.(*tls.Conn).ConnectionState().Version != version {
						other.Add(1)
					}
					return c.give(sized("hello"))
				}))
				j := server.toSecure(40, &tls.Config{RootCAs: ca.pool, MinVersion: version, MaxVersion: version})
				j.KeepAlive = keep
				got := s.drive(t, t.Context(), j, server)
				got.all(t, 40, http.StatusOK, "")
				if keep {
					server.counted(t, 40, 2)
				} else {
					server.counted(t, 40, 40)
				}
				if other.Load() > 0 {
					t.Errorf("%d requests came over another version", other.Load())
				}
				if want := server.connections.Load(); got.Connections != want || got.Connecting <= 0 {
					t.Errorf("%d connections recorded, made in %v; the server saw %d", got.Connections, got.Connecting, want)
				}
			})
		}
	}
	t.Run("open loop", func(t *testing.T) {
		server := secure(t, serverConfig(ca), each(always(sized("hello"))))
		j := server.toSecure(0, &tls.Config{RootCAs: ca.pool})
		j.Connections, j.Arrivals, j.Duration = 8, schedule.Constant(1000), 200*time.Millisecond
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 200, http.StatusOK, "")
		server.counted(t, 200, 8)
		arrived(t, got, 200)
	})
	t.Run("large bodies", func(t *testing.T) {
		body := make([]byte, 3_000_000)
		var wrong atomic.Int64
		server := secure(t, serverConfig(ca), each(func(c *conn, q *serverRequest) bool {
			if len(q.body) != len(body) {
				wrong.Add(1)
			}
			return c.give(sized(string(q.body)))
		}))
		j := job(t, "tcp", server.addr(), 6, message.Target{Method: http.MethodPost, URL: "https://" + server.addr() + "/", Body: body, Literal: true})
		j.Addresses[0].TLS = ca.trusted()
		got := s.drive(t, t.Context(), j, server)
		got.all(t, 6, http.StatusOK, "")
		if wrong.Load() > 0 || got.Bytes != 6*int64(len(body)) {
			t.Errorf("%d bodies came wrong; %d bytes came back", wrong.Load(), got.Bytes)
		}
	})
}

// tlsAnswers reads the same answers inside TLS, where each write is a record.
func (s *runner) tlsAnswers(t *testing.T) {
	ca := newAuthority(t)
	config := serverConfig(ca)
	for _, a := range answers() {
		if a.resets {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			const requests = 6
			server := secure(t, config, each(func(c *conn, q *serverRequest) bool {
				at := len(a.text) * int(q.nth) / requests
				return c.send(a.text[:at]) && c.give(a.text[at:]) && a.finish(c)
			}))
			j := job(t, "tcp", server.addr(), requests, message.Target{Method: a.method, URL: "https://" + server.addr() + "/"})
			j.Addresses[0].TLS = ca.trusted()
			s.right(t, &a, s.drive(t, t.Context(), j, server), server, requests)
		})
	}
}

// resumption is what the configuration says: with a cache every connection but
// the first of its client resumes a session, without none does.
func (s *runner) resumption(t *testing.T) {
	ca := newAuthority(t)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, resume := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, %v", tls.VersionName(version), resume), func(t *testing.T) {
				var resumed atomic.Int64
				server := secure(t, serverConfig(ca), each(func(c *conn, _ *serverRequest) bool {
					if c.Conn.(*tls.Conn).ConnectionState().DidResume {
						resumed.Add(1)
					}
					return c.give(sized("hello"))
				}))
				config := &tls.Config{RootCAs: ca.pool, MaxVersion: version}
				if resume {
					config.ClientSessionCache = tls.NewLRUClientSessionCache(0)
				}
				j := server.toSecure(20, config)
				j.Connections, j.KeepAlive = 1, false
				got := s.drive(t, t.Context(), j, server)
				got.all(t, 20, http.StatusOK, "")
				want := int64(0)
				if resume {
					want = 19
				}
				if n := resumed.Load(); n != want || server.connections.Load() != 20 {
					t.Errorf("%d of %d connections were resumed, want %d of 20", n, server.connections.Load(), want)
				}
			})
		}
	}
}

// clientCertificate is asked for by the server: it is there, or the handshake
// fails.
func (s *runner) clientCertificate(t *testing.T) {
	ca := newAuthority(t)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			var named atomic.Int64
			server := secure(t, &tls.Config{
				Certificates: []tls.Certificate{ca.certificate()}, MaxVersion: version,
				ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.pool,
			}, each(func(c *conn, _ *serverRequest) bool {
				if peers := c.Conn.(*tls.Conn).ConnectionState().PeerCertificates; len(peers) == 1 && peers[0].Subject.CommonName == "conformance" {
					named.Add(1)
				}
				return c.give(sized("hello"))
			}))
			got := s.drive(t, t.Context(), server.toSecure(20, &tls.Config{RootCAs: ca.pool, Certificates: []tls.Certificate{ca.certificate("client.example")}}), server)
			got.all(t, 20, http.StatusOK, "")
			if named.Load() != 20 {
				t.Errorf("%d of 20 requests came with the certificate", named.Load())
			}
			got = s.drive(t, t.Context(), server.toSecure(4, &tls.Config{RootCAs: ca.pool}), server)
			got.all(t, 4, 0, loadresult.TLS)
			if n := server.requests.Load(); n != 20 {
				t.Errorf("the server read %d requests without a certificate", n-20)
			}
		})
	}
}

// notAccepted has certificates of an authority that is not known, and of
// another name; Insecure takes both.
func (s *runner) notAccepted(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	for name, config := range map[string]*tls.Config{
		"authority": {RootCAs: other.pool, ServerName: "127.0.0.1"},
		"name":      {RootCAs: ca.pool, ServerName: "other.example"},
	} {
		t.Run(name, func(t *testing.T) {
			server := secure(t, &tls.Config{Certificates: []tls.Certificate{ca.certificate("this.example")}}, each(always(sized("hello"))))
			j := server.toSecure(4, new(tls.Config))
			j.Addresses[0].TLS = config
			got := s.drive(t, t.Context(), j, server)
			got.all(t, 4, 0, loadresult.TLS)
			if n := server.requests.Load(); n != 0 {
				t.Errorf("%d requests were sent to a server that is not trusted", n)
			}
			j = server.toSecure(4, new(tls.Config))
			insecure := config.Clone()
			insecure.InsecureSkipVerify = true
			j.Addresses[0].TLS = insecure
			got = s.drive(t, t.Context(), j, server)
			got.all(t, 4, http.StatusOK, "")
		})
	}
}

// noTLS speaks TLS to a server without.
func (s *runner) noTLS(t *testing.T) {
	server := listen(t, func(c *conn) {
		c.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
		c.half()
		c.stall()
	})
	got := s.drive(t, t.Context(), server.toSecure(4, new(tls.Config)), server)
	got.all(t, 4, 0, loadresult.TLS)
}

// tlsStalls accepts and says nothing: the timeout holds for handshakes too.
func (s *runner) tlsStalls(t *testing.T) {
	server := listen(t, func(c *conn) { c.stall() })
	j := server.toSecure(4, new(tls.Config))
	j.Timeout = shortTimeout
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 4, 0, loadresult.TimedOut)
}

// tlsEndless stalls in a body that lasts until the end of the connection, and
// ends it once the other side does: that makes no whole answer of it.
func (s *runner) tlsEndless(t *testing.T) {
	ca := newAuthority(t)
	server := secure(t, serverConfig(ca), each(func(c *conn, _ *serverRequest) bool {
		c.send("HTTP/1.1 200 OK\r\n\r\nhello")
		c.stall()
		return false
	}))
	j := server.toSecure(100, ca.trusted())
	j.Connections, j.Timeout = 10, 2*shortTimeout
	got := s.drive(t, t.Context(), j, server)
	got.all(t, 100, 0, loadresult.TimedOut)
}
