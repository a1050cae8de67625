package capture

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"whet/internal/recording"
)

// TargetOptions are the address of a program's instruments and the way to reach them.
type TargetOptions struct {
	// Base is http(s)://[user:password@]host[:port][/prefix], with or without
	// /debug/pprof/ or /debug/whet/ at its end. With Socket it may be empty.
	Base     string
	Socket   string        // path of the Unix socket that the agent listens on
	Token    string        // of the agent; sent to it alone
	Header   http.Header   // sent with each request
	CAFile   string        // PEM certificates to trust in addition to the system's
	Insecure bool          // take any certificate
	Patience time.Duration // how long to wait while someone else uses the CPU profiler or the tracer; 0 is 30 s, less than 0 none
	Grace    time.Duration // how long an answer may take beyond the recording it asked for; 0 is 30 s
	Now      func() time.Time
}

const defaultPatience = 30 * time.Second

// Kinds of targets: Target.Kind, and Service.Instruments of package format/load.
const (
	KindAgent = "agent"
	KindPprof = "pprof"
)

// ErrNoInstruments means that a server responds but offers neither the agent nor
// net/http/pprof.
var ErrNoInstruments = errors.New("no instruments there")

// Target is a running program that offers instruments. Its methods may be used
// concurrently.
type Target struct {
	Kind string // KindAgent or KindPprof

	client   *http.Client
	base     *url.URL // ends in a slash; with user and password
	address  string
	header   http.Header
	patience time.Duration
	grace    time.Duration
	now      func() time.Time
	pause    func(context.Context, time.Duration) error

	rates Rates // as they were found
	procs int

	mu      sync.Mutex
	offers  []string
	unknown []recording.Unknown
}

// TLSConfig trusts the certificates in caFile in addition to the system's, or with
// insecure any. It returns nil, the default, for "" and false.
func TLSConfig(caFile string, insecure bool) (*tls.Config, error) {
	if caFile == "" && !insecure {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: insecure}
	if caFile == "" {
		return c, nil
	}
	st, err := os.Stat(caFile)
	if err != nil {
		return nil, fmt.Errorf("read CA certificates: %w", err)
	}
	if !st.Mode().IsRegular() || st.Size() > 8<<20 {
		return nil, fmt.Errorf("read CA certificates %s: not a file of certificates", caFile)
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("read CA certificates: %w", err)
	}
	if c.RootCAs, err = x509.SystemCertPool(); err != nil {
		c.RootCAs = x509.NewCertPool() // no system pool: the file's alone
	}
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read CA certificates %s: no certificate in PEM form (-----BEGIN CERTIFICATE-----)", caFile)
	}
	return c, nil
}

// Find looks for the agent first, then for net/http/pprof. It asks each
// cumulative profile once for its head. An error that wraps ErrNoInstruments
// means that the server is there and offers neither.
func Find(ctx context.Context, o TargetOptions) (*Target, error) {
	t, root, err := newTarget(o)
	if err != nil {
		return nil, fmt.Errorf("find instruments: %w", err)
	}
	if err := t.find(ctx, root, o); err != nil {
		t.Close()
		return nil, fmt.Errorf("find instruments at %s: %w", t.address, err)
	}
	return t, nil
}

// newTarget checks the options. root is the base without the instruments' own
// path, and ends in a slash.
func newTarget(o TargetOptions) (t *Target, root *url.URL, err error) {
	base := o.Base
	if base == "" && o.Socket != "" {
		base = "http://whet/" // no such host is looked up: the socket answers
	}
	root, err = url.Parse(base)
	switch {
	case err != nil:
		return nil, nil, errors.New("parse URL: malformed; write it as http://host:port")
	case root.Scheme != "http" && root.Scheme != "https" || root.Host == "":
		return nil, nil, fmt.Errorf("parse URL %s: not an http or https address with a host", root.Redacted())
	case root.RawQuery != "" || root.Fragment != "":
		root.RawQuery, root.Fragment = "", ""
		return nil, nil, fmt.Errorf("parse URL %s: a base URL has no query: omit it", root.Redacted())
	}
	tlsConfig, err := TLSConfig(o.CAFile, o.Insecure)
	if err != nil {
		return nil, nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if tlsConfig != nil {
		transport.TLSClientConfig = tlsConfig
	}
	if o.Socket != "" {
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", o.Socket)
		}
	}
	path := strings.TrimRight(root.Path, "/")
	for _, own := range []string{"/debug/whet", "/debug/pprof"} {
		path = strings.TrimSuffix(path, own)
	}
	root.Path, root.RawPath = path+"/", ""
	t = &Target{
		client: newClient(transport), header: o.Header,
		patience: o.Patience, grace: o.Grace, now: o.Now, pause: pause,
	}
	t.at(root, o.Socket)
	if t.patience == 0 {
		t.patience = defaultPatience
	}
	if t.grace <= 0 {
		t.grace = defaultGrace
	}
	if t.now == nil {
		t.now = time.Now
	}
	return t, root, nil
}

// at sets where the instruments are.
func (t *Target) at(base *url.URL, socket string) {
	t.base = base
	shown := *base
	shown.User = nil
	t.address = shown.String()
	if socket != "" {
		t.address = "unix:" + socket
	}
}

// Close ends the idle connections to the target.
func (t *Target) Close() { t.client.CloseIdleConnections() }

// Address returns the address of the instruments, without user and password.
func (t *Target) Address() string { return t.address }

// Offers returns the kinds of artifacts that the target can give, as package
// recording names them. Of the CPU profile and the trace it is known only
// once they were asked for.
func (t *Target) Offers() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.offers...)
}

// Unknown returns the missing instruments of the target, why they are missing, and
// how to get them. It may grow when Profile and Trace find one missing.
func (t *Target) Unknown() []recording.Unknown {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]recording.Unknown(nil), t.unknown...)
}

// Rates returns the rates in force when the target was found, as reported by
// net/http/pprof or the agent.
func (t *Target) Rates() Rates { return t.rates }

// GOMAXPROCS returns the target's GOMAXPROCS; 0: unknown.
func (t *Target) GOMAXPROCS() int { return t.procs }

// request asks for a path below the base; query may be nil.
func (t *Target) request(ctx context.Context, method, path string, query url.Values) (*http.Request, error) {
	u := t.base.JoinPath(path)
	u.RawQuery = query.Encode()
	return newRequest(ctx, method, u, t.header)
}

// within bounds a request that records for a while.
func (t *Target) within(ctx context.Context, recording time.Duration) (context.Context, context.CancelFunc) {
	cause := fmt.Errorf("no answer within %v", t.grace)
	if recording > 0 {
		cause = fmt.Errorf("no answer %v after the planned end of the recording", t.grace)
	}
	return context.WithTimeoutCause(ctx, recording+t.grace, cause)
}

// pause waits, or returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
