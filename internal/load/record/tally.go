package record

import (
	"time"

	"whet/internal/hist"
	"whet/internal/loadresult"
)

const binsPerSecond = int(time.Second / loadresult.Bin)

// tally has the counts of a second, or of several.
type tally struct {
	requests, answered, errors, bytes int64
	behind                            int64 // of answered: after the end
	leftover                          int64 // answers to requests of the warm-up

	kinds             map[string]int64 // of errors
	bins              [binsPerSecond]int32
	service, response hist.Histogram
}

func (t *tally) empty() bool { return t.requests == 0 && t.leftover == 0 }

func (t *tally) reset() {
	if t.empty() {
		return
	}
	clear(t.kinds)
	*t = tally{kinds: t.kinds}
}

func (t *tally) fail(kind string, n int64) {
	if t.kinds == nil {
		t.kinds = make(map[string]int64)
	}
	t.kinds[kind] += n
}

// merge adds all of o, which stays as it is.
func (t *tally) merge(o *tally) {
	if o.empty() {
		return
	}
	t.requests += o.requests
	t.answered += o.answered
	t.behind += o.behind
	t.leftover += o.leftover
	t.errors += o.errors
	t.bytes += o.bytes
	for kind, n := range o.kinds {
		t.fail(kind, n)
	}
	for i, n := range o.bins {
		t.bins[i] += n
	}
	t.service.Merge(&o.service)
	t.response.Merge(&o.response)
}

// row sums the tally up.
func (t *tally) row(start time.Time, length time.Duration) loadresult.Second {
	s := loadresult.Second{Start: start, Length: length, Requests: t.requests, Answered: t.answered, Behind: t.behind, Leftover: t.leftover, Errors: t.errors, Bytes: t.bytes}
	if len(t.kinds) > 0 {
		s.Kinds = make(map[string]int64, len(t.kinds))
		for kind, n := range t.kinds {
			s.Kinds[kind] = n
		}
	}
	service, response := loadresult.QuantilesOf(&t.service), loadresult.QuantilesOf(&t.response)
	s.P50, s.P99, s.Max = service.P50, service.P99, service.Max
	s.Response = response
	return s
}
