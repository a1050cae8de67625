package portable

import (
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"whet/internal/load/engine"
)

// request makes the request of the message that is next.
func (c *client) request(o *origin) *http.Request {
	m := &c.m
	var req *http.Request
	if c.fixed != nil {
		req = c.fixed[m.Index]
	}
	if req == nil {
		req = (&http.Request{Method: m.Method, URL: o.url(m.Target), Host: o.host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: make(http.Header, len(m.Header)+1)}).WithContext(c.ctx)
		for _, f := range m.Header {
			name := textproto.CanonicalMIMEHeaderKey(f.Name)
			if name == "Host" {
				req.Host = strings.Clone(f.Value)
				continue
			}
			req.Header[name] = append(req.Header[name], strings.Clone(f.Value))
		}
		if _, ok := req.Header["User-Agent"]; !ok {
			req.Header.Set("User-Agent", "whet")
		}
		if _, ok := c.job.Messages.Fixed(m.Index); ok && c.fixed != nil {
			c.fixed[m.Index] = req
		}
	}
	if !c.job.KeepAlive && c.job.Protocol == engine.HTTP1 {
		req.Close = true
	}
	if c.jar != nil {
		if cookies := c.jar.get(o, m.Target); len(cookies) > 0 {
			// net/http may still read the header of the last request's copy.
			req = req.Clone(c.ctx)
			for _, cookie := range cookies {
				req.AddCookie(cookie)
			}
		}
	}
	if len(m.Body) > 0 {
		// The transport may still read the last request's body: an answer can
		// come before the request was sent to its end.
		body := m.Body
		if _, ok := c.job.Messages.Fixed(m.Index); !ok {
			body = bytes.Clone(body)
		}
		req = req.WithContext(c.ctx)
		req.ContentLength = int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.Body, _ = req.GetBody()
	}
	return req
}

// url returns the url of a target, with the target as it was written.
func (o *origin) url(target string) *url.URL {
	u := &url.URL{Scheme: o.scheme, Host: o.host}
	if strings.HasPrefix(target, "//") { // as an opaque part it would name a host
		u.Path, u.RawQuery, _ = strings.Cut(target, "?")
		return u
	}
	u.Opaque = strings.Clone(target)
	return u
}
