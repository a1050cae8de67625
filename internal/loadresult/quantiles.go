package loadresult

import (
	"time"

	"whet/internal/hist"
)

// Quantiles sum up the response times of a second; 0 when there are none.
type Quantiles struct {
	P50 time.Duration `json:"response_p50_ns"`
	P99 time.Duration `json:"response_p99_ns"`
	Max time.Duration `json:"response_max_ns"`
}

// QuantilesOf sums up a histogram of nanoseconds.
func QuantilesOf(h *hist.Histogram) Quantiles {
	if h.Count() == 0 {
		return Quantiles{}
	}
	return Quantiles{P50: time.Duration(h.Quantile(0.5)), P99: time.Duration(h.Quantile(0.99)), Max: time.Duration(h.Max())}
}
