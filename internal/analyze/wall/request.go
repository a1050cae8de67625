package wall

import "whet/internal/format/exectrace"

// request is one that a goroutine serves, or part of it.
//
// A goroutine of net/http serves one connection, request after request. A
// request begins when the wait for its bytes ends, so that the time until a
// processor takes the goroutine up is the request's, and ends when the server
// goes on to read the next one. Where no wait was needed because the bytes were
// there, the read that got them is the border. Requests whose bytes came with
// an earlier one's in one read (pipelining) are not told apart. An HTTP/2
// request has a goroutine of its own.
type request struct {
	ledger    ledger
	whole     bool // its beginning lies in the trace
	served    bool // a stack showed the server at work on it; before, it may be the wait going on
	handler   string
	handlerAt int  // the depth at which it was found
	helped    bool // an http.TimeoutHandler runs the handler on another goroutine
	closed    bool
	from      int64 // when it began
}

// see takes in that the goroutine is at n now, and what that says of its root
// function and its request. The interval before is settled.
func (a *analysis) see(g *goroutine, n *node) {
	a.learn(g, n)
	if g.root == nil {
		return
	}
	if g.root.entry == connEntry {
		switch {
		case n.reading:
			a.awaitRequest(g)
		case n.responding:
			if g.request == nil {
				g.request = &request{from: g.since}
			}
			g.request.served = true
		}
	}
	g.name(n)
	if len(g.base.items) >= mergeItems/4 {
		a.flush(g)
	}
}

// awaitRequest takes in that the server reads the next request.
func (a *analysis) awaitRequest(g *goroutine) {
	if g.request != nil && g.request.served {
		a.finish(g, true)
	}
	switch {
	case g.state == exectrace.Waiting:
		// What was taken for the beginning was not: the bytes are not there.
		if g.request != nil {
			g.withdraw()
		}
	case g.request == nil:
		g.request = &request{whole: true, from: g.since}
	}
}

// withdraw makes the time of what turned out to be no request the goroutine's.
func (g *goroutine) withdraw() {
	g.request.closed = true
	g.base.move(&g.request.ledger)
	g.request = nil
}

// wake takes in that a wait ends.
func (g *goroutine) wake() {
	if g.request == nil && g.at != nil && g.at.reading {
		g.request = &request{whole: true, from: g.since}
	}
}

// name gives the request at hand the innermost handler that was seen: what is
// nearer to the root is a middleware.
func (g *goroutine) name(n *node) {
	if g.request == nil || n.handler == "" {
		return
	}
	depth := n.handlerAt
	if g.helps {
		depth += maxDepth // below all of the goroutine that waits
	}
	if depth > g.request.handlerAt {
		g.request.handler, g.request.handlerAt = n.handler, depth
	}
}

const maxDepth = 1 << 10

// learn takes the goroutine's root function from the first stack that has it.
func (a *analysis) learn(g *goroutine, n *node) {
	if g.root != nil || n.cut {
		return
	}
	if g.root = n.started(); g.root == nil {
		return
	}
	a.count(g)
	switch g.root.entry {
	case streamEntry:
		g.request = &request{whole: g.created, served: true, from: g.born}
		g.request.ledger.move(&g.base)
	case timeoutEntry:
		if g.parent != nil && !g.parent.closed {
			g.request, g.helps = g.parent, true
			g.parent.helped = true
			g.request.ledger.move(&g.base)
		}
	}
	g.parent = nil
}

// waitsForHelp recognises the wait of an http.TimeoutHandler, in whose place
// the time of the goroutine that it waits for is counted.
func waitsForHelp(at *node) bool {
	return at != nil && at.name == "runtime.selectgo" && at.parent != nil && at.parent.name == "net/http.(*timeoutHandler).ServeHTTP"
}

// finish books the request at hand; ended says that its end lies in the trace.
func (a *analysis) finish(g *goroutine, ended bool) {
	r := g.request
	g.request, r.closed = nil, true
	account := a.book.handler(r.handler)
	whole := r.whole && ended
	if a.served != nil && !account.hidden {
		a.served(Served{Goroutine: g.id, Handler: r.handler, FromNs: r.from, ToNs: g.since, Begun: r.whole, Ended: ended})
	}
	account.enter(r.ledger.items, g.root, whole)
	if whole {
		account.called(r.ledger.items)
	}
	r.ledger.items = nil
	switch {
	case account.hidden:
	case whole:
		account.group.Count++
		a.whole++
	default:
		a.cut++
	}
}

// retire books what a goroutine holds: it ended, or the trace does.
func (a *analysis) retire(g *goroutine, ended bool) {
	if g.request != nil && !g.helps {
		if g.request.served {
			a.finish(g, ended)
		} else {
			g.withdraw()
		}
	}
	if g.root == nil {
		g.root = g.start
		a.count(g)
	}
	a.flush(g)
}

// count counts the goroutine in its kind, once over all traces. One that ran
// through the first trace without a stack is told from those of other kinds by
// a later one.
func (a *analysis) count(g *goroutine) {
	kind := a.book.kind(g.root)
	if g.counted != nil && (g.root == nil || g.counted != a.book.kind(nil)) {
		return
	}
	if g.counted != nil {
		g.counted.group.Count--
	}
	kind.group.Count++
	g.counted = kind
}

func (a *analysis) flush(g *goroutine) {
	a.book.kind(g.root).enter(g.base.items, g.root, true)
	g.base.items = g.base.items[:0]
}
