package gc

import (
	"fmt"

	"whet/internal/analyze/events"
	"whet/internal/format/gctrace"
	"whet/internal/quantity"
	"whet/internal/symbolname"
)

// Conclusion is one thing that a log shows.
type Conclusion struct {
	Kind     string
	Text     string   // one sentence
	Evidence []string // the figures that it rests on
	Remedy   string
	// FromNs and ToNs are the part of the log that it is about.
	FromNs, ToNs int64
}

// Kinds of conclusions.
const (
	ManyCycles = "many-cycles"  // of a heap that could well be larger
	Assists    = "assist-bound" // goroutines that allocate are made to mark
	AtLimit    = "limit-thrash" // collected again and again for nearly nothing
	Growing    = "growing-heap" // the live heap grows to the end
	GrownHeap  = "grown-heap"   // of two heap profiles the later has more, of a line that is named
	Forced     = "forced-cycles"
	LongPauses = "long-pauses"
	StartUp    = "startup"
)

// Fewest is the number of cycles required for a conclusion, except about pauses,
// forced cycles and start-up.
const Fewest = 10

// Thresholds. A share is of the processors' time. A cycle costs much the same whatever
// the goal, so that cycles are many where their cost is worth a change and a few bytes
// more save most of it.
const (
	shortest   = 200e6    // ns of the span, for a rate: the first cycles of a program come fast
	worth      = 0.05     // of the processors' time, as of whet's findings
	manyPerS   = 10       // cycles
	smallGoal  = 64 << 20 // bytes
	growPoints = 2048     // of the live heap, for its trend
	longPause  = 10e6     // ns of a stop of the world
	forcedPart = 0.1      // of the cycles
	initNs     = 1e6      // of an initialization that is named
	initBytes  = 1 << 20  // the same
	initLong   = 100e6    // ns of those that are named, from which they count in a run of any length
	fourTimes  = 4        // the room above what is alive that is spoken of
	tightRatio = 0.10     // a goal no further above what was alive is tight,
	tightLeast = 4 << 20  // unless it is the smallest there is
	tightRow   = 5        // tight cycles one after the other
	tightMarks = 0.4      // of the time of these they mark
)

// watch looks at cycles as they pass.
type watch struct {
	in     Input
	before gctrace.Cycle
	cycles int

	rooms      sizes // what goals left above what was alive
	row, worst tightCycles
	widest     float64 // the most room above what was alive that a goal left, relative to it

	forcedNs, forcedPause, forcedAt int64 // of the longest forced cycle

	every int // cycles of the trend: each so many
	at    []int64
	alive []float64
}

// tightCycles is a series of cycles whose goal left hardly any room.
type tightCycles struct {
	cycles       int
	fromNs, toNs int64
	markNs       int64
	cpu          CPU
	processorNs  float64
	alive, goal  int64 // before the last one, and its goal
	freed        int64 // by all of them
	aboveLimit   int   // of them that ended above the limit
}

func (t *tightCycles) marks() float64 { return per(float64(t.markNs), float64(t.toNs-t.fromNs)) }

func newWatch(in Input) *watch {
	return &watch{in: in, rooms: make(sizes), every: in.Process.Cycles.Len()/growPoints + 1}
}

func (w *watch) see(c *gctrace.Cycle) {
	start, end := int64(c.At), int64(c.At+c.Wall())
	if w.cycles%w.every == 0 {
		w.at, w.alive = append(w.at, start), append(w.alive, float64(c.LiveBytes))
	}
	if c.Forced {
		if wall := int64(c.Wall()); wall >= w.forcedNs {
			w.forcedNs, w.forcedPause, w.forcedAt = wall, int64(c.Pause()), start
		}
	} else if w.cycles > 0 {
		w.room(c, start, end)
	}
	w.before = *c
	w.cycles++
}

// room looks how much a goal left above what was alive.
func (w *watch) room(c *gctrace.Cycle, start, end int64) {
	alive := w.before.LiveBytes
	if c.GoalBytes != gctrace.NoGoal {
		w.rooms.add(max(c.GoalBytes-alive, 0))
	}
	if c.GoalBytes == gctrace.NoGoal || alive < tightLeast {
		w.row = tightCycles{}
		return
	}
	room := float64(c.GoalBytes-alive) / float64(alive)
	if room >= tightRatio {
		w.widest, w.row = max(w.widest, room), tightCycles{}
		return
	}
	t := &w.row
	if t.cycles == 0 {
		t.fromNs = start
	}
	t.cycles++
	t.processorNs += float64(c.Procs) * float64(max(end-max(t.toNs, t.fromNs), 0))
	t.toNs = max(end, t.toNs)
	t.markNs = plus(t.markNs, int64(c.Mark))
	t.cpu = t.cpu.add(c)
	t.alive, t.goal = alive, c.GoalBytes
	t.freed = plus(t.freed, max(c.EndBytes-c.LiveBytes, 0))
	if w.in.LimitBytes > 0 && c.EndBytes > w.in.LimitBytes {
		t.aboveLimit++
	}
	if t.cycles > w.worst.cycles {
		w.worst = *t
	}
}

