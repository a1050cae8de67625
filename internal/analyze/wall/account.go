package wall

import (
	"cmp"
	"slices"
	"strings"

	"whet/internal/callstack"
	"whet/internal/symbolname"
)

// account is a group in the making.
type account struct {
	group  Group
	places [NumStates]map[string]int64
	stacks map[work]*[NumStates]int64 // for the profile
	calls  map[*node]*Call            // without their stacks
	hidden bool                       // the runtime's or an instrument's
}

// work is a stack, and the type of the task that it was for.
type work struct {
	at   *node
	task taskType
}

// book holds all accounts.
type book struct {
	kinds    map[string]*account
	handlers map[string]*account
	unnamed  *account // requests whose stacks show no handler
}

const (
	// WithoutHandler is the group of requests whose stacks show no handler.
	WithoutHandler = "requests without a stack in a handler"
	withoutStack   = "goroutines without a stack"
)

func newAccount(name string, handler bool) *account {
	return &account{group: Group{Name: name, Handler: handler}, stacks: make(map[work]*[NumStates]int64)}
}

func newBook() *book {
	return &book{kinds: make(map[string]*account), handlers: make(map[string]*account), unnamed: newAccount(WithoutHandler, true)}
}

// kind returns the account of goroutines by the root of their stacks.
func (b *book) kind(root *node) *account {
	name, hidden := withoutStack, false
	if root != nil {
		name = root.name
		if outer, kind := symbolname.Cut(name); kind == symbolname.GoCall {
			name = outer
		}
		hidden = root.entry == systemEntry
		if name == "runtime.main" {
			name = "main.main"
		}
	}
	a, ok := b.kinds[name]
	if !ok {
		a = newAccount(name, false)
		a.hidden = hidden
		b.kinds[name] = a
	}
	return a
}

// handler returns the account of a handler's requests.
func (b *book) handler(name string) *account {
	if name == "" {
		return b.unnamed
	}
	a, ok := b.handlers[name]
	if !ok {
		a = newAccount(name, true)
		a.hidden = isInstrumentHandler(name)
		b.handlers[name] = a
	}
	return a
}

// enter books items; those without a place stand at root. Counted items are
// the group's, others the profile's alone.
func (a *account) enter(items []item, root *node, counted bool) {
	if a.hidden {
		return
	}
	for _, it := range items {
		at := it.at
		if at == nil {
			at = root
		}
		states, ok := a.stacks[work{at, it.task}]
		if !ok {
			states = new([NumStates]int64)
			a.stacks[work{at, it.task}] = states
		}
		states[it.class.state] += it.ns
		if !counted {
			continue
		}
		a.group.Ns[it.class.state] += it.ns
		switch it.class.part {
		case downstreamPart:
			a.group.DownstreamNs += it.ns
		case diskPart:
			a.group.DiskNs += it.ns
		case socketPart:
			a.group.SocketNs += it.ns
		}
		if at != nil {
			places := &a.places[it.class.state]
			if *places == nil {
				*places = make(map[string]int64)
			}
			(*places)[at.place] += it.ns
		}
	}
}

// called books the waits of one request for answers.
func (a *account) called(items []item) {
	seen := make(map[*node]bool)
	for _, it := range items {
		if it.class.part != downstreamPart || !it.at.asks {
			continue
		}
		c := a.calls[it.at]
		if c == nil {
			if a.calls == nil {
				a.calls = make(map[*node]*Call)
			}
			c = new(Call)
			a.calls[it.at] = c
		}
		if !seen[it.at] {
			seen[it.at] = true
			c.Requests++
		}
		c.Count += it.n
		c.Ns += it.ns
	}
}

// join adds another account's figures.
func (a *account) join(b *account) {
	a.group.Count += b.group.Count
	a.group.DownstreamNs += b.group.DownstreamNs
	a.group.DiskNs += b.group.DiskNs
	a.group.SocketNs += b.group.SocketNs
	for s := range NumStates {
		a.group.Ns[s] += b.group.Ns[s]
		for place, ns := range b.places[s] {
			if a.places[s] == nil {
				a.places[s] = make(map[string]int64)
			}
			a.places[s][place] += ns
		}
	}
	for at, c := range b.calls {
		if a.calls == nil {
			a.calls = make(map[*node]*Call)
		}
		sum := a.calls[at]
		if sum == nil {
			sum = new(Call)
			a.calls[at] = sum
		}
		sum.Requests += c.Requests
		sum.Count += c.Count
		sum.Ns += c.Ns
	}
	for at, states := range b.stacks {
		sum, ok := a.stacks[at]
		if !ok {
			sum = new([NumStates]int64)
			a.stacks[at] = sum
		}
		for s, ns := range states {
			sum[s] += ns
		}
	}
}

