package wall

import "whet/internal/format/exectrace"

// Served is a request in a trace. Times are the trace's.
type Served struct {
	Goroutine    int64 // that served it
	Handler      string
	FromNs, ToNs int64 // within the trace
	Begun, Ended bool  // in the trace: else it began before, or went on after
}

// Requests hands each request of a trace to each, as it ends.
func Requests(t Trace, each func(Served)) (exectrace.Summary, error) {
	a := newAnalysis()
	a.served = each
	return a.read(t)
}
