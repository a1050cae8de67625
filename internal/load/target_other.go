//go:build !linux

package load

import (
	"time"

	"whet/internal/load/engine"
)

// find finds nothing here.
func (t *target) find([]engine.Address) bool { return false }

func processTime(int) time.Duration { return -1 }
