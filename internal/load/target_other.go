//go:build !linux

package load

import (
	"time"

	"whet/internal/load/engine"
)

// find finds nothing here.
func (t *target) find([]engine.Address) bool { return false }

func ownProcessors() (processors, bool) { return processors{}, false }

func usageOf(processors) usage { return usage{} }

func processTime(int) time.Duration { return -1 }

// queues reads nothing here.
type queues struct{}

func (*queues) read(map[int]time.Duration) {}
