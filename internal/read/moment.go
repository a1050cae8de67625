package read

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"whet/internal/analyze/sched"
	"whet/internal/analyze/wall"
	"whet/internal/callstack"
	"whet/internal/format/exectrace"
	loadformat "whet/internal/format/load"
	"whet/internal/recording"
	runreport "whet/internal/report/run"
	"whet/internal/report/trace"
)

// Of the page's worst moment.
const (
	mostMomentWaits     = 20
	mostMomentRan       = 10
	mostMomentIntervals = 100_000 // some 800 KB of a page
	momentRows          = 14      // of goroutines in sight
	// clocksApart is by how much the wall clock may disagree with the order of events
	// before it is taken for another machine's.
	clocksApart = time.Second
	// servedApart is by how much the sides of a request may lie apart as the generator
	// and the trace have them: bytes wait in sockets, and their readers for a processor.
	servedApart = 20 * time.Millisecond
)

// moment reads what went on while the slowest request was served.
func (a *Reading) moment() *runreport.Moment {
	if a.service == nil || a.service.Traced == nil || !a.service.Traced.FlightRecorder {
		return nil
	}
	t := a.service.Traced
	m := &runreport.Moment{AfterNs: t.SlowAfterNs, MedianNs: t.Load.ServiceTimeNs.P50, MostNs: t.Load.ServiceTimeNs.Max}
	s := t.Slowest
	if s == nil {
		return m
	}
	m.Request = &runreport.SlowRequest{DueNs: s.DueNs, SentNs: s.SentNs, EndNs: s.EndNs, TookNs: s.TookNs(), Status: s.Status, Failure: s.Kind}
	for _, artifact := range a.rec.Artifacts {
		if artifact.Kind != recording.KindFlight || artifact.Part != recording.PartWorst {
			continue
		}
		m.Trace = artifact.Path
		data, err := a.rec.Read(artifact)
		if err == nil {
			err = a.look(m, s, &artifact, bytes.NewReader(data))
		}
		if err != nil {
			m.Missing = fmt.Sprintf("The cause is unknown: %v.", err)
		}
		return m
	}
	m.Missing = "The cause is unknown: the snapshot of the flight recorder is not in the recording."
	return m
}

// look finds the goroutine that served the request, and lays out what it waited for.
func (a *Reading) look(m *runreport.Moment, s *loadformat.SlowRequest, artifact *recording.Artifact, src exectrace.Source) error {
	var all []wall.Served
	summary, err := wall.Requests(wall.Trace{Name: artifact.Path, Source: src}, func(r wall.Served) { all = append(all, r) })
	if err != nil {
		return err
	}
	begin := traceBegin(&a.rec.Manifest, artifact, &summary)
	sent, end := s.SentNs-begin, s.EndNs-begin
	if end <= 0 || sent >= summary.EndNs {
		return fmt.Errorf("the flight recorder covers %v, and the request ended before that", time.Duration(summary.EndNs).Round(time.Millisecond))
	}
	r := servedBy(all, sent, end)
	if r == nil {
		return fmt.Errorf("no goroutine of net/http served a request from %v to %v of the snapshot", time.Duration(sent).Round(time.Microsecond), time.Duration(end).Round(time.Microsecond))
	}
	around, err := sched.LookAround(src, exectrace.DefaultLimits(), r.Goroutine, r.FromNs, r.ToNs)
	if err != nil {
		return err
	}
	for _, w := range around.Warnings {
		a.warn("%s: %s", artifact.Path, w)
	}
	a.layOut(m, r, around)
	return a.draw(m, around, src)
}

// traceBegin returns when a snapshot begins, since the recording's origin: by the wall clock
// that is in it, or, where that is another machine's, by the moment that it was taken.
func traceBegin(rec *recording.Manifest, artifact *recording.Artifact, summary *exectrace.Summary) int64 {
	byEnd := artifact.EndNs - summary.EndNs
	if summary.WallNs != 0 {
		byWall := summary.WallNs - rec.Origin.UnixNano()
		if d := time.Duration(byWall - byEnd); d.Abs() <= clocksApart {
			return byWall
		}
	}
	return byEnd
}

