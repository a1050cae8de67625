package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/loadresult"
	"whet/internal/recording"
	"whet/internal/schedule"
)

// Options configure a load: requests, rate and duration. Start from DefaultOptions.
type Options struct {
	URL    string // http or https; a user and password in it are sent as basic authentication
	Method string
	Header http.Header // "Host" in it replaces the address's
	Body   []byte      // sent with every request
	// Messages are sent in place of the four above.
	Messages *message.Set
	Check    *engine.Check // which answers are right; nil: those with a status below 400

	Concurrency int             // connections, each with one request at a time
	Protocol    engine.Protocol // spoken on all of them
	Streams     int             // with HTTP/2: requests at a time on each connection
	KeepAlive   bool            // connections serve one request after the other
	Cookies     bool            // each connection keeps those that it is given
	Socket      string          // path of a Unix socket to connect to, instead of the address

	// Schedule is the schedule of an open loop. The zero value makes a closed one. A
	// schedule that changes begins after the warm-up.
	Schedule schedule.Schedule
	Think    message.Think // between an answer and the next request, in a closed loop
	Seed     uint64        // of think times
	// Requests are sent after the warm-up and waited for, and no more; 0: as
	// many as the duration holds.
	Requests int64
	Warmup   time.Duration // sent the same way, not counted
	Duration time.Duration // of the measurement, after the warm-up
	Timeout  time.Duration // of one request
	// KeepResponses keeps every response time of an open loop in addition to the
	// histogram, 8 bytes each.
	KeepResponses bool

	Insecure       bool   // accept any certificate
	CAFile         string // PEM file with further certificate authorities to accept
	MinTLS, MaxTLS uint16 // versions as crypto/tls numbers them; 0: those that crypto/tls takes
	Resume         bool   // TLS sessions are taken up again by later connections
	// Certificate and Key are PEM files of the client certificate; "": none.
	Certificate, Key string

	Engine string // "" or "auto", "epoll", "io_uring", "portable"
	Loops  int    // event loops of an engine that has some; 0: one for each processor

	Now      func() time.Time          // nil: the system's clock
	Progress func(Progress)            // called a few times a second by one goroutine; nil: never
	Interval func(loadresult.Interval) // called for each second of the measured load, as record.Recorder.Interval says; nil: never
	// Slow is called for requests that count and took longer than SlowAfter, see
	// record.Recorder.Watch; nil: not called.
	Slow      func(*record.Outcome) bool
	SlowAfter time.Duration
}

// Progress is the state of a running load.
type Progress struct {
	WarmingUp bool
	Elapsed   time.Duration // of the phase
	Of        time.Duration // the phase's planned length
	Requests  int64         // ended in this phase
	Errors    int64         // of them failed
}

// DefaultOptions returns everything but the URL.
func DefaultOptions() Options {
	return Options{
		Method:      http.MethodGet,
		Concurrency: 64,
		Streams:     1,
		KeepAlive:   true,
		Warmup:      5 * time.Second,
		Duration:    20 * time.Second,
		Timeout:     10 * time.Second,
	}
}

// Plan returns the plan of the options, for recordings and pages: for one target, in a
// closed loop.
func (o *Options) Plan() loadresult.Plan {
	return loadresult.Plan{
		URL: recording.Redacted(o.URL), Targets: 1, Method: o.Method, Protocol: o.Protocol.String(), Connections: o.Concurrency, Streams: max(o.Streams, 1),
		KeepAlive: o.KeepAlive, Requests: o.Requests, Warmup: o.Warmup, Duration: o.Duration, Timeout: o.Timeout,
	}
}

// MaxConcurrency is the largest number of connections of a load.
const MaxConcurrency = 10_000

