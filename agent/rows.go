//go:build go1.26

package agent

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const (
	rowsName = "metrics.jsonl"
	// maxRows bounds the file: when it is full, every second row goes and rows
	// are taken half as often from then on. Half an hour of rows of 100 ms.
	maxRows = 18_000

	minRowMs, maxRowMs = 10, 60_000
	maxStream          = 24 * time.Hour
)

// rows writes rows of metrics into a file, from start to stop.
type rows struct {
	c       *continuous
	file    *os.File
	sampler *sampler
	every   time.Duration
	count   int
	most    int
	quit    chan struct{}
	done    chan struct{}
}

// startRows returns nil when the file cannot be written.
func startRows(c *continuous) *rows {
	f, err := os.OpenFile(filepath.Join(c.files.dir, rowsName), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		c.check(err)
		return nil
	}
	r := &rows{
		c: c, file: f, sampler: newSampler(), every: c.schedule.row, most: maxRows,
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	c.check(c.files.grow(rowsName, "metrics", c.agent.since()))
	c.agent.work("the metrics", r.run)
	return r
}

func (r *rows) run() {
	defer close(r.done)
	defer r.sampler.close()
	defer func() {
		r.file.Close()
		r.c.files.settle(rowsName)
	}()
	ticker := time.NewTicker(r.every)
	defer ticker.Stop()
	for {
		if err := r.write(); err != nil {
			r.c.note("the metrics end early: %v", err)
			return
		}
		if r.count >= r.most {
			if err := r.thin(); err != nil {
				r.c.note("the metrics end early: %v", err)
				return
			}
			ticker.Reset(r.every)
		}
		select {
		case <-ticker.C:
		case <-r.quit:
			// A last row, so that the counters are those of the end.
			_ = r.write()
			return
		}
	}
}

func (r *rows) write() error {
	_, err := r.file.Write(r.sampler.next(r.c.agent.since()))
	r.count++
	return err
}

// thin removes every second row and halves the rate.
func (r *rows) thin() error {
	data, err := os.ReadFile(r.file.Name())
	if err != nil {
		return err
	}
	tmp, err := r.c.files.create(rowsName)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(tmp)
	kept := 0
	for i := 0; len(data) > 0; i++ {
		line := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			line = data[:end+1]
		}
		data = data[len(line):]
		if i%2 == 0 {
			w.Write(line)
			kept++
		}
	}
	if err = w.Flush(); err == nil {
		// On Windows an open file cannot be replaced.
		r.file.Close()
		name := filepath.Join(r.c.files.dir, rowsName)
		tmp.Close()
		if err = os.Rename(tmp.Name(), name); err == nil {
			r.file, err = os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0o600)
		}
	}
	if err != nil {
		r.c.files.discard(tmp)
		return fmt.Errorf("thin %s: %w", rowsName, err)
	}
	r.count, r.every = kept, 2*r.every
	return nil
}

func (r *rows) stop() {
	if r != nil {
		close(r.quit)
		<-r.done
	}
}

// serveMetrics streams rows. Nothing is kept for a slow reader: rows are taken
// when the one before is written, and a reader that has stopped is left.
func (a *Agent) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	d, err := seconds(query, "seconds", 30*time.Second, maxStream)
	if err != nil {
		return err
	}
	every := rowEvery
	if text := query.Get("every_ms"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < minRowMs || ms > maxRowMs {
			return refuse(http.StatusBadRequest, "every_ms=%.20q is not a number from %d to %d", text, minRowMs, maxRowMs)
		}
		every = time.Duration(ms) * time.Millisecond
	}
	s := newSampler()
	defer s.close()
	w.Header().Set("Content-Type", "application/x-ndjson")
	end := time.NewTimer(d)
	defer end.Stop()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	control := http.NewResponseController(w)
	for {
		allow(w, 0)
		if _, err := w.Write(s.next(a.since())); err != nil {
			return nil // the client has gone
		}
		if err := control.Flush(); err != nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-end.C:
			return nil
		case <-r.Context().Done():
			return nil
		case <-a.stopping:
			return nil
		}
	}
}