// servedBy returns the request in the trace that lies nearest to one of the load; nil: none
// is near. One that the trace cuts is as near as what it has.
func servedBy(all []wall.Served, sent, end int64) *wall.Served {
	var best *wall.Served
	least := int64(2*servedApart) + (end-sent)/4
	for i := range all {
		r := &all[i]
		away := int64(0)
		if r.Begun {
			away += max(r.FromNs-sent, sent-r.FromNs)
		}
		if r.Ended {
			away += max(r.ToNs-end, end-r.ToNs)
		}
		if (r.Begun || r.Ended) && r.ToNs > r.FromNs && away < least {
			best, least = r, away
		}
	}
	return best
}

func (a *Reading) layOut(m *runreport.Moment, r *wall.Served, around *sched.Surroundings) {
	m.Goroutine, m.Handler, m.FromNs, m.ToNs = r.Goroutine, r.Handler, r.FromNs, r.ToNs
	for state, ns := range around.Ns {
		if ns > 0 {
			m.States = append(m.States, runreport.StateTime{State: sched.State(state).String(), Ns: ns})
		}
	}
	slices.SortStableFunc(m.States, func(x, y runreport.StateTime) int { return cmp.Compare(y.Ns, x.Ns) })
	for i := range around.Waits[:min(len(around.Waits), mostMomentWaits)] {
		w := &around.Waits[i]
		out := runreport.MomentWait{State: w.State.String(), By: w.By, At: a.at(w.Place), Ns: w.ToNs - w.FromNs, Released: a.at(w.Release)}
		if w.Waker >= 0 {
			out.Waker = &w.Waker
		}
		m.Waits = append(m.Waits, out)
	}
	if c := around.Cause; c != nil {
		m.Cause = &runreport.MomentCause{Goroutine: c.Goroutine, Start: c.Start, State: c.State.String(), At: a.at(c.Place), Ns: c.Ns, Released: a.at(c.Release)}
		if c.Release != nil {
			m.Cause.Waited, m.Cause.WaitedBy = c.Waited.String(), c.WaitedBy
		}
	}
	if h := around.HeldUp; h != nil {
		m.HeldUp = &runreport.BlockedWaiters{Goroutines: h.Count, State: h.State.String(), By: h.By, At: a.at(h.Place), Released: a.at(h.Release)}
	}
	m.Processors, m.OwnNs, m.OthersNs, m.IdleNs = around.Procs, around.OwnNs, around.RanNs, around.IdleNs
	for _, ran := range around.Ran[:min(len(around.Ran), mostMomentRan)] {
		m.Ran = append(m.Ran, runreport.RunTime{Start: ran.Start, Goroutines: ran.Count, Ns: ran.Ns})
	}
}

func (a *Reading) at(f *callstack.Frame) runreport.At {
	if f == nil {
		return runreport.At{}
	}
	return runreport.At{Function: f.Function, File: a.sources.Display(f.File), Line: int(f.Line)}
}

// draw draws the moment with a quarter as much time on each side.
func (a *Reading) draw(m *runreport.Moment, around *sched.Surroundings, src exectrace.Source) error {
	pad := max((around.ToNs-around.FromNs)/4, int64(time.Millisecond))
	o := sched.Options{Limits: exectrace.DefaultLimits(), FromNs: max(around.FromNs-pad, 0), ToNs: around.ToNs + pad}
	r, err := sched.Analyze(src, o)
	if err != nil {
		return err
	}
	moments := []trace.Moment{{Text: "the slow request", Goroutine: around.Goroutine}}
	moments[0].FromNs, moments[0].ToNs = around.FromNs, around.ToNs
	pins := []int64{around.Goroutine}
	if c := around.Cause; c != nil {
		step := trace.Moment{Text: "what it waited for", Goroutine: c.Goroutine}
		step.FromNs, step.ToNs = c.AtNs, c.AtNs+c.Ns
		moments, pins = append(moments, step), append([]int64{c.Goroutine}, pins...)
	}
	m.Drawing, err = trace.Draw(src, o, &trace.Page{Name: m.Trace, Result: r}, nil, mostMomentIntervals)
	if err == nil {
		m.Drawing.Moments = moments
		m.Drawing.Focus = trace.Focus{Mark: []int64{around.FromNs, around.ToNs}, Of: "the slow request", Pins: pins, First: 1, Rows: momentRows}
	}
	return err
}
