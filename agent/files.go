//go:build go1.26

package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// report is agent.json: what the agent has written.
type report struct {
	Schema     string    `json:"schema"`
	PID        int       `json:"pid"`
	GoVersion  string    `json:"go_version"`
	GOMAXPROCS int       `json:"gomaxprocs"`
	Origin     time.Time `json:"origin"` // wall time of 0 ns
	EndNs      int64     `json:"end_ns"`
	Ended      string    `json:"ended"` // "running", "stop", "exit"
	Rates      rates     `json:"rates"`
	Files      []file    `json:"files"`
	Warnings   []string  `json:"warnings"`
}

// file is a file of the directory. Times are since the agent's origin.
type file struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Part    string `json:"part,omitempty"` // partBefore: of an earlier moment than the file without
	StartNs int64  `json:"start_ns"`
	EndNs   int64  `json:"end_ns"`
	bytes   int64
	growing bool // it is still written to
}

// files is the directory the agent writes into. A file takes its name when it
// is whole, and agent.json is written anew for each.
type files struct {
	dir   string
	notes *notes
	now   func() int64
	rates func() rates
	steps *atomic.Int64 // the agent's count of files

	mu   sync.Mutex
	head report
}

const reportName = "agent.json"

// Bounds on one kind of file: the oldest go when there are more or larger ones.
const (
	maxFiles     = 360 // an hour of segments of ten seconds
	maxKindBytes = 256 << 20
)

func newFiles(dir string, a *Agent) *files {
	return &files{
		dir: dir, notes: a.notes, now: a.since, rates: a.dials.now, steps: &a.steps,
		head: report{
			Schema: agentSchema, PID: os.Getpid(), GoVersion: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0),
			Origin: a.origin, Ended: "running",
		},
	}
}

// write makes a file in one go.
func (d *files) write(name, kind string, start int64, content func(io.Writer) error) error {
	return d.writePart(name, kind, "", start, content)
}

func (d *files) writePart(name, kind, part string, start int64, content func(io.Writer) error) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	err = content(f)
	end := d.now()
	if err != nil {
		d.discard(f)
		return fmt.Errorf("write %s: %w", name, err)
	}
	return d.keep(f, file{Name: name, Kind: kind, Part: part, StartNs: start, EndNs: end})
}

// create opens the temporary file of name.
func (d *files) create(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(d.dir, name+".new"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}

func (d *files) discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// keep closes a file from create, gives it its name and enters it.
func (d *files) keep(f *os.File, one file) error {
	st, err := f.Stat()
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(d.dir, one.Name))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", one.Name, err)
	}
	one.bytes = st.Size()
	d.steps.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.enter(one)
	return d.save()
}

// grow enters a file that is written to as long as the agent runs.
func (d *files) grow(name, kind string, start int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.enter(file{Name: name, Kind: kind, StartNs: start, growing: true})
	return d.save()
}

// settle notes that a file that grew is whole.
func (d *files) settle(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.head.Files, func(f file) bool { return f.Name == name })
	if i < 0 {
		return
	}
	f := &d.head.Files[i]
	f.growing, f.EndNs = false, d.now()
	if st, err := os.Stat(filepath.Join(d.dir, name)); err == nil {
		f.bytes = st.Size()
	}
}

// enter puts a file into the list, in the place of an earlier one of its name,
// and drops the oldest of its kind when there are too many.
func (d *files) enter(one file) {
	list := d.head.Files
	if i := slices.IndexFunc(list, func(f file) bool { return f.Name == one.Name }); i >= 0 {
		list[i] = one
		return
	}
	list = append(list, one)
	count, size := 0, int64(0)
	for _, f := range list {
		if f.Kind == one.Kind {
			count, size = count+1, size+f.bytes
		}
	}
	for i := 0; i < len(list) && (count > maxFiles || size > maxKindBytes && count > 1); {
		f := list[i]
		if f.Kind != one.Kind {
			i++
			continue
		}
		os.Remove(filepath.Join(d.dir, f.Name))
		list = slices.Delete(list, i, i+1)
		count, size = count-1, size-f.bytes
		d.notes.add("files of kind %s were dropped to stay within %d files and %d bytes: the oldest are missing", one.Kind, maxFiles, int64(maxKindBytes))
	}
	d.head.Files = list
}

// end notes how and when the program has ended, once all is written.
func (d *files) end(how string, at int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.head.Ended, d.head.EndNs = how, at
	return d.save()
}

// report returns agent.json as of now.
func (d *files) report() report {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current()
}

func (d *files) current() report {
	r := d.head
	now := d.now()
	if r.Ended == "running" {
		r.EndNs = now
	}
	r.Rates, r.Warnings = d.rates(), d.notes.all()
	r.Files = append([]file{}, r.Files...)
	for i := range r.Files {
		if r.Files[i].growing {
			r.Files[i].EndNs = now
		}
	}
	return r
}

func (d *files) save() error {
	data, err := json.Marshal(d.current())
	if err != nil {
		return err
	}
	path := filepath.Join(d.dir, reportName)
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", reportName, err)
	}
	return os.Rename(path+".new", path)
}
