package load

import (
	"errors"
	"fmt"
	"runtime"

	"whet/internal/load/engine"
	"whet/internal/load/fast"
	"whet/internal/load/portable"
)

// Names of engines.
const (
	Auto     = "auto" // the fastest engine that supports the options
	Epoll    = "epoll"
	IOUring  = "io_uring"
	Portable = "portable"
)

var errNoEngine = errors.New("unknown engine: want auto, epoll, io_uring or portable")

func (o *Options) validateEngine(p *prepared) error {
	switch o.Engine {
	case "", Auto, Portable:
		return nil
	case Epoll, IOUring:
		if why := o.beyondLoop(p); why != "" {
			return fmt.Errorf("engine %s: %s: give portable, or auto", o.Engine, why)
		}
		return nil
	}
	return fmt.Errorf("engine %q: %w", o.Engine, errNoEngine)
}

// beyondLoop names an option that an event loop does not support; "": none.
func (o *Options) beyondLoop(p *prepared) string {
	switch {
	case o.Protocol != engine.HTTP1:
		return "an event loop speaks HTTP/1.1 and not " + o.Protocol.String()
	case len(p.dial) > 1:
		return fmt.Sprintf("an event loop takes one address, the requests go to %d", len(p.dial))
	case o.Cookies:
		return "an event loop keeps no cookies"
	}
	return ""
}

// engine chooses the engine that drives the connections.
func (o *Options) engine(p *prepared) (engine.Engine, error) {
	if o.Engine == Portable || o.beyondLoop(p) != "" {
		return portable.Engine{}, nil
	}
	loop := fast.Epoll
	switch {
	case o.Engine == IOUring:
		loop = fast.IOUring
	case o.Engine != Epoll && o.ringPays(p):
		if e, err := fast.IOUring(); err == nil {
			return e, nil
		}
	}
	e, err := loop()
	switch {
	case err == nil:
		return e, nil
	case o.Engine == Epoll || o.Engine == IOUring:
		return nil, fmt.Errorf("engine %s: %w", o.Engine, err)
	}
	return portable.Engine{}, nil
}

// Loops returns the names of the event loops that this system has. The portable engine,
// net/http, is everywhere.
func Loops() []string {
	var names []string
	for _, open := range []func() (engine.Engine, error){fast.Epoll, fast.IOUring} {
		if e, err := open(); err == nil {
			names = append(names, e.Name())
		}
	}
	return names
}

// With fewest to mostRinged connections per loop, io_uring needs less processor time
// than epoll: one call then returns many responses. With more, epoll also finds many
// with one call, and does less work for each. The table of loads in bench/README.md has
// both beside wrk, with 64 and with 1,000.
//
// With fewer it gains nothing that exceeds the noise: of wrk's CPU time a request, in the
// same rounds, one connection took 0.98 by epoll (quartiles 0.96 to 1.08) and 1.00 by
// io_uring (0.96 to 1.04), and 1.06 where the loop waited in a blocking receive; 32 took
// 0.90 and 0.87, with a service time a quarter longer.
const (
	fewestRinged = 64
	mostRinged   = 256
)

// ringPays reports whether the load is of the kind that is measured there: a closed
// loop without pauses, over kept connections without TLS.
func (o *Options) ringPays(p *prepared) bool {
	loops := o.Loops
	if loops == 0 {
		loops = runtime.GOMAXPROCS(0)
	}
	return o.Concurrency >= fewestRinged*loops && o.Concurrency <= mostRinged*loops && o.KeepAlive && !o.Schedule.Open() && o.Think.None() &&
		o.Socket == "" && p.origins[0].Scheme == "http"
}
