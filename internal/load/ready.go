package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Ready waits until the target answers at all, and at most limit. Any answer
// will do, but 503 only once the limit is reached without a better one:
// services give it while they start. Certificates that are not accepted end
// the wait at once. The error says in one line what was seen last.
//
// The request is that of the load, so that nothing is asked of the target that
// the load would not ask.
func Ready(ctx context.Context, o Options, limit time.Duration) error {
	if err := o.Validate(); err != nil {
		return err
	}
	template, err := o.request()
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	transport, err := o.transport()
	if err != nil {
		return err
	}
	defer transport.CloseIdleConnections()
	transport.DisableKeepAlives = true

	c := &client{load: within, transport: transport, template: template, body: o.Body, timeout: o.Timeout, now: o.Now}
	defer func() { c.cancel(nil) }()
	var last error // nil: 503
	busy := false
	pause := newPause()
	for {
		var out outcome
		c.send(&out)
		ended := within.Err() != nil && out.err != nil // this try was cut off, and says nothing
		switch {
		case out.err == nil && out.status != http.StatusServiceUnavailable:
			return nil
		case out.err == nil:
			busy, last = true, nil
		case !ended:
			busy, last = false, out.err
		case last == nil && !busy:
			last = errors.New("no answer came")
		}
		if isCertificate(last) {
			return fmt.Errorf("reach %s: its certificate is not accepted (-cacert names the file of its authority, -insecure accepts any): %s",
				template.URL.Redacted(), line(last.Error()))
		}
		if within.Err() == nil {
			pause.wait(within)
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("wait for %s: %w (last seen: %s)", template.URL.Redacted(), context.Cause(ctx), seen(last))
		case within.Err() != nil && busy:
			return nil
		case within.Err() != nil:
			return fmt.Errorf("wait for %s: not ready within %v: %s", template.URL.Redacted(), limit, seen(last))
		}
	}
}

// seen puts what a try ended with into words; nil is an answer of 503.
func seen(err error) string {
	if err == nil {
		return "answered " + statusText(http.StatusServiceUnavailable)
	}
	return described(err, false)
}

// described is an error of the transport in one line, with its kind.
func described(err error, body bool) string {
	text := line(err.Error())
	if kind := kindOf(err, body); kind != Other && !strings.Contains(text, kind) {
		return kind + ": " + text
	}
	return text
}
