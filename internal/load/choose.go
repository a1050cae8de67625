package load

import (
	"fmt"

	"whet/internal/load/engine"
	"whet/internal/load/portable"
)

// Names of engines.
const (
	Auto     = "auto"
	Epoll    = "epoll"
	IOUring  = "io_uring"
	Portable = "portable"
)

func (o *Options) validateEngine() error {
	switch o.Engine {
	case "", Auto, Epoll, IOUring, Portable:
		return nil
	}
	return fmt.Errorf("engine %q: %w", o.Engine, errNoEngine)
}

// engine chooses what drives the connections.
func (o *Options) engine(p *prepared) (engine.Engine, error) {
	return portable.Engine{}, nil
}
