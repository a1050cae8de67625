package portable

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/loadresult"
)

// one returns the only client of a job with one connection, and what ends its load.
func one(t *testing.T, j *engine.Job) (*client, context.CancelFunc) {
	t.Helper()
	j.Connections, j.Streams, j.KeepAlive, j.Duration = 1, 1, true, time.Hour
	if j.Timeout == 0 {
		j.Timeout = time.Minute
	}
	j.Origin = time.Now()
	d, err := newDriver(j)
	if err != nil {
		t.Fatal(err)
	}
	load, stop := context.WithCancel(t.Context())
	c := d.clients(load)[0]
	t.Cleanup(func() {
		stop()
		c.close()
		d.sockets.close()
	})
	return c, stop
}

// messages make the requests of one target.
func messages(t *testing.T, target message.Target) *message.Set {
	t.Helper()
	set, err := message.New([]message.Target{target}, message.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Requests are kept where that takes little, whatever targets and clients there
// are, and otherwise made each time.
func TestFixedRequests(t *testing.T) {
	set, err := message.New([]message.Target{{URL: "http://h/a"}, {URL: "http://h/b"}}, message.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for connections, kept := range map[int]bool{1: true, mostFixed / 2 / 4: true, mostFixed/2/4 + 1: false} {
		j := &engine.Job{Messages: set, Addresses: make([]engine.Address, 1), Connections: connections, Streams: 4}
		d, err := newDriver(j)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(d, t.Context(), 0, nil, nil)
		c.ctx = t.Context()
		var first []*http.Request
		for range 2 * set.Len() {
			c.stream.Next(&c.m)
			first = append(first, c.request(&d.origins[0]))
		}
		if again := first[0] == first[2]; again != kept || first[2].URL.Opaque != "/a" || first[3].URL.Opaque != "/b" {
			t.Errorf("%d connections: kept %v, want %v; %v", connections, again, kept, first)
		}
	}
}

// A body from a template stays what it was while net/http still sends it, though
// the next request is made in the same memory meanwhile; so does what is read of
// it again where net/http has to.
func TestBodyStays(t *testing.T) {
	const number = "{{seq}}"
	for _, body := range []string{number, number + " and the same for all", "all the same"} {
		j := &engine.Job{Messages: messages(t, message.Target{Method: http.MethodPost, URL: "http://h/", Body: []byte(body)}), Addresses: make([]engine.Address, 1)}
		c, _ := one(t, j)
		c.arm()
		defer c.disarm()
		var bodies []func() (io.ReadCloser, error)
		for range 5 {
			c.stream.Next(&c.m)
			bodies = append(bodies, c.request(c.lines[0].o).GetBody)
		}
		for i, open := range bodies {
			r, err := open()
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			want := bytes.ReplaceAll([]byte(body), []byte(number), []byte{byte('1' + i)})
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("body %d of %q is %q, want %q: %v", i+1, body, got, want, err)
			}
		}
	}
}

// An answer that ends as the load does, or as its time is up, was cut off, however
// whole a body looks that lasts until the end of its connection: the end of the
// load, or the timeout, comes when the answer has been read and before anything is
// made of it, which is when the clock is looked at for its end.
func TestCutOffLooksWhole(t *testing.T) {
	for _, cause := range []error{context.Canceled, record.ErrTimeout} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		served := make(chan struct{})
		go func() {
			defer close(served)
			nc, err := l.Accept()
			if err != nil {
				return
			}
			defer nc.Close()
			if _, err := nc.Read(make([]byte, 4096)); err == nil {
				_, _ = io.WriteString(nc, "HTTP/1.1 200 OK\r\n\r\nhello")
			}
		}()
		address := l.Addr().String()
		j := &engine.Job{Messages: messages(t, message.Target{URL: "http://" + address + "/"}), Addresses: []engine.Address{{Network: "tcp", Dial: address}}}
		c, stop := one(t, j)
		var out record.Outcome
		answered := false
		j.Clock = func() time.Time {
			if answered = out.Bytes == 5; answered {
				if cause == record.ErrTimeout {
					c.cancel(cause)
				} else {
					stop()
				}
			}
			return time.Now()
		}
		c.send(&out, j.Now())
		if !answered {
			t.Fatal("the clock was not read after the answer")
		}
		if c.err == nil || out.Status != 0 || out.Kind == "" || (out.Kind == loadresult.TimedOut) != (cause == record.ErrTimeout) {
			t.Errorf("%v: status %d, kind %q, error %v", cause, out.Status, out.Kind, c.err)
		}
		if took := time.Duration(out.End - out.Sent); cause == record.ErrTimeout && took < j.Timeout {
			t.Errorf("a timeout of %v stands there with %v", j.Timeout, took)
		}
		c.lines[0].close()
		<-served
	}
}
