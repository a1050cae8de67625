package load

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strings"

	"whet/internal/load/message"
	"whet/internal/load/record"
)

// Client sends a target one request after the other over a persistent connection
// and returns the responses. It generates no load: use it to read responses, not to
// time them.
type Client struct {
	o         Options
	template  *http.Request
	body      []byte // of the template
	transport *http.Transport
}

// Request is an HTTP request. Its empty fields default to those of the options.
type Request struct {
	Method string
	Target string // path and query, as in a request line; "" is that of Options.URL
	Header map[string]string
	Body   []byte
}

// Response is an HTTP response. A redirect is a response like any other.
type Response struct {
	Status int
	Header map[string][]string // with canonical names
	Body   []byte              // at most MaxResponseBody bytes of it
	Bytes  int64               // of the whole body
	SHA256 string              // of the whole body
}

// MaxResponseBody bounds the bytes of a response body that are kept.
const MaxResponseBody = 4 << 20

// NewClient returns a client with the options that do not concern load. The caller
// must call Close when done.
func NewClient(o Options) (*Client, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p, err := o.prepare()
	if err != nil {
		return nil, err
	}
	template, body, err := p.template()
	if err != nil {
		return nil, err
	}
	addresses, err := o.addresses(p)
	if err != nil {
		return nil, err
	}
	return &Client{o: o, template: template, body: body, transport: o.transport(addresses[0])}, nil
}

// Close closes the connections.
func (a *Client) Close() { a.transport.CloseIdleConnections() }

// Do sends one question and reads the whole answer, which is not to take
// longer than the options' timeout.
func (a *Client) Do(ctx context.Context, q Request) (*Response, error) {
	ctx, stop := context.WithTimeoutCause(ctx, a.o.Timeout, record.ErrTimeout)
	defer stop()
	req, err := a.request(ctx, q)
	if err != nil {
		return nil, err
	}
	res, err := a.transport.RoundTrip(req)
	if err != nil {
		return nil, a.explain(ctx, req, err, false)
	}
	defer res.Body.Close()
	kept := &keeper{hash: sha256.New()}
	n, err := io.Copy(kept, res.Body)
	if err != nil {
		return nil, a.explain(ctx, req, err, true)
	}
	return &Response{Status: res.StatusCode, Header: res.Header, Body: kept.data, Bytes: n, SHA256: hex.EncodeToString(kept.hash.Sum(nil))}, nil
}

func (a *Client) request(ctx context.Context, q Request) (*http.Request, error) {
	req := a.template.Clone(ctx)
	body := a.body
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if q.Method != "" {
		req.Method, body = q.Method, nil
	}
	if q.Target != "" {
		u, err := url.ParseRequestURI(q.Target)
		if err != nil {
			return nil, err
		}
		u.Scheme, u.Host = a.template.URL.Scheme, a.template.URL.Host
		req.URL = u
	}
	for name, value := range q.Header {
		if http.CanonicalHeaderKey(name) == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	if q.Body != nil {
		body = q.Body
	}
	withBody(req, body)
	return req, nil
}

// Validate reports an error if the request cannot be sent.
func (q *Request) Validate() error {
	if q.Method != "" && !message.IsToken(q.Method) {
		return fmt.Errorf("method %q: give one such as GET or POST", record.Line(q.Method))
	}
	if q.Target != "" {
		if _, err := url.ParseRequestURI(q.Target); err != nil || q.Target[0] != '/' {
			return fmt.Errorf("path %q: give one like /items?id=7, without a host", record.Line(q.Target))
		}
	}
	for name, value := range q.Header {
		if !message.IsToken(name) || strings.ContainsAny(value, "\r\n\x00") {
			return fmt.Errorf("header %q: invalid name or value", record.Line(name))
		}
	}
	return nil
}

// explain describes an error of the transport; body reports whether the head of the
// response had arrived.
func (a *Client) explain(ctx context.Context, req *http.Request, err error, body bool) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, record.ErrTimeout) && body:
		return fmt.Errorf("ask %s: the answer was incomplete after %v: its head arrived, its end did not", req.URL.Redacted(), a.o.Timeout)
	case errors.Is(cause, record.ErrTimeout):
		return fmt.Errorf("ask %s: no answer within %v", req.URL.Redacted(), a.o.Timeout)
	case cause != nil:
		return cause
	}
	return fmt.Errorf("ask %s: %s", req.URL.Redacted(), described(err, body))
}

// keeper keeps the beginning of a body and a digest of all of it.
type keeper struct {
	data []byte
	hash hash.Hash
}

func (k *keeper) Write(p []byte) (int, error) {
	k.hash.Write(p)
	if room := MaxResponseBody - len(k.data); room > 0 {
		k.data = append(k.data, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
