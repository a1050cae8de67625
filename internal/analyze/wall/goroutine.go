package wall

import "whet/internal/format/exectrace"

// goroutine is one that lives at the moment of the reading.
//
// Its time is cut into intervals. An interval ends when the state changes and,
// while it runs, whenever the trace shows where it is: where it unblocked
// another goroutine, started one, or began to assist the collector. A wait and
// a system call have a stack of their own; running has none. Two places in a
// row were both reached from what their stacks share, and that is where the
// time between them is put, unless CPU samples fell into it: then they share it
// evenly.
type goroutine struct {
	id      int64
	born    int64    // when the trace first says of it
	created bool     // within the trace
	counted *account // its kind as far as it is known, which may be by a trace before
	root    *node    // nil until a stack shows it
	start   *node    // the function of the go statement, which may be a wrapper
	base    ledger

	state   exectrace.State
	since   int64
	reason  string
	at      *node // where it waits, calls, or will run on
	sight   *node // where it was last seen while it runs
	samples []*node
	assist  bool // the collector makes it mark

	request *request // at hand, nil between requests
	parent  *request // of the goroutine that started this one
	helps   bool     // request is the parent's

	tasks []*task // that it works for, the one it named last at the end; some may have ended
}

// maxSamples bounds the samples of one interval: ten minutes of running on
// without an event.
const maxSamples = 60000

// ledger returns where the goroutine's time goes at the moment.
func (g *goroutine) ledger() *ledger {
	if g.request == nil || g.request.closed {
		return &g.base
	}
	return &g.request.ledger
}

// settle books the interval that ends at ns. While the goroutine runs, end is
// the place where it ends, nil if the trace does not say; waker is where the
// goroutine was that ended a wait.
func (a *analysis) settle(g *goroutine, ns int64, end, waker *node) {
	from := g.since
	g.since = ns
	to := g.ledger()
	var c class
	switch g.state {
	case exectrace.Runnable:
		c.state = Runnable
	case exectrace.Waiting:
		c = a.waiting(g, waker)
		if to != &g.base && g.request.helped && waitsForHelp(g.at) {
			to = &g.base
		}
	case exectrace.Syscall:
		c = called(g.at)
	}
	if g.assist {
		c = class{state: GCAssist}
	}
	for more := true; more; more = from < ns {
		task, until := g.worksFor(from, ns)
		length, counts := a.counts(g, from, until)
		switch {
		case !counts:
		case g.state == exectrace.Running:
			g.ran(to, task, length, end)
		default:
			to.add(g.at, c, task, length)
		}
		from = until
	}
	g.samples = g.samples[:0]
}

// ran books an interval of running.
func (g *goroutine) ran(to *ledger, task taskType, length int64, end *node) {
	c := class{state: Running}
	if g.assist {
		c.state = GCAssist
	}
	if k := int64(len(g.samples)); k > 0 {
		for i, at := range g.samples {
			// Rounded at the parts' borders, so that they add up to length.
			to.add(at, c, task, share(length, int64(i)+1, k)-share(length, int64(i), k))
		}
		return
	}
	var at *node
	switch {
	case g.sight == nil:
		at = end.root()
	case g.assist:
		at = g.sight // the end of an assist comes without a stack
	case end == nil:
		at = g.sight.root()
	default:
		at = common(g.sight, end)
	}
	to.add(at, c, task, length)
}

// share is length·i/k without overflow for any length of a trace.
func share(length, i, k int64) int64 { return length/k*i + length%k*i/k }

// waiting classes the wait that ends; what can be known before is kept.
func (a *analysis) waiting(g *goroutine, waker *node) class {
	inRequest := g.ledger() != &g.base
	if g.at == nil {
		return waiting(g.reason, nil, waker, inRequest)
	}
	key := wait{g.reason, g.at, inRequest}
	c, ok := a.waits[key]
	if !ok {
		c = waiting(g.reason, g.at, nil, inRequest)
		a.waits[key] = c
	}
	return c
}

type wait struct {
	reason    string
	at        *node
	inRequest bool
}
