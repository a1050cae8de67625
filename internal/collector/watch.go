package collector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	analyze "whet/internal/analyze/gc"
	"whet/internal/callstack"
	"whet/internal/capture"
	"whet/internal/cli"
	"whet/internal/format/metrics"
	"whet/internal/format/profile"
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
		return nil, cli.UsageError("gc: -limit is of a log")
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
	before := v.heap(ctx, target, p)
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
	if len(p.Rows) < 2 {
		return nil, fmt.Errorf("%s told its metrics once within %v: watch for longer with -seconds", p.Name, watch)
	}
	if p.Rows[0].GCCPUNs == nil || p.Rows[0].GCIdleNs == nil {
		p.Warnings = append(p.Warnings, "the CPU time of the collector is unknown: net/http/pprof and an older whet/agent do not tell it; a program that imports whet/agent does")
	}
	if before != nil {
		if after := v.heap(ctx, target, p); after != nil {
			p.Grown = grown(before, after, int64(before.at.Sub(origin)), int64(after.at.Sub(origin)))
		}
	}
	p.Result = analyze.OfRows(p.Rows, target.GOMAXPROCS())
	return p, nil
}

// heap is a heap profile at a moment.
type heap struct {
	at     time.Time
	frames *callstack.Frames
	column int
}

// heap takes one; nil, with a warning, where there is none.
func (v *view) heap(ctx context.Context, target *capture.Target, p *gc.Page) *heap {
	f, err := target.Profile(ctx, recording.KindHeap, 0)
	var h *heap
	if err == nil {
		h, err = readHeap(f.Data)
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			p.Warnings = append(p.Warnings, fmt.Sprintf("what grows is unknown: %v", err))
		}
		return nil
	}
	h.at = f.Start
	return h
}

func readHeap(data []byte) (*heap, error) {
	frames, err := profile.ReadFrames(data, profile.DefaultLimits())
	if err != nil {
		return nil, err
	}
	column, err := frames.TypeIndex("inuse_space")
	if err != nil {
		return nil, err
	}
	return &heap{frames: frames, column: column}, nil
}

// site is where memory was allocated.
type site struct {
	function, file string
	line           int
}

// use is what a site has in use, and the callers of most of it.
type use struct {
	bytes   [2]int64 // before and after
	most    int64
	callers []string
}

// grown tells who allocated what two heaps differ by.
func grown(before, after *heap, fromNs, toNs int64) *gc.Grown {
	g := &gc.Grown{FromNs: fromNs, ToNs: toNs}
	sites := make(map[site]*use)
	for i, h := range []*heap{before, after} {
		for s := h.frames.Stacks(nil, h.column); s.Next(); {
			bytes := s.Value(h.column)
			if i == 0 {
				g.BeforeBytes += bytes
			} else {
				g.AfterBytes += bytes
			}
			at := site{}
			if len(s.Stack) > 0 {
				f := h.frames.Frame(s.Stack[0])
				at = site{f.Function, f.File, f.Line}
			}
			u := sites[at]
			if u == nil {
				u = new(use)
				sites[at] = u
			}
			u.bytes[i] += bytes
			if i == 1 && bytes > u.most {
				u.most, u.callers = bytes, nil
				for _, id := range s.Stack[min(1, len(s.Stack)):] {
					u.callers = append(u.callers, h.frames.Frame(id).Function)
				}
			}
		}
	}
	for at, u := range sites {
		more := u.bytes[1] - u.bytes[0]
		if more <= 0 {
			g.OtherBytes += more
			continue
		}
		g.Places = append(g.Places, gc.GrownPlace{Function: at.function, File: at.file, Line: at.line, BeforeBytes: u.bytes[0], AfterBytes: u.bytes[1], Callers: u.callers})
	}
	slices.SortFunc(g.Places, func(a, b gc.GrownPlace) int {
		if d := (b.AfterBytes - b.BeforeBytes) - (a.AfterBytes - a.BeforeBytes); d != 0 {
			return int(max(min(d, 1), -1))
		}
		return strings.Compare(a.Function+a.File, b.Function+b.File)
	})
	const most = 100
	for _, rest := range g.Places[min(most, len(g.Places)):] {
		g.OtherBytes += rest.AfterBytes - rest.BeforeBytes
	}
	g.Places = g.Places[:min(most, len(g.Places))]
	return g
}
