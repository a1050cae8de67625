package portable

import (
	"errors"
	"fmt"
	"strings"

	"whet/internal/load/record"
	"whet/internal/load/wire"
)

// errSwitching is an answer of 101 to a request that did not ask for it.
var errSwitching = errors.New("the server switches to another protocol, which was not asked for")

// errStatus is an answer whose status is none, which net/http takes.
var errStatus = errors.New("the answer's status is no number of three digits, the first of them not 0")

// errVersion is an answer in another version of HTTP than the one that was
// agreed on.
func errVersion(proto string) error {
	return fmt.Errorf("the server answers in %s: it does not speak the protocol that was asked for", record.Line(proto))
}

// kindOf names what an error means that came when there was a connection; body
// says that the answer's head had come, and ended that the connection's end was
// read before.
func kindOf(err error, body, ended bool) string {
	text := err.Error()
	switch {
	case err == errSwitching, err == errStatus, errors.Is(err, wire.ErrNotHTTP):
		return record.BadAnswer
	// The errors of HTTP/2 are net/http's own.
	case strings.Contains(text, "received from peer"), // a reset of the stream
		strings.Contains(text, "GOAWAY"), strings.Contains(text, "http2: client conn"):
		return record.Reset
	case strings.Contains(text, "stream error: "), strings.Contains(text, "connection error: "):
		return record.BadAnswer
	}
	kind := record.KindOf(err, body)
	switch {
	case kind != record.Other && kind != record.BadAnswer:
		return kind
	// net/http complains of the half of a line, where it is the end that is wrong.
	case ended && body:
		return record.ShortBody
	case ended:
		return record.Reset
	}
	// Whatever else net/http complains of is what it read.
	return record.BadAnswer
}
