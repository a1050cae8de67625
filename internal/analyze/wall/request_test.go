package wall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"whet/internal/callstack"
	"whet/internal/format/exectrace"
)

// script feeds events that are written out into an analysis.
type script struct {
	*analysis
	ids    map[string]exectrace.StackID
	stacks []*exectrace.Stack // by number
	texts  []string           // by number
	frames map[string]*callstack.Frame
	states map[int64]exectrace.State
}

func newScript() *script {
	s := &script{analysis: newAnalysis(), ids: make(map[string]exectrace.StackID), stacks: make([]*exectrace.Stack, 1),
		texts: make([]string, 1), frames: make(map[string]*callstack.Frame), states: make(map[int64]exectrace.State)}
	s.tree.names = s
	s.begin()
	return s
}

func (s *script) Stack(id exectrace.StackID) *exectrace.Stack { return s.stacks[id] }

func (s *script) String(id exectrace.StringID) string { return s.texts[id] }

// stack interns "leaf<caller<root".
func (s *script) stack(text string) exectrace.StackID {
	if text == "" {
		return 0
	}
	if s.ids[text] == 0 {
		stack := &exectrace.Stack{}
		for name := range strings.SplitSeq(text, "<") {
			if s.frames[name] == nil {
				s.frames[name] = &callstack.Frame{Function: name}
			}
			stack.Frames = append(stack.Frames, s.frames[name])
		}
		s.ids[text] = exectrace.StackID(len(s.stacks))
		s.stacks = append(s.stacks, stack)
	}
	return s.ids[text]
}

func (s *script) text(text string) exectrace.StringID {
	if text == "" {
		return 0
	}
	s.texts = append(s.texts, text)
	return exectrace.StringID(len(s.texts) - 1)
}

// to moves goroutine id to a state.
func (s *script) to(ns, id int64, state exectrace.State, reason, stack string) {
	s.event(&exectrace.Event{TimeNs: ns, Kind: exectrace.Change, Goroutine: id, Actor: exectrace.NoGoroutine,
		From: s.states[id], To: state, Name: s.text(reason), Stack: s.stack(stack)})
	s.states[id] = state
}

// create starts goroutine id from actor.
func (s *script) create(ns, id, actor int64, function, where string) {
	s.event(&exectrace.Event{TimeNs: ns, Kind: exectrace.Change, Goroutine: id, Actor: actor,
		From: exectrace.Gone, To: exectrace.Runnable, Stack: s.stack(function), ActorStack: s.stack(where)})
	s.states[id] = exectrace.Runnable
}

func (s *script) finish(ns int64) *Result {
	s.end(ns)
	s.conclude()
	return s.result
}

const (
	serve   = "net/http.(*conn).serve"
	reads   = "internal/poll.(*FD).Read<net.(*netFD).Read<net.(*conn).Read<net/http.(*connReader).Read<bufio.(*Reader).fill<"
	waits   = reads + "bufio.(*Reader).Peek<" + serve
	call    = "syscall.read<" + waits
	first   = "syscall.read<" + reads + "net/http.(*conn).readRequest<" + serve
	respond = "syscall.write<internal/poll.(*FD).Write<net.(*netFD).Write<net.(*conn).Write<net/http.checkConnErrorWriter.Write<net/http.(*response).finishRequest<" + serve
	inMux   = "net/http.HandlerFunc.ServeHTTP<net/http.(*ServeMux).ServeHTTP<net/http.serverHandler.ServeHTTP<" + serve
	locks   = "sync.(*Mutex).Lock<main.get<" + inMux
)

