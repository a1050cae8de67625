package profiles

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"time"

	"whet/internal/capture"
	"whet/internal/cli"
)

// FetchOptions configure the download of a profile from a server, with pprof's names.
type FetchOptions struct {
	Seconds, Timeout int
	Headers          cli.HeaderList
	CA, Cert, Key    string
}

func (f *FetchOptions) Declare(fs *flag.FlagSet) {
	f.Headers = cli.HeaderList{}
	fs.Var(cli.SecondsFlag{N: &f.Seconds}, "seconds", "with a URL: profile for this `time`, in whole seconds")
	fs.Var(cli.SecondsFlag{N: &f.Timeout}, "timeout", "with a URL: give up after this `time`, in whole seconds (default: 30s more than the profile)")
	fs.Var(&f.Headers, "H", "with a URL: send a `header`, as in 'Authorization: Bearer x'; may be given several times")
	fs.StringVar(&f.CA, "tls_ca", "", "with a URL: trust the certificates in this PEM `file`")
	fs.StringVar(&f.Cert, "tls_cert", "", "with a URL: send the client certificate in this PEM `file`")
	fs.StringVar(&f.Key, "tls_key", "", "the key of -tls_cert, in this PEM `file`")
}

// longestTimeout is a week, in seconds.
const longestTimeout = 7 * 24 * 60 * 60

// validate reports what cannot be asked of any server, or not of this one.
func (f *FetchOptions) validate(url string) error {
	if f.Timeout < 0 || f.Timeout > longestTimeout {
		return cli.UsageError("-timeout %d: give 1 to %d seconds", f.Timeout, longestTimeout)
	}
	if _, err := f.recording(url); err != nil {
		return cli.UsageError("fetch profile: %w", err)
	}
	return nil
}

// recording is for how long the program at an address will record.
func (f *FetchOptions) recording(url string) (time.Duration, error) {
	_, recording, err := capture.ProfileURL(strings.Replace(url, insecure, "https://", 1), f.Seconds)
	return recording, err
}

// insecure is pprof's scheme for a server whose certificate proves nothing.
const insecure = "https+insecure://"

// Fetch gets a profile of at most limit bytes.
func (f *FetchOptions) Fetch(ctx context.Context, url string, limit int64) ([]byte, error) {
	return f.fetch(ctx, url, capture.FetchOptions{MaxBytes: limit})
}

// FetchPart is Fetch for data that is useful in part: if a response breaks off, its
// data is returned with the error.
func (f *FetchOptions) FetchPart(ctx context.Context, url string, limit int64) ([]byte, error) {
	return f.fetch(ctx, url, capture.FetchOptions{MaxBytes: limit, Partial: true})
}

func (f *FetchOptions) fetch(ctx context.Context, url string, o capture.FetchOptions) ([]byte, error) {
	o.Seconds, o.Timeout, o.Header = f.Seconds, time.Duration(f.Timeout)*time.Second, http.Header(f.Headers)
	rest, unproven := strings.CutPrefix(url, insecure)
	if unproven {
		url = "https://" + rest
	}
	var err error
	if o.TLS, err = f.tls(unproven); err != nil {
		return nil, &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	return capture.FetchProfile(ctx, url, o)
}

func (f *FetchOptions) tls(unproven bool) (*tls.Config, error) {
	c, err := capture.TLSConfig(f.CA, unproven)
	if err != nil {
		return nil, fmt.Errorf("-tls_ca: %w", err)
	}
	if (f.Cert == "") != (f.Key == "") {
		return nil, errors.New("-tls_cert and -tls_key go together: give both")
	}
	if c == nil {
		c = &tls.Config{}
	}
	if f.Cert != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, fmt.Errorf("-tls_cert: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// announce says that a server records, where it does: it takes as long as it was
// asked to.
func (f *FetchOptions) announce(urls []string) string {
	recording, err := f.recording(urls[0])
	if err != nil || recording == 0 {
		return ""
	}
	what := "a profile"
	if len(urls) > 1 {
		what = fmt.Sprintf("%d profiles", len(urls))
	}
	return fmt.Sprintf("waiting for %s of %v", what, recording)
}
