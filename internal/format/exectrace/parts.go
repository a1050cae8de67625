package exectrace

import (
	"runtime"
	"sort"
)

// PartReader takes in one generation of a trace.
type PartReader interface {
	// Take is handed the generation's changes of goroutines and CPU samples, in batches
	// in order. Those of other generations are handed over at the same time, each to
	// their own reader. An error ends the reading; what was taken is joined before.
	//
	// Who follows goroutines needs no table of them: Value of a Change is a small
	// number that the goroutine has while it lives in this generation. As long as
	// [PartBatch.Early] is true times are not final, see [Part.TimeNs]. Names are the
	// generation's own.
	Take(b *PartBatch) error
	// Join is called after the generation is read and the one before was joined.
	Join(p *Part)
}

// PartBatch is events of one generation.
type PartBatch struct {
	Events []Event
	Early  bool
	part   *part
}

// String returns the text of a generation's number, "" of 0.
func (b *PartBatch) String(id StringID) string {
	if a := b.part.apart; a.names != nil {
		return a.names.strings[id]
	}
	if id == 0 {
		return "" // whatever a damaged table has under that number
	}
	return string(b.part.texts.string(uint64(id)))
}

// StackIndex numbers a generation's stacks from 1 on; 0 is none, or one that the trace lacks.
func (b *PartBatch) StackIndex(id StackID) int {
	if b.part.apart.names != nil {
		return int(id)
	}
	return b.part.texts.stackAt.position(uint64(id))
}

// Part is a generation that is read.
type Part struct {
	part   *part
	joiner *joiner
	after  int64 // times are later
	limit  error // that was reached
}

// TimeNs returns the final time of an event, from the one that Take saw: clocks of
// processors may disagree where one generation goes over to the next.
func (p *Part) TimeNs(ns int64) int64 {
	return max(ns, p.after+1+int64(p.part.apart.before(ns)))
}

// StackID returns the number within the reading of the stack at an index of the part.
func (p *Part) StackID(index int) StackID {
	if p.part.apart.names != nil || index == 0 {
		return StackID(index)
	}
	id, err := p.joiner.names.stackOf(p.part.texts, p.part.texts.stackAt.number(index))
	if err != nil {
		p.limit = err
	}
	return id
}

// Stack returns the stack of a number within the reading, nil of 0.
func (p *Part) Stack(id StackID) *Stack { return p.joiner.names.stacks[id] }

// partState is the state of a generation that has its own reader.
type partState struct {
	reader   PartReader
	names    *names  // those of the reading, where the part has no other
	firsts   []int64 // times of its first events
	unwanted Event   // takes what is of other kinds
	most     int     // events
	done     chan struct{}
	failed   error // by its tables, which are read first
	ended    error // by the reader
}

// manyGoroutines is how many live goroutines make a generation so large that only one is
// read at a time.
const manyGoroutines = 1 << 18

// maxFirsts bounds how many events may lie before the last one of the generation
// before; where more do, the generation is read again.
const maxFirsts = 4096

// before returns how many of the first events are before a time.
func (a *partState) before(ns int64) int {
	return sort.Search(len(a.firsts), func(i int) bool { return a.firsts[i] >= ns })
}

// ReadParts is [Read] for results that can be summed over a trace's generations: each
// has a reader of its own, and as many are read at the same time as there are
// processors. No event is passed from one thread to another, which is most of the work
// otherwise. With ordered, one generation is read after the other, and all times are
// final at once.
func ReadParts(src Source, limits Limits, ordered bool, begin func() PartReader) (Summary, error) {
	return reading(src, limits, func(j *joiner, from input) error {
		if from.old != nil {
			return j.readOldPart(from.old, begin())
		}
		j.parts = begin
		if j.most = 1; ordered {
			return j.readGenerations(from.index, j.startAlone, j.joinApart)
		}
		workers := make(chan struct{}, runtime.GOMAXPROCS(0))
		j.most = 2 * cap(workers)
		return j.readGenerations(from.index, func(src source, g *generation) *part {
			p := j.part(src, g)
			p.apart = &partState{reader: begin(), firsts: make([]int64, maxFirsts), most: limits.MaxEvents}
			return j.startApart(p, workers)
		}, j.joinApart)
	})
}

// startAlone reads a generation after the one before was joined.
func (j *joiner) startAlone(src source, g *generation) *part {
	p := j.part(src, g)
	p.merger.last = j.after(p)
	p.apart = &partState{reader: j.parts(), most: j.limits.MaxEvents - j.summary.Events}
	return j.startApart(p, make(chan struct{}, 1))
}

// startApart reads a generation when a worker is free.
func (j *joiner) startApart(p *part, workers chan struct{}) *part {
	a := p.apart
	a.done = make(chan struct{})
	p.merger.apart = a
	go func() {
		defer close(a.done)
		workers <- struct{}{}
		defer func() { <-workers }()
		defer func() {
			if v := recover(); v != nil && v != any(errStopped) {
				panic(v)
			}
		}()
		if a.failed = p.tables(); a.failed == nil {
			p.run(j.limits.MaxGoroutines, p.taker())
		}
	}()
	return p
}

// taker hands events to a part's reader. One batch serves all, in the core's own cache.
func (p *part) taker() func([]Event) []Event {
	a, buffer := p.apart, make([]Event, 0, batchEvents/4)
	batch := PartBatch{part: p, Early: len(a.firsts) > 0}
	return func(full []Event) []Event {
		select {
		case <-p.source.stop:
			panic(errStopped)
		default:
		}
		if batch.Events = full; len(full) > 0 {
			if a.ended = a.reader.Take(&batch); a.ended != nil {
				panic(errStopped)
			}
		}
		batch.Early = p.merger.count < len(a.firsts)
		return buffer
	}
}

// after returns the time that a generation's events are later than.
func (j *joiner) after(p *part) int64 {
	if j.joined == 0 {
		return 0
	}
	return max(min(p.merger.ns(p.gen.minTime)-j.begin, maxSpanNs), j.last+1)
}

// joinApart puts a generation that has a reader after those before.
func (j *joiner) joinApart(p *part) error {
	<-p.apart.done
	n, after := len(p.apart.firsts), j.after(p)
	if n > 0 && p.merger.count >= n && p.apart.firsts[n-1] < after+int64(n) || p.merger.count > j.limits.MaxEvents-j.summary.Events {
		// It is read again, now that it is known what is before.
		p = j.startAlone(p.source, p.gen)
		<-p.apart.done
	}
	a, m := p.apart, p.merger
	if a.failed != nil {
		return j.partial(a.failed)
	}
	a.firsts = a.firsts[:min(len(a.firsts), m.count)]
	j.next(p)
	part := &Part{part: p, joiner: j, after: after}
	if m.count > 0 {
		j.last = part.TimeNs(m.last)
		j.summary.Events, j.summary.EndNs = j.summary.Events+m.count, j.last
	}
	a.reader.Join(part)
	switch {
	case part.limit != nil:
		return j.partial(part.limit)
	case a.ended != nil:
		return a.ended
	}
	if m.live.count > manyGoroutines {
		j.most = 1
	}
	j.summary.Generations++
	return j.judge(p)
}