// connection plays a goroutine that was waiting before the trace, serves two
// requests at 100 and at 300, waits from 500 on, and is cut in a third.
func connection(s *script, id int64) {
	s.to(50, id, exectrace.Waiting, "", "runtime.gopark<runtime.netpollblock<internal/poll.runtime_pollWait<internal/poll.(*pollDesc).waitRead<"+waits)
	s.to(100, id, exectrace.Runnable, "", "")       // 100 waiting, and the request begins
	s.to(110, id, exectrace.Running, "", "")        // 10 runnable
	s.to(112, id, exectrace.Syscall, "", call)      // 2 running
	s.to(115, id, exectrace.Running, "", "")        // 3 on the socket
	s.to(120, id, exectrace.Waiting, "sync", locks) // 5 running
	s.to(160, id, exectrace.Runnable, "", "")       // 40 lock
	s.to(165, id, exectrace.Running, "", "")        // 5 runnable
	s.to(190, id, exectrace.Syscall, "", respond)   // 25 running
	s.to(200, id, exectrace.Running, "", "")        // 10 on the socket
	s.to(210, id, exectrace.Syscall, "", call)      // 10 running; the request ends
	s.to(212, id, exectrace.Running, "", "")
	s.to(215, id, exectrace.Waiting, "network", waits)
	s.to(300, id, exectrace.Runnable, "", "") // the second begins: its bytes come at once with no handler's stack
	s.to(310, id, exectrace.Running, "", "")
	s.to(320, id, exectrace.Syscall, "", respond)
	s.to(350, id, exectrace.Running, "", "")
	s.to(355, id, exectrace.Syscall, "", call)
	s.to(360, id, exectrace.Running, "", "")
	s.to(361, id, exectrace.Waiting, "network", waits)
	s.to(500, id, exectrace.Runnable, "", "")
	s.to(510, id, exectrace.Running, "", "")
	s.to(520, id, exectrace.Waiting, "sleep", "time.Sleep<main.get<"+inMux)
}

