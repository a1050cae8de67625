//go:build go1.26 && !linux

package agent

// maxrssUnit is what the system counts resident memory in. macOS counts bytes;
// the other systems are not among those that whet is built for.
const maxrssUnit = 1

// process has nothing to read where there is no /proc: its keys stay unknown.
type process struct{}

func (process) open()     {}
func (process) read(*row) {}
func (process) close()    {}
