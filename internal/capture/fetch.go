package capture

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// FetchOptions are the choices of FetchProfile; the zero value is usable.
type FetchOptions struct {
	Seconds  int           // how long the program is to record; 0 leaves it to the URL, then 30 for CPU profiles
	Header   http.Header   // sent with the request
	MaxBytes int64         // a longer answer is refused; 0 is 192 MiB
	Grace    time.Duration // how much longer than Seconds the answer may take; 0 is 30 s
	Timeout  time.Duration // how long it may take in all; 0 leaves it to Seconds and Grace
	TLS      *tls.Config   // of https; nil is Go's default
	Partial  bool          // return the data of a response that breaks off, with the error
}

const (
	defaultSeconds  = 30 // net/http/pprof's own
	defaultMaxBytes = 192 << 20
	defaultGrace    = 30 * time.Second
	longestSeconds  = 24 * 60 * 60
)

// ProfileURL completes a target as people type it: without a path, or with
// that of net/http/pprof's index, it is the CPU profile. It returns how long
// the program will record.
func ProfileURL(target string, seconds int) (*url.URL, time.Duration, error) {
	u, err := url.Parse(target)
	if err != nil {
		// The error of package url holds the whole text, and with it a password.
		return nil, 0, errors.New("parse URL: malformed; write it as http://host:port/debug/pprof/profile")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, 0, fmt.Errorf("parse URL %s: not an http or https address with a host", u.Redacted())
	}
	if seconds < 0 || seconds > longestSeconds {
		return nil, 0, fmt.Errorf("record %d seconds: give 1 to %d", seconds, longestSeconds)
	}
	switch strings.TrimRight(u.Path, "/") {
	case "", "/debug/pprof":
		u.Path = "/debug/pprof/profile"
	}
	q := u.Query()
	if given := q.Get("seconds"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 0 || n > longestSeconds {
			return nil, 0, fmt.Errorf("parse URL %s: seconds=%s is not a number between 0 and %d", u.Redacted(), given, longestSeconds)
		}
		return u, time.Duration(n) * time.Second, nil
	}
	if seconds == 0 && strings.HasSuffix(u.Path, "/profile") {
		seconds = defaultSeconds
	}
	if seconds > 0 {
		q.Set("seconds", strconv.Itoa(seconds))
		u.RawQuery = q.Encode()
	}
	return u, time.Duration(seconds) * time.Second, nil
}

// FetchProfile gets a profile from a program over HTTP. A user and password in
// the URL are sent as basic authentication, and named in no error.
func FetchProfile(ctx context.Context, target string, o FetchOptions) ([]byte, error) {
	u, recording, err := ProfileURL(target, o.Seconds)
	if err != nil {
		return nil, fmt.Errorf("fetch profile: %w", err)
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	allowed, late := recording+o.Grace, fmt.Errorf("no answer %v after the planned end of the recording", o.Grace)
	if o.Timeout > 0 {
		allowed, late = o.Timeout, fmt.Errorf("no answer within %v", o.Timeout)
	}
	limited, cancel := context.WithTimeoutCause(ctx, allowed, late)
	defer cancel()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if o.TLS != nil {
		transport.TLSClientConfig = o.TLS
	}
	client := newClient(transport)
	defer client.CloseIdleConnections()
	request, err := newRequest(limited, http.MethodGet, u, o.Header)
	if err != nil {
		return nil, fmt.Errorf("fetch profile %s: %w", u.Redacted(), err)
	}
	a, err := get(client, request, o.MaxBytes, time.Now)
	if err != nil {
		err = fmt.Errorf("fetch profile %s: %w", u.Redacted(), err)
		if o.Partial && a != nil {
			return a.data, err
		}
		return nil, err
	}
	return a.data, nil
}
