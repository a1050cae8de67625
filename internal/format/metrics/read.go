package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// maxLine bounds one row: it has some thirty keys, and numbers have at most
// twenty digits.
const maxLine = 64 << 10

// Read reads rows, at most limit of them, in their order. Lines that are not rows are
// left out and counted in the warnings, and so are those after the limit. They may be
// of several processes: see [Split]. It is an error if there are lines and none is a
// row.
func Read(data []byte, limit int) (rows []Row, warnings []string, err error) {
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	bad, firstBad, why := 0, 0, error(nil)
	lines := 0
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		lines++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if len(rows) >= limit {
			warn("rows after the first %d were left out", limit)
			break
		}
		row, err := parse(line)
		switch {
		case err != nil && !whole && len(rows) > 0:
			warn("the last row was cut off")
		case err != nil:
			if bad++; bad == 1 {
				firstBad, why = lines, err
			}
		default:
			rows = append(rows, row)
		}
	}
	if bad > 0 && len(rows) == 0 {
		return nil, warnings, fmt.Errorf("read metrics: none of %d lines is a row: line %d: %w", bad, firstBad, why)
	}
	if bad > 0 {
		warn("%d lines are not rows and were left out, the first at line %d: %v", bad, firstBad, why)
	}
	return rows, warnings, nil
}

func parse(line []byte) (Row, error) {
	if len(line) > maxLine {
		return Row{}, fmt.Errorf("%d bytes are more than the limit of %d for a row", len(line), maxLine)
	}
	var row struct {
		At *int64 `json:"t_ns"`
		Row
	}
	if err := json.Unmarshal(line, &row); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return Row{}, fmt.Errorf("%s cannot be %.40s", strings.TrimPrefix(wrong.Field, "Row."), wrong.Value)
		}
		return Row{}, err
	}
	// Times are moved to another clock, so that they need some room.
	if row.At == nil || *row.At < 0 || *row.At > math.MaxInt64/2 {
		return Row{}, errors.New("t_ns is missing or not a time")
	}
	row.TimeNs = *row.At
	for _, v := range row.values() {
		if *v != nil && **v < 0 {
			return Row{}, errors.New("a counter is negative")
		}
	}
	return row.Row, nil
}

// MaxRows bounds the metrics of a recording: three hours and a half at ten a
// second.
const MaxRows = 1 << 17

// Split cuts rows where the process is another one, or must be: its counters
// or its clock run backwards.
func Split(rows []Row) [][]Row {
	var parts [][]Row
	begin := 0
	for i := range rows {
		if i > 0 && Restarted(&rows[i-1], &rows[i]) {
			parts = append(parts, rows[begin:i:i])
			begin = i
		}
	}
	if begin < len(rows) {
		parts = append(parts, rows[begin:])
	}
	return parts
}

// Restarted reports whether b cannot be a later row of a's process.
func Restarted(a, b *Row) bool {
	if a.PID != 0 && b.PID != 0 && a.PID != b.PID || b.TimeNs < a.TimeNs {
		return true
	}
	before, after := a.counters(), b.counters()
	for i := range before {
		if x, y := *before[i], *after[i]; x != nil && y != nil && *y < *x {
			return true
		}
	}
	return false
}

// states returns the fields that go up and down.
func (r *Row) states() []**int64 {
	return []**int64{
		&r.Goroutines, &r.Runnable, &r.Threads,
		&r.HeapLiveBytes, &r.HeapGoalBytes, &r.HeapObjects, &r.StackBytes, &r.RuntimeBytes, &r.RSSBytes,
	}
}

// counters returns the fields that only grow while a process lives.
func (r *Row) counters() []**int64 {
	return []**int64{
		&r.AllocBytes, &r.AllocObjects, &r.GCCycles, &r.GCForced, &r.GCPauseNs, &r.GCCPUNs, &r.GCAssistNs, &r.GCIdleNs,
		&r.MutexWaitNs, &r.SchedWaitNs, &r.UserCPUNs, &r.SystemCPUNs, &r.ThrottledNs, &r.ReadBytes, &r.WrittenBytes,
	}
}

func (r *Row) values() []**int64 { return append(r.states(), r.counters()...) }
