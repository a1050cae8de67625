package load

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// maxHeaderBytes bounds the head of an answer.
const maxHeaderBytes = 1 << 20

// transport makes connections that end with ctx, whatever they are doing.
func (o *Options) transport(ctx context.Context) (*http.Transport, error) {
	config := &tls.Config{InsecureSkipVerify: o.Insecure}
	if o.CAFile != "" {
		pool, err := authorities(o.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	dialer := &net.Dialer{Timeout: o.Timeout}
	return &http.Transport{
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    o.Concurrency,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DialContext: func(dial context.Context, network, address string) (net.Conn, error) {
			// net/http keeps dialing for a request that was given up, in order
			// that the next one finds a connection.
			dial, cancel := context.WithCancel(dial)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			c, err := dialer.DialContext(dial, network, address)
			if err != nil {
				return nil, err
			}
			tied := &conn{Conn: c}
			tied.untie = context.AfterFunc(ctx, func() { c.Close() })
			return tied, nil
		},
	}, nil
}

// conn is a connection that is closed when the load ends.
type conn struct {
	net.Conn
	untie func() bool
}

func (c *conn) Close() error {
	c.untie()
	return c.Conn.Close()
}

// authorities are the system's and those of a PEM file.
func authorities(path string) (*x509.CertPool, error) {
	const limit = 16 << 20 // the usual bundles hold 250 KB
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read certificate authorities: %w", err)
	}
	defer f.Close()
	pem, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read certificate authorities: %w", err)
	}
	if len(pem) > limit {
		return nil, fmt.Errorf("read certificate authorities: %s is larger than 16 MiB", path)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read certificate authorities: %w", errors.New(path+" holds no certificate in PEM form"))
	}
	return pool, nil
}