// accounts returns all that are the program's, in the order of the result.
func (b *book) accounts() []*account {
	var handlers, kinds []*account
	for _, a := range b.handlers {
		if !a.hidden {
			handlers = append(handlers, a)
		}
	}
	if len(b.unnamed.stacks) > 0 {
		if only := onlyHandler(handlers); only != nil {
			only.join(b.unnamed)
		} else {
			handlers = append(handlers, b.unnamed)
		}
	}
	for _, a := range b.kinds {
		if !a.hidden {
			kinds = append(kinds, a)
		}
	}
	byTotal := func(a, b *account) int {
		return cmp.Or(cmp.Compare(b.group.Total(), a.group.Total()), strings.Compare(a.group.Name, b.group.Name))
	}
	slices.SortFunc(handlers, byTotal)
	slices.SortFunc(kinds, byTotal)
	return append(handlers, kinds...)
}

// finish says where each state's time mostly went, and lays out the calls, whose
// frames were seen.
func (a *account) finish(seen []*callstack.Frame) Group {
	for at, c := range a.calls {
		for _, id := range at.frames() {
			c.Stack = append(c.Stack, *seen[id])
		}
		a.group.Calls = append(a.group.Calls, *c)
	}
	slices.SortFunc(a.group.Calls, func(x, y Call) int {
		return cmp.Or(cmp.Compare(y.Ns, x.Ns), cmp.Compare(y.Count, x.Count), slices.CompareFunc(x.Stack, y.Stack, func(f, g callstack.Frame) int {
			return cmp.Or(strings.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line))
		}))
	})
	a.group.Calls = a.group.Calls[:min(len(a.group.Calls), maxCalls)]
	for s := range NumStates {
		var most int64
		for place, ns := range a.places[s] {
			if ns > most || ns == most && place < a.group.Where[s] {
				a.group.Where[s], most = place, ns
			}
		}
	}
	return a.group
}

// samples adds the account's stacks, of frames that were seen, to a profile, in an
// order that does not depend on the maps'. tasks are the types of tasks by number.
func (a *account) samples(b *callstack.Builder, seen []*callstack.Frame, tasks []string) {
	labels := []callstack.Label{{Key: "group", Str: a.group.Name}}
	if a.group.Handler {
		labels = append(labels, callstack.Label{Key: "handler", Str: a.group.Name})
	}
	type sample struct {
		frames []int
		task   taskType
		states *[NumStates]int64
	}
	all := make([]sample, 0, len(a.stacks))
	for at, states := range a.stacks {
		all = append(all, sample{at.at.frames(), at.task, states})
	}
	slices.SortFunc(all, func(x, y sample) int {
		return cmp.Or(slices.Compare(x.frames, y.frames), cmp.Compare(x.task, y.task))
	})
	values := make([]int64, NumStates+1)
	var stack []callstack.LocationID
	for _, s := range all {
		values[0] = 0
		for state, ns := range s.states {
			values[1+state] = ns
			values[0] += ns
		}
		stack = stack[:0]
		for _, id := range s.frames {
			stack = append(stack, b.Frame(*seen[id]))
		}
		of := labels
		if s.task != noTask {
			of = append(labels[:len(labels):len(labels)], callstack.Label{Key: "task", Str: tasks[s.task]})
		}
		b.Add(stack, of, values...)
	}
}

// onlyHandler returns the handler that has all requests whose stacks show one, but for less
// than one in a hundred: a middleware that a CPU sample met is a handler of one request.
// Nil: there are several, or none.
func onlyHandler(handlers []*account) *account {
	var most *account
	var all int64
	for _, h := range handlers {
		if all += h.group.Count; most == nil || h.group.Count > most.group.Count {
			most = h
		}
	}
	if len(handlers) > 1 && (all-most.group.Count)*100 >= all {
		return nil
	}
	return most
}
