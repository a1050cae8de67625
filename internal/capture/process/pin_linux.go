package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// pinThread binds the calling thread, which must be locked, to some processors:
// what it starts inherits that, and sees so many of them from its first
// instruction on. The returned function takes it back.
func pinThread(processors []int) (unpin func(), err error) {
	if len(processors) == 0 {
		return func() {}, nil
	}
	var before, wanted unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("list the processors that may be used: %w", err)
	}
	for _, cpu := range processors {
		if cpu < 0 || !before.IsSet(cpu) {
			return nil, fmt.Errorf("pin to processor %d: this process may not run on it", cpu)
		}
		wanted.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &wanted); err != nil {
		return nil, fmt.Errorf("pin to processors %v: %w", processors, err)
	}
	return func() { _ = unix.SchedSetaffinity(0, &before) }, nil
}
