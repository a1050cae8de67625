package avatartest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"whet/casebook/avatar"
)

// client asks one server over one connection. It does as little as a client can,
// so as to leave the processors to the server.
type client struct {
	conn net.Conn
	r    *bufio.Reader
}

func dial(addr string) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 16<<10)}, nil
}

var lengthHeader = []byte("Content-Length: ")

// get sends a request and reads past its answer, which has to be 200 and to
// tell its length.
func (c *client) get(request []byte) (length int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	length = -1
	for n := 0; ; n++ {
		line, err := c.r.ReadSlice('\n')
		switch {
		case err != nil:
			return 0, err
		case n == 0 && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")):
			return 0, fmt.Errorf("answered %q", line)
		case bytes.HasPrefix(line, lengthHeader):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthHeader):]))); err != nil {
				return 0, err
			}
		case len(line) <= 2:
			if length < 0 {
				return 0, fmt.Errorf("answer has no Content-Length")
			}
			_, err := c.r.Discard(length)
			return length, err
		}
	}
}

// LoopbackOf measures a server of a handler over connections that stay open,
// eight for each processor. Its client runs on the same processors.
func LoopbackOf(b *testing.B, h http.Handler) {
	mux := http.NewServeMux()
	mux.Handle(avatar.Path, h)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: mux}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	defer func() {
		server.Close()
		<-ended
	}()

	var requests [][]byte
	for _, name := range Names(seed, WorkingSet) {
		requests = append(requests, []byte("GET "+Target(name)+" HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	}
	warm, err := dial(listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer warm.conn.Close()
	for _, r := range requests {
		if _, err := warm.get(r); err != nil {
			b.Fatal(err)
		}
	}
	var starts atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		c, err := dial(listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer c.conn.Close()
		for i := starts.Add(1) * 37; pb.Next(); i++ {
			if _, err := c.get(requests[i%WorkingSet]); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// Loopback measures a server of a stage.
func Loopback(b *testing.B, make New) {
	LoopbackOf(b, start(b, make, io.Discard, nil))
}
