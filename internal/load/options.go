package load

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options says what to send, how much of it and for how long. Start from
// DefaultOptions.
type Options struct {
	URL    string // http or https; a user and password in it are sent as basic authentication
	Method string
	Header http.Header // "Host" in it replaces the address's
	Body   []byte      // sent with every request

	Concurrency int           // clients, each with one request at a time over a connection of its own
	Rate        float64       // requests per second, sent when they are due: an open loop; 0: a closed one
	Warmup      time.Duration // sent the same way, not counted
	Duration    time.Duration // what is measured, behind the warm-up
	Timeout     time.Duration // of one request
	// KeepResponses keeps every response time of an open loop beside the
	// histogram, 8 bytes each.
	KeepResponses bool

	Insecure bool   // accept any certificate
	CAFile   string // PEM file with further certificate authorities to accept

	Now      func() time.Time
	Progress func(Progress) // called a few times a second by one goroutine; nil: never
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
		Warmup:      5 * time.Second,
		Duration:    20 * time.Second,
		Timeout:     10 * time.Second,
		Now:         time.Now,
	}
}

const (
	maxConcurrency = 10_000
	maxRate        = 1e6 // per second: beyond it one pacer cannot wake up for each
	// The seconds and bins of a day take about 60 MB.
	maxDuration = 24 * time.Hour
)

// Validate reports the first option that cannot be used.
func (o *Options) Validate() error {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return fmt.Errorf("url %q cannot be read: give one like http://localhost:8080/path", redact(o.URL))
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("url %q: the scheme must be http or https", u.Redacted())
	case u.Hostname() == "":
		return fmt.Errorf("url %q names no host: give one like http://localhost:8080/path", u.Redacted())
	case u.Port() != "" && !isPort(u.Port()):
		return fmt.Errorf("url %q: there is no port %s", u.Redacted(), u.Port())
	case !isToken(o.Method):
		return fmt.Errorf("method %q: give one such as GET or POST", o.Method)
	case o.Concurrency < 1 || o.Concurrency > maxConcurrency:
		return fmt.Errorf("concurrency %d: give 1 to %d", o.Concurrency, maxConcurrency)
	case !(o.Rate >= 0 && o.Rate <= maxRate):
		return fmt.Errorf("rate %v: give 0 to %d requests per second, 0 for a closed loop", o.Rate, int(maxRate))
	case o.Warmup < 0 || o.Warmup > maxDuration:
		return fmt.Errorf("warm-up %v: give 0 to %v", o.Warmup, maxDuration)
	case o.Duration <= 0 || o.Duration > maxDuration:
		return fmt.Errorf("duration %v: give more than 0 and at most %v", o.Duration, maxDuration)
	case o.Timeout <= 0:
		return fmt.Errorf("timeout %v: give more than 0", o.Timeout)
	case o.Now == nil:
		return fmt.Errorf("no clock: start from DefaultOptions")
	}
	for name, values := range o.Header {
		if !isToken(name) {
			return fmt.Errorf("header %q: this is no name of a header", name)
		}
		for _, v := range values {
			if strings.ContainsAny(v, "\r\n\x00") {
				return fmt.Errorf("header %s: its value holds a line break", name)
			}
		}
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

// isToken is RFC 9110's token, of which methods and header names are made.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// request builds the request that all clients send; the body is added to each.
func (o *Options) request() (*http.Request, error) {
	req, err := http.NewRequest(o.Method, o.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	for name, values := range o.Header {
		req.Header[http.CanonicalHeaderKey(name)] = append([]string(nil), values...)
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	if u := req.URL.User; u != nil && req.Header.Get("Authorization") == "" {
		password, _ := u.Password()
		req.SetBasicAuth(u.Username(), password)
	}
	if _, ok := req.Header["User-Agent"]; !ok {
		req.Header.Set("User-Agent", "whet")
	}
	return req, nil
}
