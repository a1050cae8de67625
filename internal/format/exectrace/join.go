package exectrace

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// batchEvents is how many events are handed over at once: what fits a core's own cache.
	batchEvents = 1024
	// aheadBatches bounds how far a generation is read ahead of the one before it, and of who is handed the events: 2 MB.
	aheadBatches = 32
)

// part is a generation that is being read.
type part struct {
	gen    *generation
	texts  *texts
	ready  chan []Event // in order; closed at the end
	spare  chan []Event
	merger *merger
	first  chan error // once: whether its tables are read
	source source     // of its bytes
	apart  *partState // of one that [ReadParts] reads
	err    error      // when ready is closed: why it ended early
	harm   []error    // what of it cannot be decoded
}

// joiner makes one order of the generations' events, and one numbering of their names.
type joiner struct {
	limits  Limits
	names   *names
	states  map[int64]State // of goroutines that lived when the last generation ended
	procs   map[int32]State
	each    func(*Batch) error
	begin   int64
	last    int64
	started bool
	joined  int // generations
	parts   func() PartReader
	jump    gap // the longest
	most    int // generations that are read side by side
	summary Summary
}

func (j *joiner) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(j.summary.Warnings) < 10 && !slices.Contains(j.summary.Warnings, text) {
		j.summary.Warnings = append(j.summary.Warnings, text)
	}
}

// errStopped ends the reading of generations that nobody waits for.
var errStopped = errors.New("stopped")

// source is what a generation is read from, and how.
type source struct {
	io.ReaderAt
	tickNs float64
	stop   chan struct{} // closed when nobody waits for it any more
}

// readGenerations starts the reading of up to j.most generations and joins them one
// after the other.
func (j *joiner) readGenerations(x *index, start func(source, *generation) *part, join func(*part) error) error {
	stop := make(chan struct{})
	defer close(stop)
	var parts []*part
	var tickNs float64
	for ended := false; ; {
		for !ended && len(parts) < j.most {
			g := x.next()
			if g == nil {
				ended = true
				break
			}
			ended = g.broken != nil
			if g.tickNs > 0 {
				tickNs = g.tickNs
			} else if tickNs == 0 {
				tickNs = 64 // of the runtime on all but old processors of some kinds
				if len(g.threads) > 0 {
					j.warn("the trace is cut off before its clock rate: times assume a tick of 64 ns, which is right on most systems")
				}
			}
			parts = append(parts, start(source{x.src, tickNs, stop}, g))
		}
		if len(parts) == 0 {
			return nil
		}
		p := parts[0]
		parts = parts[1:]
		if err := join(p); err != nil {
			return err
		}
	}
}

// part prepares the reading of a generation.
func (j *joiner) part(src source, g *generation) *part {
	m := newMerger(g, src, src.tickNs)
	at := m.ns(g.minTime)
	if !j.started {
		j.started, j.begin = true, max(at, 1)
	}
	m.origin, m.last = j.begin, min(max(at-j.begin, 0), maxSpanNs)
	return &part{gen: g, merger: m, source: src}
}

// tables reads what a generation has beside its events.
func (p *part) tables() error {
	note := func(damaged error) {
		if damaged != nil {
			p.harm = append(p.harm, damaged)
		}
	}
	texts, damaged, err := readTexts(p.source, p.gen)
	p.texts = texts
	if note(damaged); err != nil {
		return err
	}
	p.merger.samples, damaged, err = readSamples(p.source, p.gen, p.merger.ns)
	note(damaged)
	return err
}

// run reads the events.
func (p *part) run(most int, out func([]Event) []Event) {
	p.err = p.merger.run(most, out)
	if damaged := p.merger.damaged; damaged != nil {
		p.harm = append(p.harm, damaged)
	}
}

// start reads a generation's events ahead.
func (j *joiner) start(src source, g *generation) *part {
	p := j.part(src, g)
	p.ready, p.spare, p.first = make(chan []Event, aheadBatches), make(chan []Event, aheadBatches), make(chan error, 1)
	made := 0
	out := func(full []Event) []Event {
		if len(full) > 0 {
			p.ready <- full // has room for all there are
		}
		if made < aheadBatches {
			select {
			case events := <-p.spare:
				return events[:0]
			default:
				made++
				return make([]Event, 0, batchEvents)
			}
		}
		select {
		case events := <-p.spare:
			return events[:0]
		case <-src.stop:
			panic(errStopped)
		}
	}
	go func() {
		defer close(p.ready)
		defer func() {
			if v := recover(); v != nil && v != any(errStopped) {
				panic(v)
			}
		}()
		err := p.tables()
		p.first <- err
		if err == nil {
			p.run(j.limits.MaxGoroutines, out)
		}
	}()
	return p
}