func TestRequestsWorkedExample(t *testing.T) {
	s := newScript()
	connection(s, 1)
	r := s.finish(600)
	// Of the first request's running, 2 ns lie between the wait and the read,
	// which share the read; the rest shares no more than serve.
	want := []Group{
		{Name: "main.get", Handler: true, Count: 2, SocketNs: 3 + 10 + 30,
			Ns:    [NumStates]int64{Running: 2 + 5 + 25 + 10 + 10 + 5, Runnable: 10 + 5 + 10, Lock: 40, Network: 3 + 10 + 30},
			Where: [NumStates]string{Running: serve, Runnable: "net.(*netFD).Read", Lock: "main.get", Network: "net.(*netFD).Write"}},
		{Name: serve, Count: 1, SocketNs: 2 + 5,
			Ns:    [NumStates]int64{Running: 3 + 1, Network: 100 + 2 + 85 + 5 + 139},
			Where: [NumStates]string{Running: "net.(*netFD).Read", Network: "net.(*netFD).Read"}},
	}
	if diff := cmp.Diff(want, r.Groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	// The third request is in the profile: 10 runnable, 10 running, 80 asleep.
	if got := r.Profile.Total(0); got != 600 {
		t.Errorf("the profile has %d ns of 600", got)
	}
	if got := r.Profile.Total(1 + int(Sleep)); got != 80 {
		t.Errorf("%d ns asleep, want 80", got)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "1 requests began or ended outside the traces, 2 are whole") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestRequestsWithoutAHandler(t *testing.T) {
	// With two handlers, nobody knows whose the bare request is.
	s := newScript()
	connection(s, 1)
	s.to(0, 2, exectrace.Waiting, "network", waits)
	s.to(10, 2, exectrace.Runnable, "", "")
	s.to(20, 2, exectrace.Running, "", "")
	s.to(30, 2, exectrace.Syscall, "", "syscall.fsync<internal/poll.(*FD).Fsync<os.(*File).Sync<main.put<"+inMux)
	s.to(90, 2, exectrace.Running, "", "")
	s.to(95, 2, exectrace.Syscall, "", call)
	r := s.finish(600)
	var names []string
	for _, g := range r.Groups {
		if g.Handler {
			names = append(names, fmt.Sprint(g.Name, g.Count))
		}
	}
	if want := []string{"main.get1", "main.put1", WithoutHandler + "1"}; !cmp.Equal(names, want) {
		t.Errorf("handlers %q, want %q", names, want)
	}
	if put := groupNamed(r, "main.put"); put.DiskNs != 60 || put.Ns[Syscall] != 60 {
		t.Errorf("a file's sync: %+v", put)
	}
}

func TestConnectionThatClosesServesNothing(t *testing.T) {
	s := newScript()
	s.create(0, 1, exectrace.NoGoroutine, "net/http.(*Server).Serve.gowrap3", "")
	s.to(5, 1, exectrace.Running, "", "")
	s.to(10, 1, exectrace.Syscall, "", first)
	s.to(12, 1, exectrace.Running, "", "")
	s.to(14, 1, exectrace.Waiting, "network", strings.TrimPrefix(first, "syscall.read<"))
	s.to(50, 1, exectrace.Runnable, "", "")
	s.to(55, 1, exectrace.Running, "", "")
	s.to(60, 1, exectrace.Syscall, "", "syscall.close<internal/poll.(*FD).Close<net.(*netFD).Close<net.(*conn).Close<net/http.(*conn).close<net/http.(*conn).serve.func1<"+serve)
	s.to(70, 1, exectrace.Running, "", "")
	s.to(75, 1, exectrace.Gone, "", "")
	r := s.finish(100)
	if len(r.Groups) != 1 || r.Groups[0].Handler || r.Groups[0].Name != serve || r.Groups[0].Total() != 75 || r.Groups[0].Count != 1 {
		t.Errorf("groups %+v", r.Groups)
	}
}

// TestRequestCutByTheBeginning: what is in a handler when the trace begins has
// its time in the profile alone.
func TestRequestCutByTheBeginning(t *testing.T) {
	s := newScript()
	s.to(0, 1, exectrace.Syscall, "", "syscall.fsync<internal/poll.(*FD).Fsync<os.(*File).Sync<main.put<"+inMux)
	s.to(90, 1, exectrace.Running, "", "")
	s.to(100, 1, exectrace.Syscall, "", call)
	s.to(110, 1, exectrace.Running, "", "")
	s.to(120, 1, exectrace.Syscall, "", respond) // a whole one, of the only handler
	s.to(130, 1, exectrace.Running, "", "")
	s.to(150, 1, exectrace.Waiting, "network", waits)
	r := s.finish(200)
	put := groupNamed(r, "main.put")
	if put.Count != 1 || put.Total() != 50 || put.Ns[Syscall] != 0 {
		t.Errorf("%d requests, %d ns, %d in calls: %+v", put.Count, put.Total(), put.Ns[Syscall], r.Groups)
	}
	if got := r.Profile.Total(1 + int(Syscall)); got != 90 {
		t.Errorf("%d ns of calls in the profile, want 90", got)
	}
}

// TestTimeoutHandler: the request has what the second goroutine does, in the
// place of its wait for it, so that its time is what passed.
func TestTimeoutHandler(t *testing.T) {
	const waitsFor = "runtime.selectgo<net/http.(*timeoutHandler).ServeHTTP<" + inMux
	s := newScript()
	s.to(0, 1, exectrace.Waiting, "network", waits)
	s.to(100, 1, exectrace.Runnable, "", "")
	s.to(110, 1, exectrace.Running, "", "")
	s.create(120, 2, 1, "net/http.(*timeoutHandler).ServeHTTP.func1", "runtime.newproc<net/http.(*timeoutHandler).ServeHTTP<"+inMux)
	s.to(120, 2, exectrace.Running, "", "")
	s.to(120, 1, exectrace.Waiting, "select", waitsFor)
	s.to(130, 2, exectrace.Waiting, "sleep", "time.Sleep<main.slow<net/http.HandlerFunc.ServeHTTP<net/http.(*timeoutHandler).ServeHTTP.func1")
	s.to(180, 2, exectrace.Running, "", "")
	s.to(200, 2, exectrace.Gone, "", "")
	s.to(200, 1, exectrace.Runnable, "", "")
	s.to(210, 1, exectrace.Running, "", "")
	s.to(220, 1, exectrace.Syscall, "", call)
	r := s.finish(220)
	slow := groupNamed(r, "main.slow")
	if want := (Group{Name: "main.slow", Handler: true, Count: 1, Where: slow.Where,
		Ns: [NumStates]int64{Runnable: 10 + 10, Running: 10 + 10 + 20 + 10, Sleep: 50}}); !cmp.Equal(*slow, want) || slow.Total() != 220-100 {
		t.Errorf("%+v\nwant %+v", *slow, want)
	}
	if conn := groupNamed(r, serve); conn.Ns[Select] != 80 || conn.Ns[Network] != 100 {
		t.Errorf("the connection: %+v", conn)
	}
}

// TestAssist: all that passes while a goroutine is made to mark is the
// collector's, waits for the bytes of a request apart.
func TestAssist(t *testing.T) {
	const marks = "runtime.gcAssistAlloc<runtime.mallocgc<"
	s := newScript()
	assist := func(ns int64, kind exectrace.Kind, stack string) {
		s.event(&exectrace.Event{TimeNs: ns, Kind: kind, Range: exectrace.MarkAssist, Goroutine: 1, Stack: s.stack(stack)})
	}
	s.to(0, 1, exectrace.Waiting, "network", waits)
	s.to(100, 1, exectrace.Runnable, "", "")
	s.to(110, 1, exectrace.Running, "", "")
	// While it reads the request's header: the request has begun.
	reading := marks + "net/http.readRequest<net/http.(*conn).readRequest<" + serve
	assist(120, exectrace.RangeBegin, reading)
	s.to(130, 1, exectrace.Waiting, "GC mark assist wait for work", "runtime.gcParkAssist<"+reading)
	s.to(160, 1, exectrace.Runnable, "", "")
	s.to(170, 1, exectrace.Running, "", "")
	assist(175, exectrace.RangeEnd, "")
	s.to(180, 1, exectrace.Waiting, "sync", locks)
	s.to(190, 1, exectrace.Runnable, "", "")
	s.to(190, 1, exectrace.Running, "", "")
	s.to(200, 1, exectrace.Syscall, "", call)
	r := s.finish(200)
	get := groupNamed(r, "main.get")
	if want := [NumStates]int64{Runnable: 10, Running: 10 + 5 + 10, GCAssist: 10 + 30 + 10 + 5, Lock: 10}; get.Count != 1 || get.Ns != want {
		t.Errorf("%d requests, %v, want %v", get.Count, get.Ns, want)
	}
	if get.Where[GCAssist] != "net/http.readRequest" {
		t.Errorf("the assist is at %s", get.Where[GCAssist])
	}
}

// TestLedgerMerges: many places in turn keep their sums in few items.
func TestLedgerMerges(t *testing.T) {
	s := newScript()
	var l ledger
	want := make(map[item]int64)
	for i := range int64(10 * mergeItems) {
		n := at(s, fmt.Sprintf("main.f%d<main.main", i%7))
		c := class{state: State(i % 3)}
		l.add(n, c, noTask, i)
		want[item{at: n, class: c}] += i
	}
	if len(l.items) >= mergeItems {
		t.Errorf("%d items of %d places", len(l.items), len(want))
	}
	got := make(map[item]int64)
	for _, it := range l.items {
		got[item{at: it.at, class: it.class}] += it.ns
	}
	if len(got) != len(want) {
		t.Fatalf("%d places, want %d", len(got), len(want))
	}
	for k, ns := range want {
		if got[k] != ns {
			t.Errorf("%s: %d ns, want %d", k.at.name, got[k], ns)
		}
	}
}

// TestSamplesPlaceRunning: an interval goes to its CPU samples in equal parts,
// 10 ns in three of 3, 3 and 4, and without samples to what its ends share.
func TestSamplesPlaceRunning(t *testing.T) {
	s := newScript()
	s.create(0, 1, exectrace.NoGoroutine, "main.work", "")
	s.to(0, 1, exectrace.Running, "", "")
	for i, stack := range []string{"main.a<main.work", "main.b<main.work", "main.a<main.work"} {
		s.event(&exectrace.Event{TimeNs: int64(i), Kind: exectrace.Sample, Goroutine: 1, Stack: s.stack(stack)})
	}
	s.to(10, 1, exectrace.Waiting, "chan send", "runtime.chansend1<main.b<main.work")
	s.to(10, 1, exectrace.Running, "", "")
	s.to(14, 1, exectrace.Waiting, "select", "runtime.selectgo<main.c<main.b<main.work")
	s.event(&exectrace.Event{TimeNs: 15, Kind: exectrace.Sample, Goroutine: 1, Stack: s.stack("main.a<main.work")}) // it does not run
	r := s.finish(20)
	got := make(map[string]int64)
	for at := r.Profile.Stacks(nil, 1+int(Running)); at.Next(); {
		if ns := at.Value(1 + int(Running)); ns > 0 {
			got[r.Profile.Frame(at.Stack[0]).Function] += ns
		}
	}
	if want := map[string]int64{"main.a": 3 + 4, "main.b": 3 + 4}; !cmp.Equal(got, want) {
		t.Errorf("running %v, want %v", got, want)
	}
}

func TestGoroutinesCountOnceOverTraces(t *testing.T) {
	s := newScript()
	for range 2 {
		s.states = make(map[int64]exectrace.State)
		s.begin()
		s.to(0, 7, exectrace.Waiting, "", "runtime.gopark<runtime.chanrecv<runtime.chanrecv1<main.worker")
		s.end(1000)
	}
	s.begin()
	r := s.finish(0)
	if len(r.Groups) != 1 || r.Groups[0].Count != 1 || r.Groups[0].Ns[Channel] != 2000 || r.CoveredNs != 2000 {
		t.Errorf("%d ns covered, groups %+v", r.CoveredNs, r.Groups)
	}
}

// A goroutine that runs through the first trace without a stack counts where
// the second one shows it to be: main.main is one goroutine and not none.
func TestGoroutinesCountWhereTheyAreKnown(t *testing.T) {
	s := newScript()
	s.begin()
	s.to(0, 1, exectrace.Running, "", "")
	s.end(1000)
	for range 2 {
		s.states = make(map[int64]exectrace.State)
		s.begin()
		s.to(0, 1, exectrace.Running, "", "")
		s.to(10, 1, exectrace.Waiting, "chan receive", "runtime.chanrecv1<main.main<runtime.main")
		s.end(1000)
	}
	r := s.finish(0)
	counts := make(map[string]int64)
	for _, g := range r.Groups {
		counts[g.Name] = g.Count
	}
	if want := map[string]int64{"main.main": 1, withoutStack: 0}; !cmp.Equal(counts, want) {
		t.Errorf("counted %v, want %v", counts, want)
	}
}

// TestIntervalsConserve plays any course of events and expects the profile, and
// the groups with the cut requests, to hold each goroutine's life.
func TestIntervalsConserve(t *testing.T) {
	stacks := []string{"", "main.a<main.work", "main.b<main.a<main.work", waits, call, respond, locks, "time.Sleep<main.get<" + inMux,
		"runtime.gcParkAssist<runtime.mallocgc<main.get<" + inMux, "main.h<net/http.(*http2serverConn).runHandler", "main.job<sync.(*WaitGroup).Go.func1",
		"runtime.selectgo<net/http.(*timeoutHandler).ServeHTTP<" + inMux, "main.slow<net/http.(*timeoutHandler).ServeHTTP.func1"}
	reasons := []string{"", "sync", "network", "select", "chan send", "sleep", "preempted", "wait until GC ends"}
	rapid.Check(t, func(t *rapid.T) {
		s := newScript()
		var now, want int64
		born := make(map[int64]int64)
		for range rapid.IntRange(0, 80).Draw(t, "events") {
			now += rapid.Int64Range(0, 50).Draw(t, "passed")
			id := rapid.Int64Range(1, 4).Draw(t, "goroutine")
			stack := rapid.SampledFrom(stacks).Draw(t, "stack")
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				s.event(&exectrace.Event{TimeNs: now, Kind: exectrace.Sample, Goroutine: id, Stack: s.stack(stack)})
				continue
			case 1:
				kind := rapid.SampledFrom([]exectrace.Kind{exectrace.RangeBegin, exectrace.RangeActive, exectrace.RangeEnd}).Draw(t, "range")
				s.event(&exectrace.Event{TimeNs: now, Kind: kind, Range: exectrace.MarkAssist, Goroutine: id, Stack: s.stack(stack)})
				continue
			}
			if _, lives := born[id]; !lives {
				if rapid.Bool().Draw(t, "created") {
					s.create(now, id, rapid.Int64Range(1, 4).Draw(t, "creator"), stack, rapid.SampledFrom(stacks).Draw(t, "where"))
					born[id] = now
				} else if s.states[id] == exectrace.Unknown {
					s.to(now, id, exectrace.Waiting, "", stack)
					born[id] = 0
				}
				continue
			}
			to := rapid.SampledFrom([]exectrace.State{exectrace.Gone, exectrace.Runnable, exectrace.Running, exectrace.Waiting, exectrace.Syscall}).Draw(t, "to")
			s.to(now, id, to, rapid.SampledFrom(reasons).Draw(t, "reason"), stack)
			if to == exectrace.Gone {
				want += now - born[id]
				delete(born, id)
			}
		}
		now += 10
		for _, begin := range born {
			want += now - begin
		}
		r := s.finish(now)
		if got := r.Profile.Total(0); got != want {
			t.Fatalf("the profile has %d ns, the goroutines lived %d", got, want)
		}
		var groups int64
		for _, g := range r.Groups {
			groups += g.Total()
		}
		if groups > want || s.cut == 0 && groups != want {
			t.Fatalf("groups have %d ns of %d, %d requests are cut", groups, want, s.cut)
		}
	})
}
