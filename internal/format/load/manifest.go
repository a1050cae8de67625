package load

import (
	"fmt"
	"strconv"
	"time"

	"whet/internal/loadresult"
	"whet/internal/recording"
)

// NewSums returns the figures of a load that the manifest of a service has, for readers
// that want no more.
func NewSums(plan *loadresult.Plan, r *loadresult.Result, origin time.Time) Sums {
	l := Sums{
		Concurrency: plan.Connections, WarmupNs: int64(plan.Warmup), StartNs: int64(r.Start.Sub(origin)), EndNs: int64(r.End.Sub(origin)),
		Requests: r.Requests, Errors: r.Errors, Examples: r.Examples, Status: statuses(r), Bytes: r.Bytes, ThroughputPerS: r.Throughput(),
	}
	if h := &r.Service; h.Count() > 0 {
		l.ServiceTimeNs = Times{Min: h.Min(), Mean: h.Mean(), P50: h.Quantile(0.5), P90: h.Quantile(0.9),
			P99: h.Quantile(0.99), P999: h.Quantile(0.999), Max: h.Max()}
	}
	if cpu := int64(r.Generator.CPU); cpu >= 0 {
		l.GeneratorCPUNs = &cpu
	}
	return l
}

// summed returns the load of a service as the manifest has it.
func summed(rec *recording.Recording, service *Service) *Load {
	m := &service.Load
	start := rec.Origin.Add(time.Duration(m.StartNs))
	r := &loadresult.Result{
		Began: start.Add(-time.Duration(m.WarmupNs)), Start: start, End: rec.Origin.Add(time.Duration(m.EndNs)),
		Requests: m.Requests, Errors: m.Errors, Examples: m.Examples, Bytes: m.Bytes, Generator: loadresult.Generator{CPU: -1, Share: -1, Shared: -1},
	}
	r.Status, _ = codes(m.Status)
	if m.GeneratorCPUNs != nil {
		r.Generator.CPU = time.Duration(*m.GeneratorCPUNs)
	}
	plan := loadresult.Plan{URL: service.URL, Targets: 1, Connections: m.Concurrency, Streams: 1, KeepAlive: true, Warmup: time.Duration(m.WarmupNs), Duration: r.End.Sub(r.Start)}
	return &Load{Plan: plan, Result: r, StartNs: m.StartNs, Summed: true}
}

// statuses returns the answers by status, as keys of JSON.
func statuses(r *loadresult.Result) map[string]int64 {
	out := make(map[string]int64)
	for code, n := range r.Status {
		out[strconv.Itoa(code)] = n
	}
	return out
}

// codes are statuses as numbers.
func codes(status map[string]int64) (map[int]int64, error) {
	out := make(map[int]int64)
	for code, n := range status {
		c, err := strconv.Atoi(code)
		if err != nil {
			return out, fmt.Errorf("status %.20q is not a number", code)
		}
		out[c] = n
	}
	return out, nil
}