// next goes on to the next generation.
func (j *joiner) next(p *part) {
	g, m := p.gen, p.merger
	if after := j.after(p); j.joined > 0 && after-j.last > j.jump.ns {
		j.jump = gap{after - j.last, j.last}
	}
	j.last = j.after(p)
	j.joined++
	if g.snapped && j.summary.MonoNs == 0 {
		since := m.ns(g.snapTime) - j.begin
		j.summary.MonoNs = int64(g.snapMono) - since
		j.summary.WallNs = int64(g.snapSec)*1e9 + int64(g.snapNs) - since
	}
	j.names.nextGeneration()
}

// join hands out the events of the next generation.
func (j *joiner) join(p *part) error {
	if err := <-p.first; err != nil {
		return j.partial(err)
	}
	j.next(p)
	batch := Batch{names: j.names, texts: p.texts}
	for events := range p.ready {
		n, err := j.renumber(events, p.texts)
		batch.Events = events[:n]
		if n > 0 {
			j.summary.Events += n
			j.summary.EndNs = j.last
			if err := j.each(&batch); err != nil {
				return err
			}
		}
		if err != nil {
			return j.partial(err)
		}
		p.spare <- events
	}
	j.summary.Generations++
	for i := range p.merger.live.slots {
		if g := &p.merger.live.slots[i]; g.state != Gone && g.state != Unknown {
			j.states[g.id] = g.state
		}
	}
	return j.judge(p)
}

// judge says what a generation lacked.
func (j *joiner) judge(p *part) error {
	for _, damaged := range p.harm {
		j.warn("the trace is damaged: %v", damaged)
	}
	if p.merger.jump.ns > j.jump.ns {
		j.jump = p.merger.jump
	}
	lacks := ""
	if m := p.merger; m.losses > 0 {
		lacks = fmt.Sprintf("from %.3f s on, %d events contradict the events before them, and times around them are uncertain",
			float64(max(m.lossNs-j.begin, 0))/1e9, m.losses)
	}
	if p.err != nil {
		return j.partial(p.err)
	}
	switch broken := p.gen.broken; {
	case broken != nil:
		if lacks != "" {
			lacks = "; " + lacks
		}
		if len(p.gen.stacks) == 0 {
			lacks += "; the stacks of its last part, which come at the end, are lost"
		}
		j.warn("the trace could be read only up to byte %d, %.3f s: %v%s", p.gen.brokenAt, float64(j.last)/1e9, broken, lacks)
	case lacks != "":
		j.warn("the trace lacks events: %s", lacks)
	}
	return nil
}

func errEvents(most int) error {
	return fmt.Errorf("it has more than the limit of %d events", most)
}

// errPartial ends a reading with what there is.
var errPartial = errors.New("partial")

// partial ends the reading where a limit is reached or the input fails.
func (j *joiner) partial(err error) error {
	if j.summary.Events == 0 {
		return fmt.Errorf("read the execution trace: %w", err)
	}
	j.warn("the trace could be read only up to %.3f s: %v", float64(j.last)/1e9, err)
	return errPartial
}

// renumber gives events of one generation the reading's times and numbers. It
// returns how many it could.
func (j *joiner) renumber(events []Event, t *texts) (int, error) {
	if left := j.limits.MaxEvents - j.summary.Events; len(events) > left {
		n, err := j.renumber(events[:left], t)
		if err == nil {
			err = errEvents(j.limits.MaxEvents)
		}
		return n, err
	}
	for i := range events {
		e := &events[i]
		e.TimeNs = max(e.TimeNs, j.last+1)
		j.last = e.TimeNs
		var err error
		if e.Stack != 0 {
			e.Stack, err = j.names.stackOf(t, e.Stack)
		}
		if e.ActorStack != 0 && err == nil {
			e.ActorStack, err = j.names.stackOf(t, e.ActorStack)
		}
		if e.Name != 0 && err == nil {
			e.Name, err = j.names.stringOf(t, e.Name)
		}
		if err != nil {
			return i, err
		}
		switch {
		case e.From != Unknown:
		case e.Kind == Change:
			// The generation states first what it does; what it did is the one before's to say.
			if state, ok := j.states[e.Goroutine]; ok {
				e.From = state
				delete(j.states, e.Goroutine)
			}
		case e.Kind == ProcChange && j.summary.Generations > 0:
			if e.From = j.procs[e.Proc]; e.From == Unknown {
				e.From = Gone
			}
		}
		if e.Kind == ProcChange {
			j.procs[e.Proc] = e.To
		}
	}
	return len(events), nil
}
