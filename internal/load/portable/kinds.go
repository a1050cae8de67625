package portable

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"whet/internal/load/record"
	"whet/internal/load/wire"
	"whet/internal/loadresult"
)

// errSwitching is an answer of 101 to a request that did not ask for it.
var errSwitching = errors.New("the server switched protocols without being asked")

// errStatus is an answer whose status is none, which net/http takes.
var errStatus = errors.New("the answer's status is not a number from 100 to 999")

// errVersion returns an answer in another version of HTTP than the one that was
// agreed on.
func errVersion(proto string) error {
	return fmt.Errorf("the server answers in %s, not in the protocol of the request", record.Line(proto))
}

// explain returns the kind of an error that occurred on an open connection, and
// describes net/http's errors about HTTP/2; body reports whether the head of the
// response had arrived, and ended is the end of the connection, if that was read.
func explain(err error, body bool, ended error) (kind string, _ error) {
	kind, text := kindOf(err, body, ended), err.Error()
	switch {
	case kind == loadresult.StreamReset:
		// stream error: stream ID 5; REFUSED_STREAM; received from peer
		if parts := strings.Split(text, "; "); len(parts) > 2 {
			return kind, fmt.Errorf("the service reset the stream: %s", parts[1])
		}
	case strings.Contains(text, "graceful shutdown GOAWAY"):
		return kind, errGoingAway
	}
	return kind, err
}

// errGoingAway is of a stream that was opened when the service had said that it
// takes no more.
var errGoingAway = errors.New("the service is going away (GOAWAY) and did not take the request")

// kindOf is explain's name.
func kindOf(err error, body bool, ended error) string {
	text := err.Error()
	switch {
	case err == errSwitching, err == errStatus, errors.Is(err, wire.ErrNotHTTP):
		return loadresult.BadAnswer
	// The errors of HTTP/2 are net/http's own.
	case strings.Contains(text, "received from peer"):
		return loadresult.StreamReset
	case strings.Contains(text, "sent GOAWAY and closed the connection") && body:
		return loadresult.ShortBody
	case strings.Contains(text, "GOAWAY"), strings.Contains(text, "http2: client conn"):
		return loadresult.Reset
	case strings.Contains(text, "stream error: "), strings.Contains(text, "connection error: "):
		return loadresult.BadAnswer
	}
	kind := record.KindOf(err, body)
	switch {
	case kind != loadresult.Other && kind != loadresult.BadAnswer:
		return kind
	// net/http complains of the half of a line, where it is the end that is wrong.
	case ended == nil:
	case ended == io.EOF && body:
		return loadresult.ShortBody
	case ended == io.EOF, record.KindOf(ended, body) == loadresult.Reset:
		return loadresult.Reset
	}
	// All other errors of net/http are about the data it read.
	return loadresult.BadAnswer
}
