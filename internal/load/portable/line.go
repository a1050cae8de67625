package portable

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"whet/internal/load/engine"
)

// # Connections
//
// net/http's own pool decides when a connection is made and which one a request takes,
// and repeats a request if a kept connection turns out to be closed. A load must
// control all of that: it has the given number of connections, and it counts the
// requests that the service saw. Connections are therefore made one by one with
// Transport.NewClientConn, which provides HTTP/1.1 and HTTP/2 with the same methods,
// single attempts, and control of the number of streams. golang.org/x/net/http2 would
// provide the same for HTTP/2 alone.

// line is one of the job's connections to one origin. It is opened when first needed,
// and again after it ended.
type line struct {
	d *driver
	o *origin

	making chan struct{} // holds one value; its holder may make the connection
	mu     sync.Mutex
	now    *link // nil: none is open
}

// link is a connection and its users: the streams of HTTP/2.
type link struct {
	conn   *http.ClientConn
	socket *socket
	uses   int         // requests under way
	served atomic.Bool // it had requests after the one that it was made for
	last   bool        // it is to be closed when it is no longer used
	full   bool        // of streams, or going away, while requests wait
}

func newLine(d *driver, o *origin) *line {
	l := &line{d: d, o: o, making: make(chan struct{}, 1)}
	l.making <- struct{}{}
	return l
}

// take returns an open connection, and how long it took where it had to be
// made.
func (l *line) take(ctx context.Context) (k *link, made int64, err error) {
	if k := l.open(); k != nil {
		return k, 0, nil
	}
	select {
	case <-l.making:
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
	defer func() { l.making <- struct{}{} }()
	if k := l.open(); k != nil {
		return k, 0, nil
	}
	began := l.d.job.Now()
	var s *socket
	conn, err := l.o.transport.NewClientConn(context.WithValue(ctx, socketKey{}, &s), l.o.scheme, l.o.dial)
	if err != nil {
		return nil, 0, err
	}
	k = &link{conn: conn, socket: s, uses: 1}
	l.mu.Lock()
	l.now = k
	l.mu.Unlock()
	return k, max(l.d.job.Now()-began, 1), nil
}

// socketKey is the context key of the variable that receives the socket.
type socketKey struct{}

// dialer makes sockets to an address, with TLS where there is a configuration.
func (d *driver) dialer(a engine.Address, config *tls.Config) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, a.Network, a.Dial)
		if err != nil {
			return nil, err
		}
		if config != nil {
			secure := tls.Client(nc, config)
			if err := secure.HandshakeContext(ctx); err != nil {
				nc.Close()
				return nil, err
			}
			nc = secure
		}
		s := d.sockets.add(nc)
		if at, ok := ctx.Value(socketKey{}).(**socket); ok {
			*at = s
		}
		return s, nil
	}
}

// open takes the connection that there is, if it can still be used.
func (l *line) open() *link {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.now
	if k == nil {
		return nil
	}
	if l.usable(k) {
		k.uses++
		k.served.Store(true)
		return k
	}
	l.retire(k)
	return nil
}

// usable reports whether a connection takes another request.
func (l *line) usable(k *link) bool {
	if l.d.job.Protocol == engine.HTTP1 {
		return k.socket.settle() && k.conn.Err() == nil
	}
	// One that is going away takes no more, and says so by having no room though
	// nothing is under way.
	return k.conn.Err() == nil && (k.conn.Available() > 0 || k.conn.InFlight() > 0)
}

// drop ends a request's use of a connection; last says that it was to be the
// last.
func (l *line) drop(k *link, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k.uses--
	if last || k.last {
		l.retire(k)
	}
}

// look notes whether the server lets fewer streams be open on a connection than
// the job has; full says that it looked so before the request that now has its
// answer. net/http says how many more there could be, and none also where the
// connection is going away: but then it has no answer for a later request.
func (l *line) look(k *link, full bool) {
	j := l.d.job
	if j.Protocol == engine.HTTP1 || j.Streams < 2 || l.d.fewer.Load() {
		return
	}
	open := k.conn.InFlight()
	more := k.conn.Available()
	if open == 0 || open != k.conn.InFlight() {
		return // others came or went meanwhile
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k.full = more == 0 && open < k.uses
	if full || more > 0 && open+more < j.Streams {
		l.d.fewer.Store(true)
	}
}

// full reports whether requests were waiting for others to end.
func (l *line) full(k *link) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return k.full
}

// retire takes a connection out of use, and closes it once no request is under
// way on it.
func (l *line) retire(k *link) {
	k.last = true
	if l.now == k {
		l.now = nil
	}
	if k.uses == 0 {
		k.close()
	}
}

// close closes the connection at once.
func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil {
		l.now.close()
		l.now = nil
	}
}

// close closes a connection, also one that net/http has let go of.
func (k *link) close() {
	k.conn.Close()
	k.socket.Close()
}
