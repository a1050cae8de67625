package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/loadresult"
)

// Ready waits until the target responds, and at most limit. Any response is sufficient,
// except 503, which is accepted only at the limit: services return it while they start.
// An invalid certificate ends the wait at once. The error describes the last attempt in
// one line. The request is that of the load, so that the target gets no other. waiting,
// unless it is nil, is called after each failed attempt with a short description.
func Ready(ctx context.Context, o Options, limit time.Duration, waiting func(last string)) error {
	if err := o.Validate(); err != nil {
		return err
	}
	a, err := NewClient(o)
	if err != nil {
		return err
	}
	defer a.Close()
	a.transport.DisableKeepAlives = true
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	var pause engine.Pause
	address := a.template.URL.Redacted()
	var last error // nil: 503
	busy := false
	for {
		status, err := a.try(within)
		ended := within.Err() != nil && err != nil // this try was cut off, and says nothing
		switch {
		case err == nil && status != http.StatusServiceUnavailable:
			return nil
		case err == nil:
			busy, last = true, nil
		case !ended:
			busy, last = false, err
		case last == nil && !busy:
			last = errors.New("no answer came")
		}
		if last != nil && record.IsCertificate(last) {
			return fmt.Errorf("reach %s: its certificate is not accepted (-cacert names the file of its authority, -insecure accepts any): %s",
				address, record.Line(last.Error()))
		}
		if waiting != nil && (last != nil || busy) {
			waiting(short(last))
		}
		if within.Err() == nil {
			engine.Wait(within, pause.Next())
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("wait for %s: %w (last seen: %s)", address, context.Cause(ctx), seen(last))
		case within.Err() != nil && busy:
			return nil
		case within.Err() != nil:
			return fmt.Errorf("wait for %s: not ready within %v: %s", address, limit, seen(last))
		}
	}
}

// try asks as the load does, and reads the answer to its end.
func (a *Client) try(ctx context.Context) (status int, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, a.o.Timeout, record.ErrTimeout)
	defer stop()
	req := a.template.Clone(ctx)
	withBody(req, a.body)
	res, err := a.transport.RoundTrip(req)
	if err == nil {
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
	}
	switch {
	case err != nil && context.Cause(ctx) == record.ErrTimeout:
		return 0, record.ErrTimeout
	case err != nil:
		return 0, err
	}
	return res.StatusCode, nil
}

// seen describes the result of an attempt; nil is a 503 response.
func seen(err error) string {
	if err == nil {
		return "answered " + record.StatusText(http.StatusServiceUnavailable)
	}
	return described(err, false)
}

// short describes the result of an attempt in a few words, if its kind is known.
func short(err error) string {
	if err != nil {
		if kind := record.KindOf(err, false); kind != loadresult.Other {
			return kind
		}
	}
	return seen(err)
}

// described returns an error of the transport in one line, with its kind.
func described(err error, body bool) string {
	text := record.Line(err.Error())
	if kind := record.KindOf(err, body); kind != loadresult.Other && !strings.Contains(text, kind) {
		return kind + ": " + text
	}
	return text
}
