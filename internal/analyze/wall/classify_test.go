package wall

import "testing"

func at(s *script, stack string) *node { return s.tree.node(s.stack(stack)) }

// TestStates goes through the runtime's reasons (the table
// traceBlockReasonStrings in runtime/traceruntime.go) and the stacks that
// refine them.
func TestStates(t *testing.T) {
	s := newScript()
	for _, c := range []struct {
		reason, stack, waker string
		want                 class
	}{
		{"sync", "sync.(*Mutex).Lock<main.f", "", class{state: Lock}},
		{"sync", "sync.runtime_SemacquireMutex<internal/sync.(*Mutex).lockSlow<internal/sync.(*Mutex).Lock<sync.(*Mutex).Lock<main.f", "", class{state: Lock}},
		{"sync", "sync.(*RWMutex).RLock<main.f", "", class{state: Lock}},
		{"sync", "sync.(*Mutex).Lock<sync.(*Cond).Wait<main.f", "", class{state: Lock}}, // it was woken, and wants the lock back
		{"sync", "sync.(*Mutex).Lock<sync.(*Once).doSlow<sync.(*Once).Do<main.f", "", class{state: Sync}},
		{"sync", "sync.(*Mutex).Lock<sync.(*Once).doSlow<sync.(*Once).Do<sync.OnceFunc.func1<main.f", "", class{state: Sync}},
		{"sync", "sync.(*WaitGroup).Wait<main.f", "", class{state: Sync}},
		{"sync", "sync.(*WaitGroup).Wait<main.(*fakeMutex).f<sync.(*Mutex).Lock", "", class{state: Sync}}, // only the leaf decides
		{"sync", "internal/poll.(*FD).Write<net.(*netFD).Write<main.f", "", class{state: Lock}},
		{"sync", "runtime.gcMarkDone<runtime.gcAssistAlloc<runtime.mallocgc<main.f", "", class{state: GCAssist}},
		{"sync", "", "", class{state: Sync}},
		{"sync.(*Cond).Wait", "sync.(*Cond).Wait<main.f", "", class{state: Sync}},
		{"chan send", "runtime.chansend1<main.f", "", class{state: Channel}},
		{"chan receive", "", "", class{state: Channel}},
		{"select", "runtime.selectgo<main.f", "", class{state: Select}},
		{"forever", "main.f", "", class{state: Select}},
		{"forever", "runtime.chanrecv1<main.f", "", class{state: Channel}},
		{"network", "internal/poll.(*FD).Accept<net.(*netFD).accept<main.f", "", class{state: Network}},
		{"network", "internal/poll.(*FD).Read<os.(*File).Read<main.f", "", class{state: Syscall}}, // a pipe
		{"sleep", "time.Sleep<main.f", "", class{state: Sleep}},
		{"GC mark assist wait for work", "runtime.gcParkAssist<runtime.mallocgc<main.f", "", class{state: GCAssist}},
		{"wait until GC ends", "runtime.GC<main.f", "", class{state: GCAssist}},
		{"preempted", "main.f", "", class{state: Other}},
		{"a reason of a later Go", "main.f", "", class{state: Other}},
		// Without a reason, as the trace states what waits since before it.
		{"", "runtime.chanrecv1<main.f", "", class{state: Channel}},
		{"", "runtime.selectgo<main.f", "", class{state: Select}},
		{"", "internal/poll.(*FD).Read<net.(*netFD).Read<main.f", "", class{state: Network}},
		{"", "sync.(*Mutex).Lock<main.f", "", class{state: Lock}},
		{"", "sync.(*Cond).Wait<main.f", "", class{state: Sync}},
		{"", "time.Sleep<main.f", "", class{state: Sleep}},
		{"", "main.f", "", class{state: Other}},
		{"", "", "internal/sync.(*Mutex).unlockSlow<internal/sync.(*Mutex).Unlock<sync.(*Mutex).Unlock<main.f", class{state: Lock}},
		{"", "", "runtime.chansend1<main.f", class{state: Channel}},
		{"", "", "sync.(*WaitGroup).Done<main.f", class{state: Sync}},
		{"", "", "", class{state: Other}},
	} {
		if got := waiting(c.reason, at(s, c.stack), at(s, c.waker), false); got != c.want {
			t.Errorf("%q at %q, woken at %q: %s, want %s", c.reason, c.stack, c.waker, got.state, c.want.state)
		}
	}
}

func TestDownstream(t *testing.T) {
	s := newScript()
	for _, c := range []struct {
		reason, stack string
		want          class
	}{
		{"select", "runtime.selectgo<net/http.(*persistConn).roundTrip<net/http.(*Transport).roundTrip<main.f<" + inMux, class{Select, downstreamPart}},
		{"network", "internal/poll.(*FD).Read<net.(*conn).Read<github.com/lib/pq.(*conn).recv<main.f<" + inMux, class{Network, downstreamPart}},
		{"chan receive", "runtime.chanrecv1<database/sql.(*DB).conn<main.f<" + inMux, class{Channel, downstreamPart}},
		{"select", "runtime.selectgo<google.golang.org/grpc.(*ClientConn).Invoke<main.f<" + inMux, class{Select, downstreamPart}},
		{"select", "runtime.selectgo<main.f<" + inMux, class{state: Select}},
		{"network", "internal/poll.(*FD).Read<net.(*conn).Read<net/http.(*connReader).Read<net/http.(*body).Read<main.f<" + inMux, class{state: Network}},
		{"sync", "sync.(*Mutex).Lock<net/http.(*Transport).getConn<main.f<" + inMux, class{state: Lock}},
	} {
		if got := waiting(c.reason, at(s, c.stack), nil, true); got != c.want {
			t.Errorf("%q at %s: %+v, want %+v", c.reason, c.stack, got, c.want)
		}
		if got := waiting(c.reason, at(s, c.stack), nil, false); got.part != noPart {
			t.Errorf("%q at %s: %+v outside of a request", c.reason, c.stack, got)
		}
	}
}

