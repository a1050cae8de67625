package capture

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// response is a whole HTTP response.
type response struct {
	data []byte
	// start is the time the request was sent, head the time the response began.
	// The runtime finishes a recording between the two.
	start, head, end time.Time
	cut              bool // the body was longer
}

// newClient follows redirects that stay on the server it asked: headers may
// hold secrets, and a page elsewhere is a login more often than a profile.
func newClient(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(request *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch to := request.URL; {
		case len(via) >= 10:
			return &statusError{text: "the server redirects in a loop"}
		case !strings.EqualFold(to.Host, first.Host) && !(to.Scheme == "https" && first.Scheme == "http" && strings.EqualFold(to.Hostname(), first.Hostname())):
			return &statusError{text: "the server redirects to " + lastWords(to.Scheme+"://"+to.Host) + ": it may want a login; if the program is there, give that address"}
		case first.Scheme == "https" && to.Scheme != "https":
			return &statusError{text: "the server redirects from https to http, which would expose the request"}
		}
		return nil
	}}
}

// newRequest asks u. A user and password in it are sent as basic
// authentication, unless the header has another.
func newRequest(ctx context.Context, method string, u *url.URL, header http.Header) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, errors.New("the address is malformed")
	}
	for k, values := range header {
		request.Header[http.CanonicalHeaderKey(k)] = values
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	}
	return request, nil
}

// open sends a request and returns the answer if its status is 200. The caller
// closes its body.
func open(client *http.Client, request *http.Request) (*http.Response, error) {
	response, err := client.Do(request)
	if err != nil {
		return nil, explain(request.Context(), err)
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, refusal(response)
	}
	return response, nil
}

// get reads an answer of at most limit bytes that is neither empty nor a web
// page.
func get(client *http.Client, request *http.Request, limit int64, now func() time.Time) (*response, error) {
	return getPart(client, request, limit, false, now)
}

// getPart is get of which a longer answer may be cut, if cut says so.
func getPart(client *http.Client, request *http.Request, limit int64, cut bool, now func() time.Time) (*response, error) {
	a := &response{start: now()}
	response, err := open(client, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a.head = now()
	body := io.Reader(response.Body)
	if cut {
		body = io.LimitReader(body, limit)
	}
	data, whole, err := ReadAtMost(body, limit)
	a.data, a.end = data, now()
	a.cut = cut && err == nil && int64(len(data)) == limit
	switch {
	case err == nil && !whole:
		return nil, unfitError("the answer is longer than " + mebibytes(limit))
	case err != nil:
		return a, breach(request.Context(), err, len(a.data))
	case len(a.data) == 0:
		return nil, unfitError("the answer is empty")
	case isHTML(response.Header.Get("Content-Type"), a.data):
		return nil, unfitError("the answer is a web page, not a profile: the address may need a login, or its path may be wrong")
	}
	return a, nil
}

// unfitError reports a whole response of the wrong kind.
type unfitError string

func (u unfitError) Error() string { return string(u) }

func mebibytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// breach says why an answer did not come to its end.
func breach(ctx context.Context, err error, got int) error {
	switch {
	case ctx.Err() != nil:
		return explain(ctx, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("the connection broke off after %d bytes: fetch it again", got)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return errors.New("the answer is marked as gzip but is not gzip or is damaged: a proxy may have changed it")
	}
	return explain(ctx, err)
}

// explain turns an error of the connection into what to do about it. The text
// of package http is cut off: it repeats the address.
func explain(ctx context.Context, err error) error {
	var dns *net.DNSError
	var unverified *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, syscall.ECONNREFUSED), strings.Contains(err.Error(), "actively refused"): // as Windows puts it
		return errors.New("connection refused: is the program running, and on this port?")
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("no host %s", dns.Name)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("no answer in time")
	case errors.Is(err, io.EOF):
		return errors.New("the server closed the connection without an answer")
	case errors.As(err, &unverified):
		if errors.As(err, new(x509.UnknownAuthorityError)) {
			return errors.New("the server's certificate is signed by an authority unknown to this machine: name the file of the authority's certificate")
		}
		return fmt.Errorf("the server's certificate is not valid: %s", lastWords(unverified.Err.Error()))
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

// statusError reports a response status other than 200.
type statusError struct {
	status int    // 0: a redirect that is not followed
	said   string // the server's own words, one line
	text   string
}

func (r *statusError) Error() string { return r.text }

// refusal says why a server did not give a profile.
func refusal(response *http.Response) error {
	head, err := io.ReadAll(io.LimitReader(response.Body, 512))
	if err != nil {
		head = nil // the status says enough
	}
	r := &statusError{status: response.StatusCode}
	if !isHTML(response.Header.Get("Content-Type"), head) {
		r.said = lastWords(string(head))
	}
	switch {
	case r.status == http.StatusNotFound:
		r.text = `the server has no such page (404): import _ "net/http/pprof" in the program, and serve it on this port`
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		how := "write http://user:password@host"
		if strings.HasPrefix(response.Header.Get("WWW-Authenticate"), "Bearer") {
			how = "pass its token with -H 'Authorization: Bearer TOKEN'"
		}
		r.text = fmt.Sprintf("the server requires a login (%s): %s", lastWords(response.Status), how)
	case r.said != "":
		r.text = fmt.Sprintf("the server answered %s: %s", lastWords(response.Status), r.said)
	default:
		r.text = "the server answered " + lastWords(response.Status)
	}
	return r
}

func isHTML(contentType string, data []byte) bool {
	if strings.HasPrefix(strings.ToLower(contentType), "text/html") {
		return true
	}
	text := bytes.ToLower(bytes.TrimLeft(data[:min(len(data), 256)], " \t\r\n\xef\xbb\xbf"))
	return bytes.HasPrefix(text, []byte("<!doctype html")) || bytes.HasPrefix(text, []byte("<html"))
}

// lastWords takes the last line of a plain error page that says anything, without
// what could move a terminal's cursor.
func lastWords(s string) string {
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
