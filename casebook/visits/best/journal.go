package best

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"whet/casebook/visits"
)

// journal writes log records as zerolog does by default: one flat JSON object
// a line, in the order level, module, name, count, time, message.
type journal struct {
	now   func() time.Time
	since func(time.Time) time.Duration
	stamp atomic.Pointer[stamp]

	mu sync.Mutex // held while a record is written, so that records stay whole
	w  io.Writer
}

// stamp is the end of every record of one second, from its time on.
type stamp struct {
	made time.Time
	good time.Duration // from made to the end of its second
	text string
}

func (j *journal) init(w io.Writer) {
	j.w, j.now, j.since = w, time.Now, time.Since
}

// ending returns the text of the current second's stamp. Whether the second is
// over is read from the monotonic clock alone, where time.Now reads that and
// the wall clock. So a wall clock that is set, or a machine that sleeps, shows
// in the log up to a second of running time late.
//
// Two requests may both make a stamp at the turn of a second; they make the same.
func (j *journal) ending() string {
	if s := j.stamp.Load(); s != nil && j.since(s.made) < s.good {
		return s.text
	}
	now := j.now()
	s := &stamp{
		made: now,
		good: time.Second - time.Duration(now.Nanosecond()),
		text: `,"time":"` + now.Format(time.RFC3339) + `","message":"` + visits.Message + "\"}\n",
	}
	j.stamp.Store(s)
	return s.text
}

func (j *journal) appendRecord(b, name, count []byte, marks mark) []byte {
	b = append(b, `{"level":"info","module":"`+visits.Module+`","name":"`...)
	if marks&inJSON == 0 {
		b = append(b, name...)
	} else {
		b = appendJSON(b, name)
	}
	b = append(b, `","count":`...)
	b = append(b, count...)
	return append(b, j.ending()...)
}

// write hands one record on. A failure is said where the loggers of the other
// stages say theirs.
func (j *journal) write(record []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.w.Write(record); err != nil {
		fmt.Fprintln(os.Stderr, "visits: could not write log record:", err)
	}
}
