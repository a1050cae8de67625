package record

import "whet/internal/loadresult"

// Outcome is the result of one request. All times are nanoseconds since the load's
// origin.
type Outcome struct {
	// Due is the time of the intended send; negative in a closed loop.
	Due int64
	// Free is since when its connection was free for it: in an open loop the
	// request is late by Sent − max(Due, Free).
	Free int64
	// First reports whether it was the first request of its connection: it may have
	// waited for the start of the engine and for its connection, but for no other
	// request.
	First bool
	// Sent is the time of the actual send, or of the start of connecting if a
	// connection had to be made for it; negative: never sent, for lack of a connection.
	Sent int64
	// End is when the answer was whole or the request failed. A request that
	// timed out ended its timeout after Sent, or later; that may be after the end
	// of a load that was given up.
	End int64

	Status int    // of a whole answer, 100 to 999; else 0
	Bytes  int64  // of the answer's body, also of one that was cut short
	Kind   string // of failure; "": none
	Begun  bool   // the answer's head had come, of a request that timed out
	// Connect is how long a connection took that was made for this request, with
	// its TLS handshake; 0: there was one.
	Connect int64
	Target  int // the target's number in the set of messages
}

// timed reports whether the request has a time to be recorded.
func (o *Outcome) timed() bool { return o.Status != 0 || o.Kind == loadresult.TimedOut }

// example returns the default description of a kind of failure.
func (o *Outcome) example() string {
	switch {
	case o.Kind == loadresult.TimedOut && o.Begun:
		return ErrHalfAnswer.Error()
	case o.Kind == loadresult.TimedOut:
		return ErrTimeout.Error()
	case o.Status != 0:
		return "answered " + StatusText(o.Status)
	}
	return o.Kind
}
