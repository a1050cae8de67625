package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/internal/callstack"
	"whet/internal/format/profile"
	"whet/internal/recording"
)

// Fetched is a profile or trace. Start and End enclose the recorded time; for a
// snapshot, its moment. They have a monotonic clock reading.
type Fetched struct {
	Data       []byte
	Start, End time.Time
	Cut        bool // of a trace: it was longer than asked for, and this is its beginning
}

// retryEvery is how often a profiler in use is asked for again.
const retryEvery = 250 * time.Millisecond

// ErrNotOffered means that the target has no such instrument; Target.Unknown tells how
// to get it.
var ErrNotOffered = errors.New("the target does not offer it")

// ErrInUse means that another client is using the CPU profiler or the tracer. Its text
// begins a sentence.
var ErrInUse = errors.New("someone else")

// columns are what a profile of each kind counts, to tell it from another
// that a server may give in its place.
var columns = map[string]string{
	recording.KindCPU:       "cpu",
	recording.KindAllocs:    "alloc_space",
	recording.KindHeap:      "inuse_space",
	recording.KindBlock:     "contentions",
	recording.KindMutex:     "contentions",
	recording.KindGoroutine: "goroutine",
	recording.KindThreads:   "threadcreate",
}

// Profile fetches a profile of a kind of package recording. seconds is the duration of
// a CPU profile; the other kinds are snapshots, and seconds is 0.
//
// Snapshots of allocs and heap have the state of the program's last garbage collection
// but one; call Collect before to bring them up to date.
func (t *Target) Profile(ctx context.Context, kind string, seconds int) (*Fetched, error) {
	column, ok := columns[kind]
	if !ok {
		return nil, fmt.Errorf("fetch %s profile: unknown kind", kind)
	}
	path := kind
	if kind == recording.KindCPU {
		path = "profile"
	} else if seconds != 0 {
		return nil, fmt.Errorf("fetch %s profile: it is a snapshot without a duration: fetch it before and after", kind)
	}
	f, err := t.fetch(ctx, kind, path, seconds, 0)
	if err == nil {
		err = checkProfile(f.Data, column)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch %s profile from %s: %w", kind, t.address, err)
	}
	return f, nil
}

// checkProfile refuses what is damaged, or is another profile, while it can
// still be fetched again.
func checkProfile(data []byte, column string) error {
	p, err := profile.ReadFrames(data, profile.DefaultLimits())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(p.Types, func(v callstack.ValueType) bool { return v.Type == column }) {
		return fmt.Errorf("the server sent another profile, of %v", p.Types)
	}
	return nil
}

// Trace fetches an execution trace of some seconds and at most so many bytes: of
// one that is longer, the beginning. 0 is the bound of any answer, which a trace
// must not exceed.
func (t *Target) Trace(ctx context.Context, seconds int, maxBytes int64) (*Fetched, error) {
	f, err := t.fetch(ctx, recording.KindTrace, "trace", seconds, maxBytes)
	if err == nil {
		err = checkTrace(f.Data)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch execution trace from %s: %w", t.address, err)
	}
	return f, nil
}

// Flight fetches the snapshot of the agent's flight recorder.
func (t *Target) Flight(ctx context.Context) (*Fetched, error) {
	f, err := t.flight(ctx)
	if err != nil {
		return nil, fmt.Errorf("fetch flight recorder from %s: %w", t.address, err)
	}
	return f, nil
}

func (t *Target) flight(ctx context.Context) (*Fetched, error) {
	if t.Kind != KindAgent {
		return nil, ErrNotOffered
	}
	a, err := t.ask(ctx, http.MethodGet, "flight", nil, 0, defaultMaxBytes)
	if err != nil {
		return nil, t.missing(recording.KindFlight, err)
	}
	return &Fetched{Data: a.data, Start: a.start, End: a.head}, checkTrace(a.data)
}

