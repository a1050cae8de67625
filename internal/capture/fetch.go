package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// FetchOptions are the choices of FetchProfile; the zero value is usable.
type FetchOptions struct {
	Seconds  int           // how long the program is to record; 0 leaves it to the URL, then 30 for CPU profiles
	Header   http.Header   // sent with the request
	MaxBytes int64         // a longer answer is refused; 0 is 256 MiB
	Grace    time.Duration // how much longer than Seconds the answer may take; 0 is 30 s
}

const (
	defaultSeconds  = 30 // net/http/pprof's own
	defaultMaxBytes = 256 << 20
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
		return nil, 0, errors.New("parse URL: it is malformed; write it as http://host:port/debug/pprof/profile")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, 0, fmt.Errorf("parse URL %s: not an http or https address with a host", u.Redacted())
	}
	if seconds < 0 || seconds > longestSeconds {
		return nil, 0, fmt.Errorf("record %d seconds: between 1 and %d can be asked for", seconds, longestSeconds)
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
	limited, cancel := context.WithTimeoutCause(ctx, recording+o.Grace,
		fmt.Errorf("no answer %v after the recording should have ended", o.Grace))
	defer cancel()
	data, err := get(limited, u, o)
	if err != nil {
		return nil, fmt.Errorf("fetch profile %s: %w", u.Redacted(), err)
	}
	return data, nil
}

func get(ctx context.Context, u *url.URL, o FetchOptions) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("the address is malformed")
	}
	for k, values := range o.Header {
		request.Header[http.CanonicalHeaderKey(k)] = values
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, explain(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, o.MaxBytes+1))
	switch {
	case int64(len(data)) > o.MaxBytes:
		return nil, fmt.Errorf("the answer is longer than %d MiB", o.MaxBytes>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("the connection broke off after %d bytes: fetch it again", len(data))
	case err != nil:
		return nil, explain(ctx, err)
	case len(data) == 0:
		return nil, errors.New("the answer is empty")
	case isHTML(response.Header.Get("Content-Type"), data):
		return nil, errors.New("the answer is a web page, not a profile: the address may need a login, or its path may be wrong")
	}
	return data, nil
}

// explain turns an error of the connection into what to do about it. The text
// of package http is cut off: it repeats the address.
func explain(ctx context.Context, err error) error {
	var dns *net.DNSError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return context.Cause(ctx)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, syscall.ECONNREFUSED), strings.Contains(err.Error(), "actively refused"): // as Windows puts it
		return errors.New("connection refused: nothing listens there; is the program running, and on this port?")
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("there is no host %s", dns.Name)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("no answer in time")
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return errors.New("the server does not speak HTTPS: write http://")
	}
	return err
}

// refusal says why a server did not give a profile.
func refusal(response *http.Response) error {
	head, err := io.ReadAll(io.LimitReader(response.Body, 512))
	if err != nil {
		head = nil // the status says enough
	}
	why := ""
	if !isHTML(response.Header.Get("Content-Type"), head) {
		why = oneLine(string(head))
	}
	switch response.StatusCode {
	case http.StatusNotFound:
		return errors.New(`the server has no such page (404): does the program import _ "net/http/pprof", and serve it on this port?`)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the server wants a login (%s): write http://user:password@host", response.Status)
	}
	if why != "" {
		return fmt.Errorf("the server answered %s: %s", response.Status, why)
	}
	return fmt.Errorf("the server answered %s", response.Status)
}

func isHTML(contentType string, data []byte) bool {
	if strings.HasPrefix(strings.ToLower(contentType), "text/html") {
		return true
	}
	text := bytes.ToLower(bytes.TrimLeft(data[:min(len(data), 256)], " \t\r\n\xef\xbb\xbf"))
	return bytes.HasPrefix(text, []byte("<!doctype html")) || bytes.HasPrefix(text, []byte("<html"))
}

// oneLine takes the last line of a plain error page that says anything, without
// what could move a terminal's cursor.
func oneLine(s string) string {
	line := ""
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" {
			line = l
		}
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
}
