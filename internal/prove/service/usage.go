package service

import (
	"context"
	"time"

	"whet/internal/capture"
	"whet/internal/capture/process"
	"whet/internal/format/metrics"
)

// counters are the resources used by a side since its start; nil: unknown.
type counters struct {
	cpu   *time.Duration
	alloc *int64 // bytes
	pid   int64  // of the process that said so; 0: unknown
}

// usage reads a side's counters around a stretch of load.
type usage struct {
	s      *endpoint
	target *capture.Target // nil: there are no instruments
	now    func() time.Time
}

func (r *runner) usage(ctx context.Context, s *endpoint) (*usage, error) {
	u := &usage{s: s, now: r.o.Now}
	if s.pprof == "" {
		return u, nil
	}
	var err error
	u.target, err = capture.Find(ctx, capture.TargetOptions{
		Base: s.pprof, CAFile: r.o.Load.CAFile, Insecure: r.o.Load.Insecure, Now: r.o.Now, Patience: -1,
	})
	return u, err
}

func (u *usage) close() {
	if u.target != nil {
		u.target.Close()
	}
}

// read asks once. Instruments that do not answer now are unknown now.
func (u *usage) read(ctx context.Context) counters {
	var c counters
	if u.target != nil {
		one, stop := context.WithTimeout(ctx, askLimit)
		defer stop()
		_, err := u.target.Metrics(one, u.now(), 100*time.Millisecond, func(row metrics.Row) {
			if c.alloc == nil {
				c.alloc, c.pid = row.AllocBytes, row.PID
			}
			if row.UserCPUNs != nil && row.SystemCPUNs != nil && c.cpu == nil {
				cpu := time.Duration(*row.UserCPUNs + *row.SystemCPUNs)
				c.cpu = &cpu
			}
			stop()
		})
		if err != nil {
			c = counters{}
		}
	}
	if u.s.proc != nil {
		if cpu, ok := process.GroupCPU(u.s.proc.PID()); ok {
			c.cpu = &cpu
		}
	}
	return c
}

// askLimit is how long instruments may take to answer once.
const askLimit = 5 * time.Second

// since returns the resources used between two readings, less the cost of reading
// itself: after and again are two consecutive readings. Counters that decreased, or
// that are of another process, say nothing.
func (before counters) since(after, again counters) (cpu *time.Duration, alloc *int64) {
	if before.pid != after.pid || after.pid != again.pid {
		before.alloc = nil
	}
	if a, b, c := before.alloc, after.alloc, again.alloc; a != nil && b != nil && c != nil && *b >= *a && *c >= *b {
		used := (*b - *a) - (*c - *b)
		if used >= 0 {
			alloc = &used
		}
	}
	if a, b, c := before.cpu, after.cpu, again.cpu; a != nil && b != nil && c != nil && *b >= *a && *c >= *b {
		used := (*b - *a) - (*c - *b)
		if used >= 0 {
			cpu = &used
		}
	}
	return cpu, alloc
}
