//go:build !linux

package fast

import (
	"errors"

	"whet/internal/load/engine"
)

// Epoll says that there is no such engine here.
func Epoll() (engine.Engine, error) {
	return nil, errors.New("the event loop needs Linux: use the portable engine")
}

// IOUring says that there is no such engine here.
func IOUring() (engine.Engine, error) { return Epoll() }