// StartFlight makes the agent keep a flight recorder for some time, unless the
// program has one anyway, until StopFlight.
func (t *Target) StartFlight(ctx context.Context, d time.Duration) error {
	if t.Kind != KindAgent {
		return fmt.Errorf("start the flight recorder of %s: %w", t.address, ErrNotOffered)
	}
	_, err := t.ask(ctx, http.MethodPost, "flight", url.Values{"seconds": {strconv.Itoa(int(max(d, time.Second)/time.Second) + 1)}}, 0, maxStatus)
	if err != nil {
		if r := (*statusError)(nil); errors.As(err, &r) && r.status == http.StatusMethodNotAllowed {
			err = fmt.Errorf("%w: its agent is too old", ErrNotOffered)
		}
		return fmt.Errorf("start the flight recorder of %s: %w", t.address, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.offers, recording.KindFlight) {
		t.offers = append(t.offers, recording.KindFlight)
	}
	t.unknown = slices.DeleteFunc(t.unknown, func(u recording.Unknown) bool { return u.What == FlightRecorder })
	return nil
}

// StopFlight stops the flight recorder started by StartFlight. The program's own
// continues.
func (t *Target) StopFlight(ctx context.Context) error {
	if t.Kind != KindAgent {
		return nil
	}
	if _, err := t.ask(ctx, http.MethodPost, "flight", url.Values{"seconds": {"0"}}, 0, maxStatus); err != nil {
		return fmt.Errorf("stop the flight recorder of %s: %w", t.address, err)
	}
	return nil
}

func checkTrace(data []byte) error {
	if head := data[:min(len(data), 16)]; !bytes.HasPrefix(head, []byte("go 1.")) || !bytes.Contains(head, []byte(" trace")) {
		return errors.New("the answer is not an execution trace")
	}
	return nil
}

// Collect makes the program collect its garbage, so that the allocs and heap
// profiles that follow count everything up to now. It shows as a forced
// collection in the program's metrics.
func (t *Target) Collect(ctx context.Context) error {
	if _, err := t.ask(ctx, http.MethodGet, t.pprof("heap"), url.Values{"gc": {"1"}}, 0, defaultMaxBytes); err != nil {
		return fmt.Errorf("collect garbage of %s: %w", t.address, t.missing(recording.KindHeap, err))
	}
	return nil
}

// pprof returns the path of a profile below the base.
func (t *Target) pprof(path string) string {
	if t.Kind == KindAgent {
		return "pprof/" + path
	}
	return path
}

// fetch waits while someone else uses the instrument: there is one CPU
// profiler and one tracer in a program. The answer is cut after cutAt bytes, if that
// is not 0.
func (t *Target) fetch(ctx context.Context, kind, path string, seconds int, cutAt int64) (*Fetched, error) {
	query := url.Values{}
	if kind == recording.KindCPU || kind == recording.KindTrace {
		if seconds < 1 || seconds > longestSeconds {
			return nil, fmt.Errorf("record %d seconds: give 1 to %d", seconds, longestSeconds)
		}
		query.Set("seconds", strconv.Itoa(seconds))
	}
	begun := t.now()
	for {
		a, err := t.askPart(ctx, http.MethodGet, t.pprof(path), query, time.Duration(seconds)*time.Second, cutAt)
		if err == nil {
			f := &Fetched{Data: a.data, Start: a.start, End: a.head, Cut: a.cut}
			if kind == recording.KindTrace {
				f.End = a.end // a trace is sent while it is recorded
			}
			return f, nil
		}
		if !inUse(err) {
			return nil, t.missing(kind, err)
		}
		if waited := t.now().Sub(begun); waited >= t.patience {
			what := "CPU profiler"
			if kind == recording.KindTrace {
				what = "tracer"
			}
			since := ""
			if t.patience > 0 {
				since = fmt.Sprintf(" for %v", waited.Round(time.Second/10))
			}
			return nil, fmt.Errorf("%w has been using the program's %s%s: stop it, or wait for it (%w)", ErrInUse, what, since, err)
		}
		if err := t.pause(ctx, retryEvery); err != nil {
			return nil, err
		}
	}
}

// inUse recognises what package runtime/pprof and runtime/trace say when they
// run already.
func inUse(err error) bool {
	var r *statusError
	return errors.As(err, &r) && (r.status == http.StatusInternalServerError || r.status == http.StatusServiceUnavailable) &&
		(strings.Contains(r.said, "already in use") || strings.Contains(r.said, "already enabled"))
}

// missing notes an instrument whose page is not there.
func (t *Target) missing(kind string, err error) error {
	var r *statusError
	if !errors.As(err, &r) || r.status != http.StatusNotFound {
		return err
	}
	t.lacksPage(kind)
	t.mu.Lock()
	t.offers = slices.DeleteFunc(t.offers, func(k string) bool { return k == kind })
	t.mu.Unlock()
	return fmt.Errorf("%w: the server has no such page (404)", ErrNotOffered)
}

// ask reads a whole answer of at most limit bytes. recording is how long the
// program records first.
func (t *Target) ask(ctx context.Context, method, path string, query url.Values, recording time.Duration, limit int64) (*response, error) {
	return t.asked(ctx, method, path, query, recording, limit, false)
}

// askPart reads an answer that is cut after so many bytes; 0: that must not be cut.
func (t *Target) askPart(ctx context.Context, method, path string, query url.Values, recording time.Duration, cutAt int64) (*response, error) {
	if cutAt <= 0 {
		return t.ask(ctx, method, path, query, recording, defaultMaxBytes)
	}
	return t.asked(ctx, method, path, query, recording, cutAt, true)
}

func (t *Target) asked(ctx context.Context, method, path string, query url.Values, recording time.Duration, limit int64, cut bool) (*response, error) {
	ctx, cancel := t.within(ctx, recording)
	defer cancel()
	request, err := t.request(ctx, method, path, query)
	if err != nil {
		return nil, err
	}
	return getPart(t.client, request, limit, cut, t.now)
}
