package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"whet/internal/load/engine"
	"whet/internal/load/message"
)

// prepared is the target, derived from the options.
type prepared struct {
	messages *message.Set
	origins  []*url.URL       // by Message.Origin
	dial     []engine.Address // by Message.Origin, without TLS
}

// prepare makes the messages and finds where they go. No file is read and no
// name looked up.
func (o *Options) prepare() (*prepared, error) {
	p := &prepared{messages: o.Messages}
	if p.messages == nil {
		t := message.Target{Method: o.Method, URL: o.URL, Body: o.Body, Literal: true}
		for _, name := range slices.Sorted(maps.Keys(o.Header)) {
			for _, value := range o.Header[name] {
				t.Header = append(t.Header, message.Field{Name: name, Value: value})
			}
		}
		var err error
		if p.messages, err = message.New([]message.Target{t}, message.Options{}); err != nil {
			return nil, err
		}
	}
	for _, origin := range p.messages.Hosts() {
		u, err := url.Parse(origin)
		if err != nil {
			return nil, fmt.Errorf("make requests: %w", err)
		}
		switch {
		case o.Protocol == engine.HTTP2 && u.Scheme != "https":
			return nil, fmt.Errorf("%s: HTTP/2 without TLS is h2c: ask for that (-h2c), or give an https address", origin)
		case o.Protocol == engine.H2C && u.Scheme != "http":
			return nil, fmt.Errorf("%s: h2c is HTTP/2 without TLS: ask for HTTP/2, or give an http address", origin)
		}
		a := engine.Address{Network: "tcp", Dial: net.JoinHostPort(u.Hostname(), Port(u))}
		if o.Socket != "" {
			a = engine.Address{Network: "unix", Dial: o.Socket}
		}
		p.origins, p.dial = append(p.origins, u), append(p.dial, a)
	}
	return p, nil
}

// Port returns the port of an address, that of its scheme where it names none.
func Port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// addresses returns where the requests go, with TLS where it is spoken.
func (o *Options) addresses(p *prepared) ([]engine.Address, error) {
	out := slices.Clone(p.dial)
	for i, u := range p.origins {
		if u.Scheme != "https" {
			continue
		}
		config, err := o.tls()
		if err != nil {
			return nil, err
		}
		config.ServerName = u.Hostname()
		out[i].TLS = config
	}
	return out, nil
}

// lookUp resolves an address's host before the load's clock starts, since the schedule
// would run meanwhile. If that fails the engine resolves it again, and each request
// reports the error.
func (o *Options) lookUp(ctx context.Context, a *engine.Address) {
	if a.Network == "unix" {
		return
	}
	ctx, stop := context.WithTimeout(ctx, o.Timeout)
	defer stop()
	_ = a.LookUp(ctx)
}

// template returns the first request as net/http has it, without its body.
func (p *prepared) template() (req *http.Request, body []byte, err error) {
	var m message.Message
	p.messages.Stream(0).Next(&m)
	m.Detach()
	req, err = http.NewRequest(m.Method, m.Scheme+"://"+strings.ReplaceAll(m.Host, "%", "%25")+m.Target, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("make request: %w", err)
	}
	for _, f := range m.Header {
		if name := http.CanonicalHeaderKey(f.Name); name == "Host" {
			req.Host = f.Value
		} else {
			req.Header[name] = append(req.Header[name], f.Value)
		}
	}
	if _, ok := req.Header["User-Agent"]; !ok {
		req.Header.Set("User-Agent", "whet")
	}
	return req, m.Body, nil
}

// withBody gives a request a body.
func withBody(req *http.Request, body []byte) {
	if len(body) == 0 {
		return
	}
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
}
