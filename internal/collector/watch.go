package collector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	analyze "whet/internal/analyze/gc"
	"whet/internal/capture"
	"whet/internal/cli"
	"whet/internal/format/metrics"
	"whet/internal/profiles"
	"whet/internal/recording"
	"whet/internal/report/gc"
)

const (
	defaultWatch = 10 * time.Second
	sampleEvery  = 100 * time.Millisecond
)

// live watches the metrics of a running program, and takes its heap before and after.
func (v *view) live(ctx context.Context, e *cli.Env, operand string) (*gc.Page, error) {
	if v.limit != 0 {
		return nil, cli.UsageError("gc: -limit needs a log")
	}
	address, _ := cli.AsURL(operand)
	watch := v.watch
	if watch == 0 {
		watch = defaultWatch
	}
	target, err := capture.Find(ctx, capture.TargetOptions{Base: address, Header: http.Header(v.headers)})
	if err != nil {
		return nil, err
	}
	defer target.Close()
	status := e.Status()
	defer status.Clear()
	p := &gc.Page{Name: target.Address(), What: "runtime metrics"}
	origin := time.Now()
	before := liveHeap(ctx, target, origin, p)
	status.Set("watching the collector of %s for %v", profiles.Shown(operand), watch)
	during, stop := context.WithTimeout(ctx, watch)
	sampling, err := target.Metrics(during, origin, sampleEvery, func(r metrics.Row) { p.Rows = append(p.Rows, r) })
	stop()
	if ctx.Err() != nil && len(p.Rows) == 0 {
		return nil, ctx.Err()
	}
	if err != nil && len(p.Rows) == 0 {
		return nil, err
	}
	p.Warnings = append(p.Warnings, sampling.Warnings...)
	if before != nil {
		if after := liveHeap(ctx, target, origin, p); after != nil {
			p.Grown = grown(before, after)
		}
	}
	switch {
	case len(p.Rows) < 2 && p.Grown == nil:
		return nil, fmt.Errorf("%s reported its metrics only once within %v: raise -seconds", p.Name, watch)
	case len(p.Rows) < 2:
		p.Warnings = append(p.Warnings, fmt.Sprintf("the program reported its metrics only once within %v: the result rests on its heap profiles; raise -seconds", watch))
	case p.Rows[0].GCCPUNs == nil || p.Rows[0].GCIdleNs == nil:
		p.Warnings = append(p.Warnings, "the collector's CPU time is unknown: net/http/pprof and older versions of whet/agent do not report it; import whet/agent in the program")
	}
	p.Result = analyze.OfRows(p.Rows, target.GOMAXPROCS())
	conclude(p)
	return p, nil
}

// liveHeap takes a heap profile of what is alive, that is after a collection; nil, with a
// warning, where there is none.
func liveHeap(ctx context.Context, target *capture.Target, origin time.Time, p *gc.Page) *heap {
	var f *capture.Fetched
	var h *heap
	err := target.Collect(ctx)
	if err == nil {
		f, err = target.Profile(ctx, recording.KindHeap, 0)
	}
	if err == nil {
		h, err = readHeap(f.Data)
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			p.Warnings = append(p.Warnings, fmt.Sprintf("the growth is unknown: %v", err))
		}
		return nil
	}
	h.atNs = int64(f.Start.Sub(origin))
	return h
}
