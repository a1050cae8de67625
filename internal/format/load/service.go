package load

import "whet/internal/recording"

// ServicePart is the part of a recording's manifest about a service.
const ServicePart = recording.Part[Service]("service")

// Service is a server that was driven with load.
type Service struct {
	URL         string   `json:"url"`         // of the load; without a password
	Instruments string   `json:"instruments"` // "agent", "pprof" or "none": the target's instruments
	Pprof       string   `json:"pprof"`       // base address of the instruments; without a password
	Started     bool     `json:"started"`     // by whet
	Args        []string `json:"args"`        // of the command that was started
	Load        Sums     `json:"load"`
	// Requests that were completed while each kind of profile was taken; 0:
	// unknown.
	CPURequests   int64 `json:"cpu_requests"`
	MutexRequests int64 `json:"mutex_requests"`
	// GoroutineRequests are those between the two goroutine profiles.
	GoroutineRequests int64 `json:"goroutine_requests,omitempty"`
	AllocRequests     int64 `json:"alloc_requests"`
	Restarts          int   `json:"restarts"` // of the target while it was measured
	// OwnGC are the collections of garbage that whet asked the target for.
	OwnGC []recording.Span `json:"own_gc,omitempty"`
	// Over the load phase; nil: unknown.
	TargetCPUNs      *int64   `json:"target_cpu_ns"`
	TargetPeakBytes  *int64   `json:"target_peak_bytes"`
	MachineBusyRatio *float64 `json:"machine_busy_ratio"` // share of the machine's CPU time that anything used
	ThrottledNs      *int64   `json:"throttled_ns"`       // by the control group of the target
	// BlockRateNs and MutexFraction are the rates in force; nil: unknown.
	BlockRateNs   *int64 `json:"block_rate_ns"`
	MutexFraction *int64 `json:"mutex_fraction"`
	// Traced is the second load, for the execution traces; nil: they were taken in the
	// load itself.
	Traced *Traced `json:"traced,omitempty"`
}

// Traced is a load like the one that is measured, after it and shorter, in which
// execution traces were taken: they cost the target time.
type Traced struct {
	Load     Sums  `json:"load"`
	Windows  int   `json:"windows"` // how many traces were wanted
	MaxBytes int64 `json:"max_bytes"`
	Bytes    int64 `json:"bytes"` // that traces and snapshot have
	// FlightRecorder reports whether one ran meanwhile. SlowAfterNs is the time from
	// which a request was slow enough for a snapshot, and Slowest the request of the
	// stored snapshot; nil: none was as slow.
	FlightRecorder bool         `json:"flight_recorder"`
	SlowAfterNs    int64        `json:"slow_after_ns"`
	Slowest        *SlowRequest `json:"slowest,omitempty"`
}

// SlowRequest is a request of a load. Times are since the recording's origin.
type SlowRequest struct {
	DueNs  *int64 `json:"due_ns"` // nil in a closed loop
	SentNs int64  `json:"sent_ns"`
	EndNs  int64  `json:"end_ns"`
	Status int    `json:"status"`         // 0: no whole answer came
	Kind   string `json:"kind,omitempty"` // of failure
}

// TookNs is its response time in an open loop, in a closed one its service time.
func (r *SlowRequest) TookNs() int64 {
	if r.DueNs != nil {
		return r.EndNs - *r.DueNs
	}
	return r.EndNs - r.SentNs
}

// Sums are the generator's totals. Service time runs from the actual
// send to the end of the answer's body.
type Sums struct {
	Concurrency    int               `json:"concurrency"`
	WarmupNs       int64             `json:"warmup_ns"`
	StartNs        int64             `json:"start_ns"` // after the warm-up
	EndNs          int64             `json:"end_ns"`
	Requests       int64             `json:"requests"` // completed, errors included
	Errors         map[string]int64  `json:"errors"`   // by kind
	Examples       map[string]string `json:"examples"` // one error of each kind
	Status         map[string]int64  `json:"status"`   // by status code
	Bytes          int64             `json:"bytes"`    // of bodies
	ThroughputPerS float64           `json:"throughput_per_s"`
	ServiceTimeNs  Times             `json:"service_time_ns"`
	GeneratorCPUNs *int64            `json:"generator_cpu_ns"` // nil: unknown
}

// Answered returns the number of complete responses, with any status.
func (l *Sums) Answered() int64 {
	var n int64
	for _, c := range l.Status {
		n += c
	}
	return n
}

// Times summarises a distribution of times in nanoseconds.
type Times struct {
	Min  int64   `json:"min"`
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P90  int64   `json:"p90"`
	P99  int64   `json:"p99"`
	P999 int64   `json:"p999"`
	Max  int64   `json:"max"`
}
