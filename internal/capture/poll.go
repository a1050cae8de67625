package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"whet/internal/format/metrics"
	"whet/internal/recording"
)

const (
	pollLeast = time.Second
	pollMost  = 10 * time.Second
	// pollShare keeps the time that answering takes below a fiftieth of all:
	// the runtime walks every stack for the count of goroutines, and every
	// allocation site for its memory statistics.
	pollShare = 50
)

// poll asks net/http/pprof again and again.
func (t *Target) poll(ctx context.Context, w *watch, origin time.Time, every time.Duration) error {
	var pauses pauseSum
	for ctx.Err() == nil {
		begun := t.now()
		row, at, err := t.pollOnce(ctx, &pauses)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrNotOffered):
			return err
		case err != nil:
			w.broke(err)
		default:
			row.TimeNs = int64(at.Sub(origin))
			w.add(row)
		}
		took := t.now().Sub(begun)
		wait := min(max(every, pollLeast, pollShare*took), max(every, pollMost)) - took
		if t.pause(ctx, max(wait, 0)) != nil {
			return nil
		}
	}
	return nil
}

// pollOnce makes a row of a heap and a goroutine profile in text. Where one of
// them is not served, its part of the row is nil.
func (t *Target) pollOnce(ctx context.Context, pauses *pauseSum) (row metrics.Row, at time.Time, err error) {
	at = t.now()
	stats, moment, err := t.memStats(ctx)
	switch {
	case err == nil:
		at = moment
		fill(&row, stats, pauses)
	case !errors.Is(err, ErrNotOffered):
		return row, at, err
	}
	head, errCount := t.head(ctx, recording.KindGoroutine)
	if errCount = t.missing(recording.KindGoroutine, errCount); errCount != nil {
		if !errors.Is(errCount, ErrNotOffered) || err != nil {
			return row, at, errCount
		}
		return row, at, nil
	}
	if n, ok := goroutineCount(head); ok {
		row.Goroutines = &n
	} else if err != nil {
		return row, at, fmt.Errorf("%w: neither its heap nor its goroutine profile can be read", ErrNotOffered)
	}
	return row, at, nil
}

// memStats fetches the statistics, which stand after the whole heap profile.
// They are read by the program before anything else: at is the midpoint
// between question and answer.
func (t *Target) memStats(ctx context.Context) (stats memStats, at time.Time, err error) {
	ctx, cancel := t.within(ctx, 0)
	defer cancel()
	request, err := t.request(ctx, http.MethodGet, recording.KindHeap, url.Values{"debug": {"1"}})
	if err != nil {
		return stats, at, err
	}
	asked := t.now()
	response, err := open(t.client, request)
	if err != nil {
		return stats, at, t.missing(recording.KindHeap, err)
	}
	defer response.Body.Close()
	at = asked.Add(t.now().Sub(asked) / 2)
	body := &io.LimitedReader{R: response.Body, N: defaultMaxBytes}
	end, err := tail(body, memStatsTail)
	switch {
	case err != nil:
		return stats, at, breach(ctx, err, int(defaultMaxBytes-body.N))
	case body.N == 0:
		return stats, at, fmt.Errorf("the heap profile is longer than %s", mebibytes(defaultMaxBytes))
	}
	stats, ok := parseMemStats(end)
	if !ok {
		return stats, at, fmt.Errorf("%w: the heap profile ends without runtime.MemStats", ErrNotOffered)
	}
	return stats, at, nil
}

// fill puts into a row what runtime.MemStats has of it.
func fill(row *metrics.Row, s memStats, pauses *pauseSum) {
	for name, field := range map[string]**int64{
		"HeapAlloc":   &row.HeapLiveBytes,
		"NextGC":      &row.HeapGoalBytes,
		"HeapObjects": &row.HeapObjects,
		"Stack":       &row.StackBytes,
		"Sys":         &row.RuntimeBytes,
		"TotalAlloc":  &row.AllocBytes,
		"Mallocs":     &row.AllocObjects,
		"NumGC":       &row.GCCycles,
		"NumForcedGC": &row.GCForced,
	} {
		if n, ok := s.numbers[name]; ok {
			*field = &n
		}
	}
	if row.GCCycles == nil {
		return
	}
	if sum, ok := pauses.add(*row.GCCycles, s.pauses); ok {
		row.GCPauseNs = &sum
	}
}
