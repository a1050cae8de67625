package portable

import (
	"fmt"
	"net"
	"net/http"
	"net/url"

	"whet/internal/load/engine"
)

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
		t := j.Protocol.Transport(a, j.Timeout, d.dialer(a, nil))
		if j.Protocol == engine.HTTP1 && a.TLS != nil {
			config := a.TLS.Clone()
			config.NextProtos = []string{"http/1.1"}
			t.DialTLSContext = d.dialer(a, config)
		}
		d.origins = append(d.origins, origin{u.Scheme, u.Host, net.JoinHostPort(u.Hostname(), port), t})
	}
	return d, nil
}
