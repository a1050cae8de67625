package load

import (
	"errors"
	"fmt"

	"whet/internal/load/engine"
	"whet/internal/load/fast"
	"whet/internal/load/portable"
)

// Names of engines.
const (
	Auto     = "auto" // the quickest that does what is asked for
	Epoll    = "epoll"
	IOUring  = "io_uring"
	Portable = "portable"
)

var errNoEngine = errors.New("there is no such engine: give auto, epoll, io_uring or portable")

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

// beyondLoop says what is asked for that an event loop does not do; "": nothing.
func (o *Options) beyondLoop(p *prepared) string {
	switch {
	case o.Protocol != engine.HTTP1:
		return "an event loop speaks HTTP/1.1 and not " + o.Protocol.String()
	case len(p.dial) > 1:
		return fmt.Sprintf("an event loop takes one address, and the requests go to %d", len(p.dial))
	case o.Cookies:
		return "an event loop keeps no cookies"
	}
	return ""
}

// engine chooses what drives the connections.
func (o *Options) engine(p *prepared) (engine.Engine, error) {
	if o.Engine == Portable || o.beyondLoop(p) != "" {
		return portable.Engine{}, nil
	}
	loop := fast.Epoll
	if o.Engine == IOUring {
		loop = fast.IOUring
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