const (
	maxStreams  = 1000
	maxLoops    = 1024
	maxRate     = 1e6 // per second: beyond it nobody can wake up for each
	maxRequests = 1e12
	// The seconds and bins of a day take about 60 MB.
	maxDuration = 24 * time.Hour
)

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	if o.Messages == nil {
		if err := o.validateRequest(); err != nil {
			return err
		}
	}
	switch {
	case o.Concurrency < 1 || o.Concurrency > MaxConcurrency:
		return fmt.Errorf("concurrency %d: give 1 to %d", o.Concurrency, MaxConcurrency)
	case o.Streams < 0 || o.Streams > maxStreams:
		return fmt.Errorf("%d streams: give 1 to %d requests at a time on each connection", o.Streams, maxStreams)
	case o.Loops < 0 || o.Loops > maxLoops:
		return fmt.Errorf("%d event loops: give 1 to %d, or 0 for one on each processor", o.Loops, maxLoops)
	case o.Streams > 1 && o.Protocol == engine.HTTP1:
		return errors.New("several requests at a time on one connection need HTTP/2 (-http2)")
	case !(o.Schedule.Peak() <= maxRate):
		return fmt.Errorf("rate %v: give up to %d requests per second", o.Schedule, int(maxRate))
	case len(o.Socket) > longestSocket:
		return fmt.Errorf("the path of the Unix socket %s has %d bytes, more than the system's limit of %d: give a shorter path, such as one relative to the working directory",
			o.Socket, len(o.Socket), longestSocket)
	case o.Schedule.Open() && !o.Think.None():
		return errors.New("a think time needs a closed loop: with a rate, requests are sent when they are due")
	case o.Requests < 0 || o.Requests > maxRequests:
		return fmt.Errorf("%d requests: give 1 to %d", o.Requests, int64(maxRequests))
	case o.Warmup < 0 || o.Warmup > maxDuration:
		return fmt.Errorf("warm-up %v: give 0 to %v", o.Warmup, maxDuration)
	case o.Duration <= 0 || o.Duration > maxDuration:
		return fmt.Errorf("duration %v: give more than 0 and at most %v", o.Duration, maxDuration)
	case o.Timeout <= 0 || o.Timeout > maxDuration:
		return fmt.Errorf("timeout %v: give more than 0 and at most %v", o.Timeout, maxDuration)
	}
	if err := o.validateTLS(); err != nil {
		return err
	}
	if err := o.Check.Validate(); err != nil {
		return err
	}
	p, err := o.prepare()
	if err != nil {
		return err
	}
	return o.validateEngine(p)
}

// validateRequest checks the options of the request.
func (o *Options) validateRequest() error {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return fmt.Errorf("url %q cannot be read: give one like http://localhost:8080/path", redact(o.URL))
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("url %q: the scheme must be http or https", u.Redacted())
	case u.Hostname() == "":
		return fmt.Errorf("url %q names no host: give one like http://localhost:8080/path", u.Redacted())
	case u.Port() != "" && !isPort(u.Port()):
		return fmt.Errorf("url %q: port %s is not within 1 to 65535", u.Redacted(), u.Port())
	case !message.IsToken(o.Method):
		return fmt.Errorf("method %q: give one such as GET or POST", o.Method)
	}
	for name, values := range o.Header {
		if !message.IsToken(name) {
			return fmt.Errorf("header %q: not a header name", name)
		}
		for _, v := range values {
			if strings.ContainsAny(v, "\r\n\x00") {
				return fmt.Errorf("header %s: its value contains a line break", name)
			}
		}
	}
	return nil
}

func (o *Options) validateTLS() error {
	for _, v := range []uint16{o.MinTLS, o.MaxTLS} {
		if v != 0 && !slices.Contains([]uint16{tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13}, v) {
			return fmt.Errorf("TLS version %#04x: give one of 1.0 to 1.3", v)
		}
	}
	switch {
	case o.MinTLS != 0 && o.MaxTLS != 0 && o.MinTLS > o.MaxTLS:
		return fmt.Errorf("at least %s and at most %s: no version lies in that range", tls.VersionName(o.MinTLS), tls.VersionName(o.MaxTLS))
	case (o.Certificate == "") != (o.Key == ""):
		return errors.New("give the files of both the client certificate and its key")
	}
	return nil
}

// redact keeps a password out of a message about an address that cannot be
// parsed.
func redact(s string) string {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		return "…" + s[at:]
	}
	return s
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}