func TestSystemCalls(t *testing.T) {
	s := newScript()
	for stack, want := range map[string]class{
		"": {state: Syscall},
		"syscall.wait4<os.(*Process).blockUntilWaitable<os.(*Process).Wait<main.f":                                         {state: Syscall},
		"syscall.write<internal/poll.(*FD).Write<os.(*File).Write<log.(*Logger).output<main.f":                             {Syscall, diskPart},
		"syscall.fsync<internal/poll.(*FD).Fsync<os.(*File).Sync<main.f":                                                   {Syscall, diskPart},
		"syscall.openat<syscall.Open<os.openFileNolog<os.OpenFile<os.ReadFile<main.f":                                      {Syscall, diskPart},
		"golang.org/x/sys/unix.Fdatasync<go.etcd.io/bbolt.fdatasync<main.f":                                                {Syscall, diskPart},
		"syscall.write<internal/poll.(*FD).Write<net.(*netFD).Write<net.(*conn).Write<main.f":                              {Network, socketPart},
		"syscall.read<internal/poll.(*FD).Read<os.(*File).Read<net.(*file).readLine<net.(*Resolver).lookup<main.f":         {Syscall, diskPart},
		"syscall.pipe2<os.Pipe<os/exec.(*Cmd).Start<main.f":                                                                {state: Syscall},
		"internal/runtime/syscall/linux.Syscall6<syscall.RawSyscall6<syscall.fsync<internal/poll.(*FD).Fsync<main.(*db).f": {Syscall, diskPart},
	} {
		if got := called(at(s, stack)); got != want {
			t.Errorf("%s: %+v, want %+v", stack, got, want)
		}
	}
}

func TestHandlers(t *testing.T) {
	s := newScript()
	const server = "<net/http.serverHandler.ServeHTTP<" + serve
	for stack, want := range map[string]string{
		locks:                                   "main.get",
		"time.Sleep<main.(*api).list" + server:  "main.(*api).list",
		"main.f<main.(*api).ServeHTTP" + server: "main.(*api).ServeHTTP",
		"main.get<net/http.HandlerFunc.ServeHTTP<main.logged.func1<net/http.HandlerFunc.ServeHTTP" + server:                                    "main.get",
		"time.Now<main.logged.func1<net/http.HandlerFunc.ServeHTTP" + server:                                                                   "main.logged.func1",
		"main.get<github.com/go-chi/chi/v5.(*Mux).routeHTTP<net/http.HandlerFunc.ServeHTTP<github.com/go-chi/chi/v5.(*Mux).ServeHTTP" + server: "main.get",
		"main.get<github.com/gin-gonic/gin.(*Context).Next<github.com/gin-gonic/gin.(*Engine).ServeHTTP" + server:                              "main.get",
		"os.Open<net/http.Dir.Open<net/http.serveFile<net/http.(*fileHandler).ServeHTTP<net/http.(*ServeMux).ServeHTTP" + server:               "net/http.(*fileHandler).ServeHTTP",
		"runtime.selectgo<net/http.(*timeoutHandler).ServeHTTP" + server:                                                                       "",
		"main.get<net/http.HandlerFunc.ServeHTTP<net/http.(*timeoutHandler).ServeHTTP.func1":                                                   "main.get",
		"main.get[...]<net/http.HandlerFunc.ServeHTTP" + server:                                                                                "main.get[...]",
		"main.dial<net/http.(*Transport).dial<net/http.(*Client).do<main.get<net/http.HandlerFunc.ServeHTTP" + server:                          "main.get",
		"net/http/pprof.Trace<net/http.HandlerFunc.ServeHTTP<net/http.(*ServeMux).ServeHTTP" + server:                                          "net/http/pprof.Trace",
		waits: "",
	} {
		if got := at(s, stack).handler; got != want {
			t.Errorf("%s: handler %q, want %q", stack, got, want)
		}
	}
}

func TestKinds(t *testing.T) {
	s := newScript()
	for stack, want := range map[string]string{
		"main.f<main.main<runtime.main":                                      "main.main",
		"main.worker":                                                        "main.worker",
		"main.f<main.run.func1<sync.(*WaitGroup).Go.func1":                   "main.run.func1",
		"main.f<main.run.func1<golang.org/x/sync/errgroup.(*Group).Go.func1": "main.run.func1",
	} {
		if got := s.book.kind(at(s, stack).started()).group.Name; got != want {
			t.Errorf("%s: kind %q, want %q", stack, got, want)
		}
	}
	for _, rootless := range []string{"sync.(*WaitGroup).Go.func1", "runtime.goexit1"} {
		if n := at(s, rootless).started(); n != nil {
			t.Errorf("%s alone starts %s", rootless, n.name)
		}
	}
	if got := s.book.kind(at(s, "main.run.gowrap2")).group.Name; got != "main.run" {
		t.Errorf("a wrapper that showed no other stack: %q", got)
	}
	for _, system := range []string{"runtime.gcBgMarkWorker", "runtime/trace.Start.func1", "runtime/pprof.profileWriter", "example.com/x/internal/whetagent.run",
		"example.com/x/internal/whetagent2.run", "whet/agent.(*Agent).work", "example.com/tools/whet/agent.(*Agent).work"} {
		if !s.book.kind(at(s, system)).hidden {
			t.Errorf("%s is taken for the program's", system)
		}
	}
}
