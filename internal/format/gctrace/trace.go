package gctrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Trace is the content of a stream: cycles and initializations by process.
type Trace struct {
	Counts    Counts
	Processes []*Process // by their first lines
	// Dropped are cycles of processes beyond the first MostProcesses.
	Dropped int64

	open []*Process // that may go on, the last to print first
}

// Process is the log of one process. Lines do not name their process: a line belongs
// to the process whose last cycle it follows best (see doubt).
type Process struct {
	Number    int   // from 1, in the order of first lines
	FirstLine int64 // of the stream
	Inits     []Init
	Cycles    Log
	// Missing are cycles without a line between the first and the last.
	Missing int64

	growth float64 // of the last cycle: its goal over what was alive before it; 0: unknown
}

const (
	// MostProcesses bounds the number of processes that are distinguished, and mostOpen
	// the number of those that may still print.
	MostProcesses = 1000
	mostOpen      = 64
	// mostInits bounds the initializations of a process.
	mostInits = 10_000
)

// Read reads a stream to its end. Data before an error is returned with it.
func Read(in io.Reader) (*Trace, error) {
	t := new(Trace)
	r := NewReader(in)
	for {
		line, err := r.Next()
		t.Counts = r.Counts
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		t.Add(line)
	}
}

// Add takes a line, and returns the process it is of; nil: it was dropped.
func (t *Trace) Add(line Line) *Process {
	var p *Process
	switch {
	case line.Init != nil:
		p = t.initOf(line)
		if p != nil && len(p.Inits) < mostInits {
			p.Inits = append(p.Inits, *line.Init)
		}
	case line.Cycle != nil:
		if p = t.cycleOf(line); p == nil {
			t.Dropped++
			return nil
		}
		if last := p.Cycles.Last(); p.Cycles.Len() > 0 {
			p.Missing += min(line.Cycle.N-last.N-1, 1<<30)
			if line.Cycle.GoalBytes != NoGoal {
				p.growth = ratio(line.Cycle.GoalBytes, last.LiveBytes)
			}
		}
		p.Cycles.Add(line.Cycle)
	}
	return p
}

// cycleOf returns the process of a cycle.
func (t *Trace) cycleOf(line Line) *Process {
	best, least := -1, math.Inf(1)
	for i, p := range t.open {
		if doubt := p.doubt(line.Cycle); doubt < least {
			best, least = i, doubt
		}
	}
	if best < 0 {
		return t.begin(line.Number)
	}
	return t.touch(best)
}

// doubt returns how little a cycle looks like the next one of a process: by the cycles that
// would be missing, by the number of processors, by a heap that would be smaller than
// what was alive in it, and by a goal that is not as far above that as the goal before.
// It is infinite where the cycle cannot be the next one.
func (p *Process) doubt(c *Cycle) float64 {
	last := p.Cycles.Last()
	if p.Cycles.Len() == 0 {
		return float64(c.N - 1)
	}
	if c.N <= last.N || c.At-last.At < last.Wall()-slack {
		return math.Inf(1)
	}
	doubt := float64(c.N - last.N - 1)
	if c.Procs != last.Procs {
		doubt += 2
	}
	if c.StartBytes < last.LiveBytes {
		doubt += 2
	}
	if p.growth > 0 && c.GoalBytes != NoGoal {
		doubt += math.Abs(math.Log2(ratio(c.GoalBytes, last.LiveBytes) / p.growth))
	}
	return doubt
}

// ratio is one size by another, each as much as it can be: it is rounded down to MiB.
func ratio(a, b int64) float64 { return (float64(a) + 1<<20) / (float64(b) + 1<<20) }

// slack is by how much cycles of one process may seem to overlap: a moment is rounded
// to 1 ms, and durations down to two digits.
const slack = 2e6

// initOf returns the process of an initialization: packages are initialized once, and
// mostly before the first cycle.
func (t *Trace) initOf(line Line) *Process {
	for i, p := range t.open {
		n := len(p.Inits)
		if n == 0 && p.Cycles.Len() > 0 || n > 0 && line.Init.At < p.Inits[n-1].At {
			continue
		}
		if n < mostInits && slices.ContainsFunc(p.Inits, func(j Init) bool { return j.Package == line.Init.Package }) {
			continue
		}
		return t.touch(i)
	}
	return t.begin(line.Number)
}

// begin adds a process.
func (t *Trace) begin(line int64) *Process {
	if len(t.Processes) == MostProcesses {
		return nil
	}
	p := &Process{Number: len(t.Processes) + 1, FirstLine: line}
	t.Processes = append(t.Processes, p)
	if len(t.open) == mostOpen {
		t.open = t.open[:mostOpen-1]
	}
	t.open = slices.Insert(t.open, 0, p)
	return p
}

// touch brings a process to the front.
func (t *Trace) touch(i int) *Process {
	p := t.open[i]
	copy(t.open[1:i+1], t.open[:i])
	t.open[0] = p
	return p
}

// Cycles returns the number of cycles, of all processes.
func (t *Trace) Cycles() int64 {
	n := int64(0)
	for _, p := range t.Processes {
		n += int64(p.Cycles.Len())
	}
	return n
}

// Warnings lists missing data.
func (t *Trace) Warnings() []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, "gctrace: "+fmt.Sprintf(format, args...)) }
	n := &t.Counts
	if n.Cut > 0 {
		warn("cycles with damaged or cut-off lines are missing: %d, the first at line %d", n.Cut, n.firstCut)
	}
	missing := int64(0)
	for _, p := range t.Processes {
		missing += p.Missing
	}
	if missing > 0 {
		warn("cycles with lines broken up by other output are missing: %d", missing)
	}
	if n.Ancient > 0 {
		warn("lines of Go 1.4 or older were left out, since they have no times: %d, the first at line %d", n.Ancient, n.firstAncient)
	}
	if len(t.Processes) > 1 {
		warn("%d processes print to the stream: the program was restarted, or its children print too; the second process starts at line %d", len(t.Processes), t.Processes[1].FirstLine)
	}
	if t.Dropped > 0 {
		warn("cycles of processes after the first %[2]d were left out: %[1]d", t.Dropped, MostProcesses)
	}
	return out
}

// Parse returns the cycles in a program's standard error, in the order of their lines,
// the initializations of its first process, and warnings about missing ones.
func Parse(data []byte) (cycles []Cycle, inits []Init, warnings []string) {
	var t Trace
	r := NewReader(bytes.NewReader(data))
	for {
		line, err := r.Next() // bytes have no error but their end
		if err != nil {
			break
		}
		if t.Add(line) != nil && line.Cycle != nil {
			cycles = append(cycles, *line.Cycle)
		}
	}
	t.Counts = r.Counts
	if len(t.Processes) > 0 {
		inits = t.Processes[0].Inits
	}
	return cycles, inits, t.Warnings()
}
