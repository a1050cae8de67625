package capture

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"whet/internal/format/metrics"
)

// Sampling counts the readings of metrics and their failures.
type Sampling struct {
	Rows      int
	Breaks    int // times the target stopped answering
	Restarts  int // of the program in between, which reset its counters
	Malformed int // rows that could not be read and were dropped
	Warnings  []string
}

const (
	maxRow       = 64 << 10
	streamFor    = time.Hour   // what one answer is asked to hold; then the next is
	retryMetrics = time.Second // after the target stopped answering
)

// Metrics hands the target's metrics to row, one after the other, until ctx
// ends; that is no error. Times of the rows are since origin, which must carry
// our monotonic clock, as the times of time.Now do.
//
// The agent sends a row at every interval. A server with net/http/pprof is polled at
// most once a second, and less often if responding takes it long; metrics that it
// lacks are nil. When the target stops responding, Metrics retries each second.
//
// It misleads in two ways. With net/http/pprof, a restarted program whose counters
// have passed those of its predecessor by the next poll looks like the same program.
// And garbage collection pauses are unknown there when more than 256 collections ran
// before the first poll, or between two polls.
func (t *Target) Metrics(ctx context.Context, origin time.Time, every time.Duration, row func(metrics.Row)) (Sampling, error) {
	w := &watch{row: row}
	var err error
	if t.Kind == KindAgent {
		err = t.stream(ctx, w, origin, every)
	} else {
		err = t.poll(ctx, w, origin, every)
	}
	w.conclude()
	switch {
	case err == nil && w.Rows == 0 && w.last != nil:
		err = w.last
	case err == nil:
		return w.Sampling, nil
	}
	return w.Sampling, fmt.Errorf("read metrics of %s: %w", t.address, err)
}

// watch looks for restarts in the rows that pass.
type watch struct {
	Sampling
	row    func(metrics.Row)
	before *metrics.Row
	broken bool
	first  error // that broke the connection
	last   error
}

func (w *watch) add(r metrics.Row) {
	if w.before != nil && metrics.Restarted(w.before, &r) {
		w.Restarts++
	}
	w.before, w.broken = &r, false
	w.Rows++
	w.row(r)
}

// broke notes that the target does not answer, once for each time it stops.
func (w *watch) broke(err error) {
	if w.last = err; w.first == nil {
		w.first = err
	}
	if !w.broken {
		w.Breaks++
	}
	w.broken = true
}

// restarted notes a restart that was seen before the first row after it.
func (w *watch) restarted() {
	w.Restarts++
	w.before = nil
}

func (w *watch) conclude() {
	if w.Breaks > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("metrics: the target stopped answering %s, first with %q: rows are missing there", times(w.Breaks), w.first))
	}
	if w.Restarts > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("metrics: the program restarted %s during the measurement: its counters start again there", times(w.Restarts)))
	}
	if w.Malformed > 0 {
		w.Warnings = append(w.Warnings, fmt.Sprintf("metrics: unreadable rows were dropped: %d", w.Malformed))
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// stream reads the agent's rows.
func (t *Target) stream(ctx context.Context, w *watch, origin time.Time, every time.Duration) error {
	var process *Status
	for ctx.Err() == nil {
		offset, _, st, err := t.clock(ctx)
		if err == nil {
			if process != nil && !sameProcess(process, st) {
				w.restarted()
			}
			process = st
			err = t.streamOnce(ctx, w, offset.Sub(origin), every)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		w.broke(err)
		if t.pause(ctx, retryMetrics) != nil {
			return nil
		}
	}
	return nil
}

// streamOnce reads one answer to its end. shift is the agent's origin on the
// clock of the rows.
func (t *Target) streamOnce(ctx context.Context, w *watch, shift, every time.Duration) error {
	begun := t.now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := t.grace + every
	alarm := time.AfterFunc(silence, func() { cancel(fmt.Errorf("no row within %v", silence)) })
	defer alarm.Stop()
	request, err := t.request(ctx, http.MethodGet, "metrics", url.Values{
		"seconds":  {strconv.Itoa(int(streamFor.Seconds()))},
		"every_ms": {strconv.FormatInt(max(1, every.Milliseconds()), 10)},
	})
	if err != nil {
		return err
	}
	response, err := open(t.client, request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewReaderSize(response.Body, maxRow)
	for got := 0; ; {
		line, err := lines.ReadSlice('\n')
		got += len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("the answer has a row longer than %s", mebibytes(maxRow))
		case err == io.EOF && t.now().Sub(begun) >= streamFor:
			return nil
		case err == io.EOF:
			return errors.New("the rows ended too early")
		case err != nil:
			return breach(ctx, err, got)
		}
		alarm.Reset(silence)
		row, ok := parseRow(line)
		if !ok {
			w.Malformed++
			continue
		}
		row.TimeNs += int64(shift)
		if ctx.Err() != nil {
			return context.Cause(ctx) // rows that came in one piece with the last one
		}
		w.add(row)
	}
}

// parseRow reads a row that says its time.
func parseRow(line []byte) (metrics.Row, bool) {
	var row struct {
		At *int64 `json:"t_ns"`
		metrics.Row
	}
	if err := json.Unmarshal(line, &row); err != nil || row.At == nil || *row.At < 0 || *row.At > math.MaxInt64/2 {
		return metrics.Row{}, false
	}
	row.TimeNs = *row.At
	return row.Row, true
}
