package portable

import (
	"context"
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
	transport    *http.Transport
}

func newDriver(j *engine.Job) (*driver, error) {
	d := &driver{job: j}
	for i, name := range j.Messages.Hosts() {
		u, err := url.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("make connections: %w", err)
		}
		a := j.Addresses[i]
		dialer := &net.Dialer{Timeout: j.Timeout}
		d.origins = append(d.origins, origin{u.Scheme, u.Host, &http.Transport{
			TLSClientConfig:        a.TLS,
			TLSHandshakeTimeout:    j.Timeout,
			DisableCompression:     true,
			DisableKeepAlives:      !j.KeepAlive,
			MaxIdleConnsPerHost:    j.Connections,
			MaxResponseHeaderBytes: maxHeaderBytes,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, a.Network, a.Dial)
			},
		}})
	}
	return d, nil
}

// close ends all connections, also those that are still being made.
func (d *driver) close() {
	for _, o := range d.origins {
		o.transport.CloseIdleConnections()
	}
}