// conclude says what the log shows, the costliest first.
func (w *watch) conclude(r *Result) []Conclusion {
	var out []Conclusion
	for _, one := range []*Conclusion{w.atLimit(), w.growing(r), assists(r), w.manyCycles(r), w.forced(r), longPauses(r), startUp(r)} {
		if one != nil {
			out = append(out, *one)
		}
	}
	return out
}

// isTight reports whether the goal left no room for long enough.
func (w *watch) isTight() bool { return w.worst.cycles >= tightRow && w.worst.marks() >= tightMarks }

func (w *watch) atLimit() *Conclusion {
	t := &w.worst
	if !w.isTight() {
		return nil
	}
	limit, remedy := "the goal", "Raise GOGC, or GOMEMLIMIT if that limits the heap goal; or keep less memory live."
	switch {
	case w.in.LimitBytes > 0:
		limit = "GOMEMLIMIT=" + quantity.Bytes(float64(w.in.LimitBytes))
		remedy = fmt.Sprintf("Raise GOMEMLIMIT to well above the %s of live memory, or keep less memory live: no limit makes the heap smaller than its live memory.", size(t.alive))
	case w.widest >= 2*tightRatio: // GOGC leaves the same room to every heap
		limit = "GOMEMLIMIT"
		remedy = fmt.Sprintf("Raise GOMEMLIMIT to well above the %s of live memory, or keep less memory live: no limit makes the heap smaller than its live memory.", size(t.alive))
	}
	c := &Conclusion{
		Kind: AtLimit, FromNs: t.fromNs, ToNs: t.toNs, Remedy: remedy,
		Text: fmt.Sprintf("For %s the collector runs almost all the time and frees almost nothing: %s leaves no room above the live heap.",
			span(t.toNs-t.fromNs), limit),
		Evidence: []string{
			fmt.Sprintf("%s in a row with a goal less than %s above the live heap, finally %s for %s", quantity.Plural(t.cycles, "cycle"), quantity.Percent(tightRatio), size(t.goal), size(t.alive)),
			fmt.Sprintf("they mark for %s of that time and take %s of the processors' time, idle processors' help apart", quantity.Percent(t.marks()), quantity.Percent(per(float64(t.cpu.Taken()), t.processorNs))),
			fmt.Sprintf("they free %s in all", size(t.freed)),
		},
	}
	if t.aboveLimit > 0 {
		c.Evidence = append(c.Evidence, fmt.Sprintf("%s of them end with a heap above the limit", quantity.Count(float64(t.aboveLimit))))
	}
	if w.widest >= 2*tightRatio {
		c.Evidence = append(c.Evidence, fmt.Sprintf("earlier goals left up to %s above the live heap", quantity.Percent(w.widest)))
	}
	return c
}

func (w *watch) growing(r *Result) *Conclusion {
	e, ok := events.Growing(w.at, w.alive)
	if !ok {
		return nil
	}
	c := growing(e, fmt.Sprintf("%s after the first cycle, %s after the last of %s", size(int64(w.alive[0])), size(r.AliveNow), quantity.Count(float64(r.Cycles))))
	return &c
}

func growing(e events.Event, evidence string) Conclusion {
	return Conclusion{
		Kind: Growing, FromNs: e.StartNs, ToNs: e.EndNs,
		Text:     "The live heap grows until the end: " + e.Text + ".",
		Evidence: []string{evidence},
		Remedy:   "Compare two heap profiles of a longer run: whet gc URL takes them, and names the growing memory and its allocating functions.",
	}
}

func assists(r *Result) *Conclusion {
	marked := plus(r.CPU.Assist, r.CPU.Background)
	if r.Cycles < Fewest || !(r.Share(r.CPU.Assist) >= worth) {
		return nil
	}
	c := &Conclusion{
		Kind: Assists, FromNs: r.FromNs, ToNs: r.ToNs,
		Text: fmt.Sprintf("Allocating goroutines must assist the collector for %s of the processors' time: they allocate faster than its workers mark.", quantity.Percent(r.Share(r.CPU.Assist))),
		Evidence: []string{
			fmt.Sprintf("assists %s, workers %s: %s of all marking", span(r.CPU.Assist), span(r.CPU.Background), quantity.Percent(per(float64(r.CPU.Assist), float64(marked)))),
			fmt.Sprintf("about %s allocated per second", quantity.Bytes(r.AllocatedPerS())),
		},
		Remedy: "Allocate less where most is allocated (whet top -sample_index=alloc_space), or give the heap more room: a higher GOGC means fewer cycles, and more time to mark in each.",
	}
	if r.OverGoal > 0 {
		c.Evidence = append(c.Evidence, fmt.Sprintf("%s of %s end with a heap above the goal", quantity.Count(float64(r.OverGoal)), quantity.Plural(r.Cycles, "cycle")))
	}
	return c
}

