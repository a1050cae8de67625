package portable

import (
	"fmt"
	"net"
	"net/http"
	"net/url"

	"whet/internal/load/engine"
)

// maxHeaderBytes bounds the head of an answer.
const maxHeaderBytes = 1 << 20

// origin is one of the job's hosts.
type origin struct {
	scheme, host string
	dial         string // host and port, as NewClientConn wants it
	transport    *http.Transport
}

func newDriver(j *engine.Job) (*driver, error) {
	d := &driver{job: j}
	for i, name := range j.Messages.Hosts() {
		u, err := url.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("make connections: %w", err)
		}
		port := u.Port()
		if port == "" {
			port = "80"
			if u.Scheme == "https" {
				port = "443"
			}
		}
		a := j.Addresses[i]
		t := &http.Transport{
			TLSClientConfig:        a.TLS,
			TLSHandshakeTimeout:    j.Timeout,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeaderBytes,
			DialContext:            d.dialer(a, nil),
			Protocols:              new(http.Protocols),
		}
		switch j.Protocol {
		case engine.HTTP2:
			t.Protocols.SetHTTP2(true)
		case engine.H2C:
			t.Protocols.SetUnencryptedHTTP2(true)
		default:
			t.Protocols.SetHTTP1(true)
			if a.TLS != nil {
				config := a.TLS.Clone()
				config.NextProtos = []string{"http/1.1"}
				t.DialTLSContext = d.dialer(a, config)
			}
		}
		d.origins = append(d.origins, origin{u.Scheme, u.Host, net.JoinHostPort(u.Hostname(), port), t})
	}
	return d, nil
}
