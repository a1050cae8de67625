//go:build go1.26 && !linux

package agent

// process has little to read where there is no /proc.
type process struct{}

func (process) open()  {}
func (process) close() {}

func (process) read(r *row) {
	if peak, ok := peakBytes(); ok {
		r.set(peakRSS, peak)
	}
}
