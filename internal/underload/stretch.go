package underload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"whet/internal/capture"
	"whet/internal/format/profile"
	"whet/internal/load"
	"whet/internal/record"
	"whet/internal/recording"
)

// Cumulative profiles count since the process began: they are taken before and
// after the load.
func Cumulative() []string {
	return []string{recording.KindAllocs, recording.KindBlock, recording.KindMutex}
}

// States are taken once, while the load runs.
func States() []string {
	return []string{recording.KindHeap, recording.KindGoroutine, recording.KindThreads}
}

// Stretch is a period under load whose profiles are taken. TakeTrace may run
// concurrently with the other methods.
type Stretch struct {
	Target *capture.Target
	Load   *load.Running
	Origin time.Time // of the recording: all times are since then
	Now    func() time.Time

	Profiles record.Profiles
	// Snapshots are the cumulative profiles themselves, Early states of an earlier
	// moment.
	Snapshots, Early []record.File
	Trace            *record.File // nil: there is none
	// Requests are those that were answered while each kind of profile was taken:
	// of goroutines, between the two profiles of them. A kind is missing where
	// that is not known.
	Requests map[string]int64
	// Collections are those that the target was asked for.
	Collections []recording.Span

	before  map[string]*capture.Fetched
	seen    map[string]int64 // answers when each of before was taken
	mu      sync.Mutex       // guards what follows: a trace is taken beside the rest
	said    []string
	lacking []shortfall
}

// shortfall explains why profiles are missing.
type shortfall struct {
	kinds []string
	cause string
	first error // of the first of them, with where it was asked for
}

// ErrSilent ends, as the cause of a context, the profiles of a target that hangs.
var ErrSilent = errors.New("no answer came, even after the load ended")

func (s *Stretch) since(t time.Time) int64 { return int64(t.Sub(s.Origin)) }

func (s *Stretch) file(kind, part string, f *capture.Fetched) record.File {
	return record.File{Kind: kind, Part: part, Data: f.Data, StartNs: s.since(f.Start), EndNs: s.since(f.End)}
}

// Before takes the cumulative profiles that those of After are compared with.
func (s *Stretch) Before(ctx context.Context) {
	s.before, s.seen, s.Requests = make(map[string]*capture.Fetched), make(map[string]int64), make(map[string]int64)
	s.collect(ctx)
	for _, kind := range Cumulative() {
		s.before[kind], s.seen[kind] = s.fetch(ctx, kind), s.Load.Completed()
	}
}

// Until waits for a moment of the load, and reports whether it came.
func (s *Stretch) Until(ctx context.Context, moment time.Time) bool {
	t := time.NewTimer(moment.Sub(s.Now()))
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-s.Load.Done():
	case <-ctx.Done():
	}
	return false
}

// fetch takes one profile of a state. What cannot be had is warned of.
func (s *Stretch) fetch(ctx context.Context, kind string) *capture.Fetched {
	if !s.offers(kind) || errors.Is(context.Cause(ctx), ErrSilent) {
		return nil // among what is unknown, or said
	}
	f, err := s.Target.Profile(ctx, kind, 0)
	if err != nil {
		s.missed(ctx, kind, err)
		return nil
	}
	return f
}

func (s *Stretch) offers(kind string) bool { return slices.Contains(s.Target.Offers(), kind) }

// missed notes that a profile could not be had, once for each cause: a target
// that does not answer any more lacks them all.
func (s *Stretch) missed(ctx context.Context, kind string, err error) {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), ErrSilent) {
		return
	}
	cause := err
	for next := errors.Unwrap(cause); next != nil; next = errors.Unwrap(cause) {
		cause = next
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.lacking {
		if l := &s.lacking[i]; l.cause == cause.Error() {
			if !slices.Contains(l.kinds, kind) {
				l.kinds = append(l.kinds, kind)
			}
			return
		}
	}
	s.lacking = append(s.lacking, shortfall{[]string{kind}, cause.Error(), err})
}

