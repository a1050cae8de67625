package record

import "whet/internal/loadresult"

// Outcome is the result of one request. All times are nanoseconds since the load's
// origin.
type Outcome struct {
	// Due is when the request was to be sent; negative in a closed loop.
	Due int64
	// Free is since when its connection was free for it: in an open loop the
	// request is late by Sent − max(Due, Free).
	Free int64
	// First says that its connection had had no request before it: it may have waited
	// for the engine to begin and for its connection to be made, and for no other.
	First bool
	// Sent is when it was sent; where a connection had to be made for it, when
	// that began; negative: never, for want of a connection.
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

// example returns what a kind of failure means where nobody says more.
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
