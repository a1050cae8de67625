package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/load/wire"
	"whet/internal/schedule"
)

// Engine drives the connections of a load.
type Engine interface {
	Name() string
	// Drive runs a job. It returns when everything is over and closed; its error is a
	// reason that makes the load impossible, and nothing else.
	Drive(ctx context.Context, j *Job) (Report, error)
}

// Report is the figures that an engine has and the recorder lacks.
type Report struct {
	InFlight       int           // requests that the end of the load cut off
	OldestInFlight time.Duration // how long the first sent of them had been under way
	Location       string        // where the first redirect leads, as its header says; "" where none was seen or nobody looked
	Notes          []string      // that affect the meaning of the figures
	// KeptUp reports, for a closed loop, whether most of the requests under way were
	// with the service whenever the engine looked: the engine then waited for the
	// service, however busy it was. It is false otherwise, and for engines that cannot
	// know.
	KeptUp bool
}

// Protocol is the protocol of a connection.
type Protocol int

const (
	HTTP1 Protocol = iota // HTTP/1.1
	HTTP2                 // over TLS, by ALPN
	H2C                   // HTTP/2 without TLS, with prior knowledge
)

// maxHeaderBytes bounds the head of an answer that net/http reads.
const maxHeaderBytes = 1 << 20

// Transport returns the transport of net/http that speaks it to an address, over connections that
// dial makes.
func (p Protocol) Transport(a Address, timeout time.Duration, dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	t := &http.Transport{
		TLSClientConfig: a.TLS, TLSHandshakeTimeout: timeout, DisableCompression: true, MaxResponseHeaderBytes: maxHeaderBytes,
		DialContext: dial, Protocols: new(http.Protocols),
	}
	t.Protocols.SetHTTP1(p == HTTP1)
	t.Protocols.SetHTTP2(p == HTTP2)
	t.Protocols.SetUnencryptedHTTP2(p == H2C)
	return t
}

func (p Protocol) String() string {
	switch p {
	case HTTP2:
		return "HTTP/2"
	case H2C:
		return "h2c"
	}
	return "HTTP/1.1"
}

// Address is the address of one origin.
type Address struct {
	Network string      // "tcp" or "unix"
	Dial    string      // host:port, or the path of a socket
	TLS     *tls.Config // nil: plain. Its ServerName is set; clone it before changing it
	// IPs are the addresses of Dial's host, in the order to try them, if the host was
	// looked up before the load's clock started. If empty, an event loop looks it up by
	// itself.
	IPs []net.IPAddr
}

// LookUp looks up the host of an address, which is not that of a Unix socket.
func (a *Address) LookUp(ctx context.Context) error {
	host, _, err := net.SplitHostPort(a.Dial)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", a.Dial, err)
	}
	if host == "" {
		host = "localhost"
	}
	if a.IPs, err = net.DefaultResolver.LookupIPAddr(ctx, host); err != nil {
		return fmt.Errorf("resolve %s: %w", host, err)
	}
	return nil
}

// Job is a load as an engine sees it. Moments are in nanoseconds since the
// origin.
type Job struct {
	Addresses []Address // by Message.Origin
	Messages  *message.Set
	// Fixed are the bytes of those messages that do not change, where they were
	// made before the load's clock ran: of a million that takes a while. An event
	// loop makes them by itself where there are none.
	Fixed []wire.FixedRequest
	Check *Check // nil: the status alone

	Connections int
	Streams     int // of HTTP/2: requests at a time on one connection; at least 1
	Protocol    Protocol
	KeepAlive   bool // connections serve one request after the other
	Cookies     bool // each connection keeps those that it is given

	// Arrivals are when requests are due since the origin, those of the warm-up
	// among them; none: a closed loop.
	Arrivals schedule.Schedule
	Think    message.Think // of a closed loop
	Seed     uint64        // of think times
	// Requests are sent after the warm-up, and no more; 0: as many as the
	// duration holds. Connections that were refused may come on top (Again).
	Requests int64

	Warmup, Duration, Timeout time.Duration
	Origin                    time.Time
	Clock                     func() time.Time // nil: the system's
	Recorder                  *record.Recorder
	Loops                     int // event loops; 0: one for each processor

	taken  atomic.Int64
	outage outage
}

// Outage is the time for which a service that has responded and then refuses
// connections counts as restarting.
const Outage = 10 * time.Second

// outage is the time since which nothing but refusals came.
type outage struct {
	mu      sync.Mutex
	answers int64 // there were when it began
	since   int64
}

// Again reports whether a request of a closed loop, chosen at one time and refused a
// connection at another, should be tried again although Requests were taken: nothing of
// it was sent, and the load is bounded by a number of requests. The limit is Outage
// after the service last answered. A service that never answered is not waited for.
func (j *Job) Again(chosen, refused int64) bool {
	if j.Requests == 0 || chosen < int64(j.Warmup) {
		return false
	}
	answers := j.Recorder.Answers()
	o := &j.outage
	o.mu.Lock()
	defer o.mu.Unlock()
	if answers != o.answers {
		o.answers, o.since = answers, refused
	}
	return answers > 0 && refused-o.since < int64(Outage)
}

// Now returns the moment that it is.
func (j *Job) Now() int64 {
	if j.Clock == nil {
		return int64(time.Since(j.Origin))
	}
	return int64(j.Clock().Sub(j.Origin))
}

// Ends returns the moment when the load ends: nothing is due from then on, and a
// closed loop is cut off.
func (j *Job) Ends() int64 { return int64(j.Warmup + j.Duration) }

// Open reports whether the loop is open.
func (j *Job) Open() bool { return j.Arrivals.Open() }

// Take reports whether one more request may be sent: one that is due at a
// moment or, in a closed loop, chosen then. Its Outcome.Sent is that moment or a
// later one, but stays within the warm-up where it was chosen there. Those of the
// warm-up always may be sent.
func (j *Job) Take(moment int64) bool {
	if j.Requests == 0 || moment < int64(j.Warmup) {
		return true
	}
	return j.taken.Add(1) <= j.Requests
}
