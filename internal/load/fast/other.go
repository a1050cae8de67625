//go:build !linux

package fast

import (
	"errors"

	"whet/internal/load/engine"
)

// Epoll returns an error: the system has no such engine.
func Epoll() (engine.Engine, error) {
	return nil, errors.New("the event loop needs Linux: use the portable engine")
}

// IOUring returns an error: the system has no such engine.
func IOUring() (engine.Engine, error) { return Epoll() }
