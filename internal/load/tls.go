package load

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"whet/internal/load/engine"
)

// tls reads the files of certificates.
func (o *Options) tls() (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: o.Insecure, MinVersion: o.MinTLS, MaxVersion: o.MaxTLS}
	if o.CAFile != "" {
		pool, err := authorities(o.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if o.Certificate != "" {
		pair, err := certificate(o.Certificate, o.Key)
		if err != nil {
			return nil, fmt.Errorf("read client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if o.Resume {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	return config, nil
}

// ValidateFiles reports an error if a file of certificates is invalid.
func (o *Options) ValidateFiles() error {
	_, err := o.tls()
	return err
}

// transport returns a transport to an address for single requests. The caller must
// call CloseIdleConnections when done, which also ends connections that are still
// being made.
func (o *Options) transport(a engine.Address) *http.Transport {
	return o.Protocol.Transport(a, o.Timeout, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: o.Timeout}).DialContext(ctx, a.Network, a.Dial)
	})
}

// authorities returns the system's and those of a PEM file.
func authorities(path string) (*x509.CertPool, error) {
	pem, err := readPEM(path)
	if err != nil {
		return nil, fmt.Errorf("read certificate authorities: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read certificate authorities: %w", errors.New(path+" contains no certificate in PEM form"))
	}
	return pool, nil
}

// certificate returns a client's, with its key.
func certificate(path, key string) (tls.Certificate, error) {
	chain, err := readPEM(path)
	if err != nil {
		return tls.Certificate{}, err
	}
	secret, err := readPEM(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(chain, secret)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%s with %s: %w", path, key, err)
	}
	return pair, nil
}

// readPEM reads a file of certificates or keys. It is read each time that
// connections are prepared, so that it cannot be a pipe, whose opening would also
// wait for a writer.
func readPEM(path string) ([]byte, error) {
	const limit = 16 << 20 // the usual bundles hold 250 KB
	st, err := os.Stat(path)
	switch {
	case err != nil:
		if pe, ok := errors.AsType[*os.PathError](err); ok {
			err = pe.Err // without the system call
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case st.Size() > limit:
		return nil, fmt.Errorf("%s is larger than 16 MiB", path)
	}
	return os.ReadFile(path)
}