// Warn adds a warning.
func (s *Stretch) Warn(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

// Warnings list missing data and doubts about the rest.
func (s *Stretch) Warnings() []string {
	out := slices.Clone(s.said)
	for _, l := range s.lacking {
		out = append(out, fmt.Sprintf("%s: %v", strings.Join(l.kinds, ", "), l.first))
	}
	return out
}

// again is how often what somebody else uses is asked for.
const again = 250 * time.Millisecond

// CPUPart is the length of one piece of the CPU profile: a profile that is cut
// off, as by Ctrl-C, is lost as a whole.
const CPUPart = 5 * time.Second

// TakeCPU takes CPU profiles until the time end. While another client takes one it
// waits, as long as a second is left.
func (s *Stretch) TakeCPU(ctx context.Context, end time.Time) {
	if !s.offers(recording.KindCPU) {
		return
	}
	for first := true; first || end.Sub(s.Now()) >= time.Second; {
		seconds := max(int(min(end.Sub(s.Now()), CPUPart)/time.Second), 1)
		done := s.Load.Completed()
		f, err := s.Target.Profile(ctx, recording.KindCPU, seconds)
		if err == nil {
			first = false
			s.Requests[recording.KindCPU] += s.Load.Completed() - done
			s.Profiles.Add(recording.KindCPU, f.Data, s.since(f.Start), s.since(f.End))
			continue
		}
		if !s.inUse(ctx, err, end.Add(-time.Second)) {
			s.missed(ctx, recording.KindCPU, err)
			return
		}
	}
}

// inUse waits where an instrument is somebody else's, and reports whether to ask
// again, which has to be before the time last.
func (s *Stretch) inUse(ctx context.Context, err error, last time.Time) bool {
	next := s.Now().Add(again)
	return errors.Is(err, capture.ErrInUse) && !next.After(last) && s.Until(ctx, next)
}

// TakeTrace takes an execution trace of some seconds, before the time end. A
// flight recorder's snapshot takes its place where it could not be had.
func (s *Stretch) TakeTrace(ctx context.Context, seconds int, end time.Time) {
	if s.Trace, _ = s.TakeWindow(ctx, seconds, 0, end); s.Trace != nil || !s.offers(recording.KindFlight) || ctx.Err() != nil {
		return
	}
	f, err := s.Target.Flight(ctx)
	if err != nil {
		s.missed(ctx, recording.KindFlight, err)
		return
	}
	t := s.file(recording.KindFlight, "", f)
	s.Trace = &t
}

// TakeWindow takes an execution trace of some seconds and at most so many bytes
// (0: that must not be cut), before the time end; nil where it could not be had.
func (s *Stretch) TakeWindow(ctx context.Context, seconds int, maxBytes int64, end time.Time) (f *record.File, cut bool) {
	for s.offers(recording.KindTrace) {
		got, err := s.Target.Trace(ctx, seconds, maxBytes)
		if err == nil {
			t := s.file(recording.KindTrace, "", got)
			return &t, got.Cut
		}
		if !s.inUse(ctx, err, end) {
			s.missed(ctx, recording.KindTrace, err)
			break
		}
	}
	return nil, false
}

// TakeEarly takes the goroutines of an early moment, with which those of
// States are compared.
func (s *Stretch) TakeEarly(ctx context.Context) {
	const kind = recording.KindGoroutine
	s.seen[kind] = s.Load.Completed() // they are counted when they are asked for
	if f := s.fetch(ctx, kind); f != nil {
		s.Early = append(s.Early, s.file(kind, recording.PartBefore, f))
		s.before[kind] = f
	}
}

// TakeStates takes the states.
func (s *Stretch) TakeStates(ctx context.Context) {
	for _, kind := range States() {
		completed := s.Load.Completed()
		f := s.fetch(ctx, kind)
		if f == nil {
			continue
		}
		s.Profiles.Add(kind, f.Data, s.since(f.Start), s.since(f.End))
		if s.before[kind] != nil {
			s.Requests[kind] = completed - s.seen[kind]
		}
	}
}

// collect has the target collect its garbage, without which allocations since
// its last collection are in no profile.
func (s *Stretch) collect(ctx context.Context) {
	if !s.offers(recording.KindAllocs) {
		return
	}
	start := s.since(s.Now())
	err := s.Target.Collect(ctx)
	s.Collections = append(s.Collections, recording.Span{StartNs: start, EndNs: s.since(s.Now())})
	if err != nil {
		s.missed(ctx, recording.KindAllocs, fmt.Errorf("%w: allocations since the last collection are missing", err))
	}
}

// After takes the cumulative profiles again, once the load is over, whose end is
// loadEnd: the load's are the differences.
func (s *Stretch) After(ctx context.Context, loadEnd time.Time) {
	s.collect(ctx)
	for _, kind := range Cumulative() {
		before := s.before[kind]
		if before == nil {
			continue
		}
		after := s.fetch(ctx, kind)
		if after == nil {
			continue
		}
		s.Snapshots = append(s.Snapshots, s.file(kind, recording.PartBefore, before), s.file(kind, recording.PartAfter, after))
		delta, warnings, err := profile.Delta(before.Data, after.Data)
		if err != nil {
			s.Warn("%s profile: %v", kind, err)
			continue
		}
		for _, w := range warnings {
			s.Warn("%s profile: %s", kind, w)
		}
		// Behind the load's end there is nothing to count but whet's questions.
		s.Profiles.Add(kind, delta, s.since(before.End), min(s.since(after.Start), s.since(loadEnd)))
		if len(warnings) == 0 { // else it counts from a restart on, and nobody knows how many requests
			s.Requests[kind] = s.Load.Completed() - s.seen[kind]
		}
	}
}
