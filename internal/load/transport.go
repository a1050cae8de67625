package load

import (
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

// transport makes connections. Whoever is done with it calls
// CloseIdleConnections, which also ends connections that are still being made.
func (o *Options) transport() (*http.Transport, error) {
	config := &tls.Config{InsecureSkipVerify: o.Insecure}
	if o.CAFile != "" {
		pool, err := authorities(o.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	return &http.Transport{
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    o.Timeout,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    o.Concurrency,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DialContext:            (&net.Dialer{Timeout: o.Timeout}).DialContext,
	}, nil
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
