package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls a downstream over HTTP: it posts the payload and gives the rest
// in the query, as business, qua and session. What is answered with 200 is the
// answer. Use NewClient.
type Client struct {
	base    string
	timeout time.Duration
	http    *http.Client
}

// Patience is how long a downstream may take, from the connection to the last
// byte of its answer, where nobody says otherwise.
const Patience = 2 * time.Second

// maxIdle is how many connections to the downstream stay open between calls.
// With net/http's own bound, two, more callers than that open a new one for
// almost every call.
const maxIdle = 256

// NewClient returns a client of the service at an address. Each call is bounded
// by the timeout.
func NewClient(address string, timeout time.Duration) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the address of the downstream: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("read the address of the downstream: %q: want http://host:port/path", address)
	}
	return &Client{
		base:    address,
		timeout: timeout,
		http: &http.Client{
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: timeout}).DialContext,
				MaxIdleConns:        maxIdle,
				MaxIdleConnsPerHost: maxIdle,
				IdleConnTimeout:     90 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close closes the connections that no call is using.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Call implements Downstream.
func (c *Client) Call(ctx context.Context, call Call) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	query := url.Values{"business": {call.Business}, "qua": {call.Qua}, "session": {call.Session}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"?"+query.Encode(), strings.NewReader(call.Payload))
	if err != nil {
		return "", fmt.Errorf("call the downstream: %w", err)
	}
	r.Header.Set("Content-Type", ContentType)
	answer, err := c.http.Do(r)
	if err != nil {
		return "", fmt.Errorf("call the downstream: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("call the downstream: it answered with status %d", answer.StatusCode)
	}
	var text strings.Builder
	if n := answer.ContentLength; 0 < n && n <= MaxAnswer {
		text.Grow(int(n))
	}
	n, err := io.Copy(&text, io.LimitReader(answer.Body, MaxAnswer+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the downstream's answer: %w", err)
	case n > MaxAnswer:
		return "", errors.New("read the downstream's answer: it is larger than 1 MiB")
	}
	return text.String(), nil
}