func (w *watch) manyCycles(r *Result) *Conclusion {
	taken := r.Share(r.CPU.Taken())
	if r.Cycles < Fewest || float64(r.SpanNs()) < shortest || !(r.RatePerS() >= manyPerS) || !(taken >= worth) ||
		r.Goal.Median == 0 || r.Goal.Median > smallGoal || 2*r.Forced > r.Cycles || w.isTight() {
		return nil
	}
	room := max(w.rooms.ranges().Median, 1<<20)
	return &Conclusion{
		Kind: ManyCycles, FromNs: r.FromNs, ToNs: r.ToNs,
		Text: fmt.Sprintf("%s cycles a second for a heap of %s: the collector takes %s of the processors' time to keep a heap small that could be larger.",
			quantity.Count(r.RatePerS()), size(r.Goal.Median), quantity.Percent(taken)),
		Evidence: []string{
			fmt.Sprintf("%s in %s", quantity.Plural(r.Cycles, "cycle"), span(r.SpanNs())),
			fmt.Sprintf("the goal leaves %s above the live heap (median)", size(room)),
			fmt.Sprintf("about %s allocated per second", quantity.Bytes(r.AllocatedPerS())),
		},
		Remedy: fmt.Sprintf("%d times the room above the live heap takes %s more memory and cuts the cycles to about a quarter: %s. whet gc -sweep measures the gain and the cost of each setting.",
			fourTimes, size((fourTimes-1)*room), w.setting()),
	}
}

// setting returns what makes four times the room.
func (w *watch) setting() string {
	if w.in.Percent > 0 {
		return fmt.Sprintf("GOGC=%d instead of %d", fourTimes*w.in.Percent, w.in.Percent)
	}
	return "a GOGC four times as high (400 instead of 100)"
}

func (w *watch) forced(r *Result) *Conclusion {
	if r.Forced == 0 || float64(r.Forced) < forcedPart*float64(r.Cycles) {
		return nil
	}
	c := &Conclusion{
		Kind: Forced, FromNs: w.forcedAt, ToNs: w.forcedAt + w.forcedNs,
		Text:     fmt.Sprintf("The program itself forces %s of %s: runtime.GC and debug.FreeOSMemory block their caller until the cycle ends.", quantity.Count(float64(r.Forced)), quantity.Plural(r.Cycles, "cycle")),
		Evidence: []string{fmt.Sprintf("the longest takes %s, at %s, and stops the world for %s of that", span(w.forcedNs), span(w.forcedAt), span(w.forcedPause))},
		Remedy:   "Leave collection to the runtime; GOMEMLIMIT bounds memory without forced collections.",
	}
	if w.in.Recorded {
		c.Text = fmt.Sprintf("The program, or whet and package testing around each measurement, force %s of %s.", quantity.Count(float64(r.Forced)), quantity.Plural(r.Cycles, "cycle"))
		c.Remedy = "If the program forces them (runtime.GC, debug.FreeOSMemory), leave collection to the runtime; GOMEMLIMIT bounds memory without forced collections."
	}
	return c
}

func longPauses(r *Result) *Conclusion {
	if r.LongestNs < longPause {
		return nil
	}
	return &Conclusion{
		Kind: LongPauses, FromNs: r.LongestAt, ToNs: r.LongestAt + r.LongestNs,
		Text:     fmt.Sprintf("The world is stopped for %s at %s.", span(r.LongestNs), span(r.LongestAt)),
		Evidence: []string{fmt.Sprintf("of %s the median is %s, the 99th percentile %s", quantity.Plural(int(r.Pauses.Count()), "stop"), span(r.Pauses.Quantile(0.5)), span(r.Pauses.Quantile(0.99)))},
		Remedy:   "A stop that long waits for a goroutine that cannot be preempted, or for a processor; throttling by a cgroup CPU quota looks the same. whet trace shows which goroutines ran meanwhile.",
	}
}

func startUp(r *Result) *Conclusion {
	var named []string
	var ns, bytes int64
	for _, i := range Costly(r.Inits) {
		if symbolname.Standard(i.Package) {
			continue // nobody changes it
		}
		ns, bytes = plus(ns, int64(i.Wall)), plus(bytes, i.Bytes)
		if len(named) < 3 {
			named = append(named, fmt.Sprintf("%s %s and %s", i.Package, span(int64(i.Wall)), quantity.Bytes(float64(i.Bytes))))
		}
	}
	little := float64(ns) < worth*float64(r.SpanNs()) && ns < initLong && float64(bytes) < worth*float64(r.Alive.Median)
	if len(named) == 0 || r.Cycles > 0 && little {
		return nil
	}
	return &Conclusion{
		Kind:     StartUp,
		Text:     fmt.Sprintf("Before main begins, packages initialize for %s and allocate %s.", span(r.InitNs), quantity.Bytes(float64(r.InitBytes))),
		Evidence: named,
		Remedy:   "Do that work when it is first needed: with sync.OnceValue, or by compiling a regular expression in the function that uses it.",
	}
}

func size(bytes int64) string { return quantity.Bytes(float64(bytes)) }

func span(ns int64) string { return quantity.Nanoseconds(float64(ns)) }
