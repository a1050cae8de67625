package diagnose

import (
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/analyze/wall"
	"whet/internal/recording"
)

func of[T any](v T) *T { return &v }

// group has its time in states by nanoseconds.
func group(name string, handler bool, ns map[wall.State]int64) wall.Group {
	g := wall.Group{Name: name, Handler: handler, Count: 1}
	for st, v := range ns {
		g.Ns[st] = v
		g.Where[st] = "m/x." + strings.ReplaceAll(st.String(), " ", "")
	}
	return g
}

func traced(covered int64, groups ...wall.Group) *wall.Result {
	return &wall.Result{CoveredNs: covered, Groups: groups}
}

// running returns a subject of 300 samples, 3 s of CPU time in 10 s of 2 cores.
func running(kind string, run Conditions) *Subject {
	s := subject("x", cpuProfile(sample{stack: []string{"m/x.f"}, n: 300}), nil, nil)
	s.Kind, s.Run = kind, &run
	return s
}

func TestVerdictOfAService(t *testing.T) {
	handler := func(ns map[wall.State]int64) wall.Group { return group("m/x.(*S).ServeHTTP", true, ns) }
	downstream := func(g wall.Group, ns int64) wall.Group { g.DownstreamNs = ns; return g }
	disk := func(g wall.Group, ns int64) wall.Group { g.DiskNs = ns; return g }
	socket := func(g wall.Group, ns int64) wall.Group { g.SocketNs = ns; return g }
	base := func(change func(*Conditions)) *Subject {
		run := Conditions{WallNs: 10e9, Cores: 2, TargetCPUNs: of(int64(3e9)), Requests: 1000, Concurrency: 64}
		change(&run)
		return running(recording.TargetService, run)
	}
	inTrace := func(groups ...wall.Group) func(*Conditions) {
		return func(c *Conditions) { c.Wall = traced(1e9, groups...) }
	}
	for _, test := range []struct {
		name string
		s    *Subject
		kind VerdictKind
		text string
	}{
		{"nothing known", base(func(c *Conditions) { *c = Conditions{} }), CPUBound, "CPU-bound in m/x.f"},
		{"nothing special", base(func(*Conditions) {}), CPUBound, ""},

		// 1 s of 10 s is the tenth.
		{"throttled", base(func(c *Conditions) { c.ThrottledNs = of(int64(1e9)) }), Throttled, "withheld 1.00 s of CPU time, summed over processors, in 10.0 s"},
		{"hardly throttled", base(func(c *Conditions) { c.ThrottledNs = of(int64(1e9 - 1)) }), CPUBound, ""},
		{"throttled and waiting", base(func(c *Conditions) {
			c.ThrottledNs = of(int64(5e9))
			c.Wall = traced(1e9, handler(map[wall.State]int64{wall.Lock: 1e9}))
		}), Throttled, ""},

		// 0.9 s of 2·10 s are 4.5 %; 99 ms of requests in 1 s are 0.099 at a time.
		{"idle", base(func(c *Conditions) {
			c.TargetCPUNs = of(int64(9e8))
			c.Wall = traced(1e9, handler(map[wall.State]int64{wall.Running: 99e6}))
		}), Idle, "used 4.5 % of the CPU time it may use, with 0.10 requests in flight on average"},
		{"idle, its few requests wait", base(func(c *Conditions) {
			c.TargetCPUNs = of(int64(9e8))
			c.Wall = traced(1e9, handler(map[wall.State]int64{wall.Lock: 99e6}))
		}), Idle, ""},
		{"requests are inside all the time", base(func(c *Conditions) {
			c.TargetCPUNs = of(int64(9e8))
			c.Wall = traced(1e9, handler(map[wall.State]int64{wall.Running: 101e6}))
		}), CPUBound, ""},
		{"busy enough", base(func(c *Conditions) {
			c.TargetCPUNs = of(int64(1e9))
			c.Wall = traced(1e9, handler(map[wall.State]int64{wall.Running: 1e6}))
		}), CPUBound, ""},
		{"handlers unknown", base(func(c *Conditions) {
			c.TargetCPUNs = of(int64(9e8))
			c.Wall = traced(1e9, group("m/x.worker", false, map[wall.State]int64{wall.Running: 1e6}))
		}), CPUBound, ""},
		{"only profiles are served", base(func(c *Conditions) {
			c.TargetCPUNs = of(int64(9e8))
			c.Wall = traced(1e9, group("net/http/pprof.Profile", true, map[wall.State]int64{wall.Select: 1e9}))
		}), CPUBound, ""},
		{"CPU time unknown", base(func(c *Conditions) {
			c.TargetCPUNs = nil
			c.Wall = traced(1e9, handler(map[wall.State]int64{wall.Running: 1e6}))
		}), CPUBound, ""},

		// 500 of 1000 are half.
		{"lock", base(inTrace(handler(map[wall.State]int64{wall.Lock: 500e6, wall.Running: 100e6, wall.Runnable: 400e6}))), LockBound,
			"Lock-bound: 50.0 % of the time of requests is spent waiting for a lock, most of it in m/x.lock"},
		{"hardly a lock", base(inTrace(handler(map[wall.State]int64{wall.Lock: 499e6, wall.Running: 101e6, wall.Runnable: 400e6}))), CPUBound, ""},
		{"waiting for a processor is no wait", base(inTrace(handler(map[wall.State]int64{wall.Runnable: 950e6, wall.GCAssist: 49e6, wall.Lock: 1e6}))), CPUBound, ""},
		{"outside of requests", base(inTrace(
			handler(map[wall.State]int64{wall.Running: 600e6}), group("m/x.worker", false, map[wall.State]int64{wall.Lock: 900e6}))), CPUBound, ""},
		{"downstream", base(inTrace(downstream(handler(map[wall.State]int64{wall.Network: 600e6, wall.Running: 400e6}), 600e6))), DownstreamBound,
			"60.0 % of the time of requests is spent waiting for replies to its own requests, most of it in m/x.network"},
		{"downstream by a select", base(inTrace(downstream(handler(map[wall.State]int64{wall.Select: 600e6, wall.Running: 400e6}), 600e6))), DownstreamBound, "in m/x.select"},
		{"network", base(inTrace(handler(map[wall.State]int64{wall.Network: 600e6, wall.Running: 400e6}))), NetworkBound, "60.0 %"},
		{"the kernel works for connections", base(inTrace(socket(handler(map[wall.State]int64{wall.Network: 600e6, wall.Running: 400e6}), 300e6))), CPUBound, ""},
		{"disk", base(inTrace(disk(handler(map[wall.State]int64{wall.Syscall: 700e6, wall.Running: 300e6}), 600e6))), DiskBound, "60.0 % of the time of requests is spent in system calls on files"},
		{"system calls that are not files", base(inTrace(handler(map[wall.State]int64{wall.Syscall: 700e6, wall.Running: 300e6}))), Waiting, "in m/x.syscall"},
		{"channels", base(inTrace(handler(map[wall.State]int64{wall.Channel: 700e6, wall.Running: 300e6}))), Waiting, "70.0 % of the time of requests"},
		// 300 for the lock and 290 downstream: together they are waits, and the
		// lock is the largest.
		{"two kinds", base(inTrace(downstream(handler(map[wall.State]int64{wall.Lock: 300e6, wall.Network: 290e6, wall.Running: 410e6}), 290e6))), LockBound, "30.0 %"},

		{"generator", base(func(c *Conditions) { c.GeneratorCPUNs, c.MachineBusy = of(int64(15e9)), of(0.9) }), GeneratorBound, "used 15.0 s of CPU time and the target 3.00 s"},
		{"the machine has time left", base(func(c *Conditions) { c.GeneratorCPUNs, c.MachineBusy = of(int64(15e9)), of(0.89) }), CPUBound, ""},
		{"how busy the machine was is unknown", base(func(c *Conditions) { c.GeneratorCPUNs = of(int64(15e9)) }), CPUBound, ""},
		{"the generator's time is unknown", base(func(c *Conditions) { c.MachineBusy = of(1.0) }), CPUBound, ""},
		{"the target takes more", base(func(c *Conditions) { c.GeneratorCPUNs, c.MachineBusy = of(int64(2e9)), of(1.0) }), CPUBound, ""},
		// 10 s of 2·10 s are half of what it may use: it is no idle target.
		{"the target saturates", base(func(c *Conditions) {
			c.TargetCPUNs, c.GeneratorCPUNs, c.MachineBusy = of(int64(10e9)), of(int64(11e9)), of(1.0)
		}), CPUBound, ""},
		// Of 2·10 s, 20 s were used: 3.4 s by target and generator, so 16.6 s by others;
		// with 10.1 s theirs is more than half.
		{"others fill the machine", base(func(c *Conditions) {
			c.TargetCPUNs, c.GeneratorCPUNs, c.MachineBusy, c.MachineCores = of(int64(1e9)), of(int64(24e8)), of(1.0), 2
		}), CPUBound, ""},
		{"others take the smaller part", base(func(c *Conditions) {
			c.GeneratorCPUNs, c.MachineBusy, c.MachineCores = of(int64(71e8)), of(1.0), 2
		}), GeneratorBound, "on a machine that was busy for 100.0 %"},
		// 9 s of 1·10 s.
		{"the generator has one processor", base(func(c *Conditions) {
			c.GeneratorCPUNs, c.MachineBusy, c.GeneratorCores = of(int64(9e9)), of(0.6), 1
		}), GeneratorBound, "which is nearly all of the 1 processor it may use"},
		{"the generator's processor has time left", base(func(c *Conditions) {
			c.GeneratorCPUNs, c.MachineBusy, c.GeneratorCores = of(int64(89e8)), of(0.6), 1
		}), CPUBound, ""},
		{"requests wait for a lock meanwhile", base(func(c *Conditions) {
			c.GeneratorCPUNs, c.MachineBusy = of(int64(15e9)), of(1.0)
			c.Wall = traced(1e9, handler(map[wall.State]int64{wall.Lock: 900e6}))
		}), LockBound, ""},
	} {
		v := verdictOf(t, test.s)
		if v.Kind != test.kind || !strings.Contains(v.Text, test.text) {
			t.Errorf("%s: %s %q, want %s with %q", test.name, v.Kind, v.Text, test.kind, test.text)
		}
		if strings.Contains(v.Text, "benchmark") {
			t.Errorf("%s: %q speaks of benchmarks", test.name, v.Text)
		}
		if !strings.Contains(v.Text, "/m/x.go:1") {
			t.Errorf("%s: %q does not say where the cost lies", test.name, v.Text)
		}
	}
}

func TestVerdictOfAProgram(t *testing.T) {
	base := func(cpu int64, groups ...wall.Group) *Subject {
		return running(recording.TargetProgram, Conditions{WallNs: 10e9, Cores: 2, TargetCPUNs: of(cpu), Wall: traced(2e9, groups...)})
	}
	main := func(ns map[wall.State]int64, disk, answers int64) wall.Group {
		g := group("main.main", false, ns)
		g.DiskNs, g.DownstreamNs = disk, answers
		return g
	}
	for _, test := range []struct {
		name string
		s    *Subject
		kind VerdictKind
		text string
	}{
		{"disk", base(3e9, main(map[wall.State]int64{wall.Syscall: 1000e6}, 1000e6, 0)), DiskBound, "50.0 % of the wall time is spent in system calls on files, most of it in m/x.syscall"},
		{"hardly", base(3e9, main(map[wall.State]int64{wall.Syscall: 999e6}, 999e6, 0)), CPUBound, ""},
		{"downstream", base(3e9, main(map[wall.State]int64{wall.Select: 1800e6}, 0, 1800e6)), DownstreamBound, "90.0 %"},
		// Four workers wait for 1.5 s of 2 s each.
		{"several at a time", base(3e9, group("m/x.worker", false, map[wall.State]int64{wall.Lock: 6000e6})), LockBound, "on average 3.0 goroutines are waiting for a lock"},
		{"it uses the CPU", base(5e9, group("m/x.worker", false, map[wall.State]int64{wall.Lock: 6000e6})), CPUBound, ""},
		{"goroutines that wait for each other", base(3e9, main(map[wall.State]int64{wall.Channel: 2000e6, wall.Sync: 2000e6}, 0, 0)), CPUBound, ""},
		{"a listener waits for others", base(3e9, wall.Group{Name: "main.serve", Ns: [wall.NumStates]int64{wall.Network: 2e9}, Where: [wall.NumStates]string{wall.Network: "net.(*TCPListener).Accept"}}), CPUBound, ""},
		{"the agent waits", base(3e9, group("m/internal/whetagent.serve", false, map[wall.State]int64{wall.Network: 2e9})), CPUBound, ""},
	} {
		if v := verdictOf(t, test.s); v.Kind != test.kind || !strings.Contains(v.Text, test.text) {
			t.Errorf("%s: %s %q, want %s with %q", test.name, v.Kind, v.Text, test.kind, test.text)
		}
	}
	// A program's CPU time that is not known is not little.
	s := base(0, main(map[wall.State]int64{wall.Syscall: 2000e6}, 2000e6, 0))
	s.Run.TargetCPUNs = nil
	if v := verdictOf(t, s); v.Kind != CPUBound {
		t.Errorf("CPU time unknown: %+v", v)
	}
}

// The measured code takes 300 samples of 10 ms: c = 3 s. With d = 1.5 s of
// waiting at locks d/(d+c) = 1/3.
func TestVerdictLockBoundByTheMutexProfile(t *testing.T) {
	lock := []string{"m/x.get", "sync.(*Mutex).Unlock"}
	build := func(stack []string, ns int64) *Subject {
		mutex := mutexProfile(sample{stack: stack, n: ns})
		mutex.Parallel = true
		return subject("B", cpuProfile(sample{stack: []string{"m/x.f"}, n: 300}), nil, mutex)
	}
	v := verdictOf(t, build(lock, 15e8))
	if v.Kind != LockBound || v.Text != "Lock-bound: goroutines wait for locks for 500 ms per second of the measured code's CPU time, most of it for the lock at /m/x.go:1 (m/x.get); no rule found a cause; the costliest place is /m/x.go:1" {
		t.Errorf("%+v", v)
	}
	if v = verdictOf(t, build(lock, 14e8)); v.Kind != CPUBound {
		t.Errorf("less: %+v", v)
	}
	sequential := build(lock, 9e9)
	sequential.Mutex.Parallel = false
	if v = verdictOf(t, sequential); v.Kind != CPUBound {
		t.Errorf("sequential: %+v", v)
	}
	for name, stack := range map[string][]string{
		"sync.Once":        {"m/x.get", "sync.(*Once).doSlow", "sync.(*Mutex).Unlock"},
		"the runtime's":    {"runtime.mallocgc", "runtime.unlock"},
		"a channel's wait": {"m/x.get", "runtime.chanrecv1"},
	} {
		if v = verdictOf(t, build(stack, 9e9)); v.Kind != CPUBound {
			t.Errorf("%s: %+v", name, v)
		}
	}
	setup := build(lock, 9e9)
	setup.Mutex.Class[0] = hot.Setup
	if v = verdictOf(t, setup); v.Kind != CPUBound {
		t.Errorf("in set-up: %+v", v)
	}
	// The mutex profile covers a tenth of the CPU profile's iterations: 0.15 s
	// there are 1.5 s here.
	scaled := build(lock, 15e7)
	scaled.MutexIterations, scaled.CPUIterations = 100, 1000
	if v = verdictOf(t, scaled); v.Kind != LockBound {
		t.Errorf("scaled: %+v", v)
	}
	// 0.09 s are less than can be trusted, whatever they stand for.
	scaled = build(lock, 9e7)
	scaled.MutexIterations, scaled.CPUIterations = 1, 1000
	if v = verdictOf(t, scaled); v.Kind != CPUBound {
		t.Errorf("a short delay: %+v", v)
	}
	// The finding that has the delay names the Lock, not the Unlock.
	s := build(lock, 15e8)
	if v = Run(registryOf(t, lockRule(held(4, 6))), []*Subject{s}).Verdict; !strings.HasSuffix(v.Text, "for the lock at /m/x.go:3 (m/x.f)") {
		t.Errorf("with a finding: %+v", v)
	}
}

// 64 requests in flight for 10 s. The mutex profile saw 500 requests wait 160 s
// for locks; for 1000 that is 320 s, of 640: one half, 32 at a time.
func TestVerdictLockBoundServiceWithoutTraces(t *testing.T) {
	build := func(delay int64) *Subject {
		s := running(recording.TargetService, Conditions{WallNs: 10e9, Requests: 1000, Concurrency: 64})
		s.Mutex = mutexProfile(sample{stack: []string{"m/x.get", "sync.(*Mutex).Unlock"}, n: delay})
		s.Mutex.Parallel, s.MutexCol, s.MutexIterations = true, 1, 500
		return s
	}
	if v := verdictOf(t, build(160e9)); v.Kind != LockBound || !strings.Contains(v.Text, "of 64 requests in flight 32.0 wait for a lock") {
		t.Errorf("%+v", v)
	}
	if v := verdictOf(t, build(159e9)); v.Kind != CPUBound {
		t.Errorf("less: %+v", v)
	}
	// A trace of a second in which no request lies whole says nothing: each waits
	// for longer.
	traced := build(160e9)
	traced.Run.Wall = &wall.Result{CoveredNs: 1e9, Groups: []wall.Group{{Name: "net/http.(*conn).serve", Count: 64}}}
	if v := verdictOf(t, traced); v.Kind != LockBound {
		t.Errorf("with a trace without whole requests: %+v", v)
	}
	for name, unknown := range map[string]func(*Subject){
		"requests of the profile": func(s *Subject) { s.MutexIterations = 0 },
		"requests":                func(s *Subject) { s.Run.Requests = 0 },
		"requests in flight":      func(s *Subject) { s.Run.Concurrency = 0 },
		"wall time":               func(s *Subject) { s.Run.WallNs = 0 },
		"everything":              func(s *Subject) { s.Run = nil },
	} {
		s := build(600e9)
		unknown(s)
		if v := verdictOf(t, s); v.Kind != CPUBound {
			t.Errorf("%s unknown: %+v", name, v)
		}
	}
}

// What a user can do about few samples depends on what was run.
func TestWordsForEachKind(t *testing.T) {
	for _, test := range []struct{ kind, want, not string }{
		{"", "in 1 benchmark, 200 needed; raise -budget or -benchtime", "-count"},
		{recording.TargetBenchmark, "in 1 benchmark, 200 needed; raise -budget or -benchtime", "-count"},
		{recording.TargetService, "of the measured code, 200 needed; raise -d", "benchmark"},
		{recording.TargetProgram, "of the measured code, 200 needed; run it longer, or more often with -count", "benchmark"},
	} {
		s := subject("x", cpuProfile(sample{stack: []string{"m/x.f"}, n: 30}), nil, nil)
		s.Kind = test.kind
		res := Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{s})
		if v := res.Verdict; v.Kind != TooFewSamples || !strings.Contains(v.Text, test.want) || strings.Contains(v.Text, test.not) {
			t.Errorf("%q: %+v", test.kind, v)
		}
		other := *s
		res = Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{s, &other})
		if len(res.Warnings) != 1 || strings.Contains(res.Warnings[0], test.not) || !strings.HasSuffix(res.Warnings[0], test.want[strings.LastIndex(test.want, ";")+2:]) {
			t.Errorf("%q: warnings %q", test.kind, res.Warnings)
		}
		s.CPU = nil
		if v := verdictOf(t, s); strings.Contains(v.Text, test.not) {
			t.Errorf("%q without a profile: %+v", test.kind, v)
		}
	}
}

// A process without the CPU: a benchmark wants all there is, a program may
// have had nothing to do, a service shares the machine with its load.
func TestStarvedByOthers(t *testing.T) {
	for _, test := range []struct {
		kind string
		busy *float64
		want bool
	}{
		{recording.TargetBenchmark, nil, true},
		{recording.TargetProgram, nil, false},
		{recording.TargetProgram, of(0.89), false},
		{recording.TargetProgram, of(0.9), true},
		{recording.TargetService, of(1.0), false},
	} {
		s := running(test.kind, Conditions{MachineBusy: test.busy})
		s.CPU.Duration = 30e9 // 3 s of CPU time
		res := Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{s})
		if got := len(res.Warnings) > 0; got != test.want {
			t.Errorf("%s %v: warnings %q", test.kind, test.busy, res.Warnings)
		}
	}
}

// A service that answers quickly parks and wakes a goroutine for each request:
// half of these samples are the scheduler's, and the process used 6 s of 30.
// That its requests do not wait is known from the trace.
func TestParkingIsNotWaiting(t *testing.T) {
	handler := group("m/x.(*S).ServeHTTP", true, map[wall.State]int64{wall.Runnable: 900e6, wall.Running: 100e6})
	for _, test := range []struct {
		name string
		wall *wall.Result
		want VerdictKind
	}{
		{"traced", traced(1e9, handler), CPUBound},
		{"not traced", nil, Waiting},
		{"no handler in the trace", traced(1e9, group("m/x.loop", false, map[wall.State]int64{wall.Channel: 1e9})), Waiting},
	} {
		cpu := cpuProfile(
			sample{stack: []string{"m/x.f"}, n: 300},
			sample{stack: []string{"runtime.mcall", "runtime.schedule"}, n: 300, class: hot.Background},
		)
		cpu.Duration = 30e9
		s := subject("x", cpu, nil, nil)
		s.Kind, s.Run = recording.TargetService, &Conditions{WallNs: 30e9, Cores: 2, TargetCPUNs: of(int64(6e9)), Wall: test.wall}
		if v := verdictOf(t, s); v.Kind != test.want {
			t.Errorf("%s: %s %q, want %s", test.name, v.Kind, v.Text, test.want)
		}
	}
}

// A machine of 2 processors, full for 10 s: 20 s, of which target and generator
// have 5 or 12.
func TestCrowdedService(t *testing.T) {
	for _, test := range []struct {
		generator int64
		want      bool
	}{{2e9, true}, {9e9, false}} {
		s := running(recording.TargetService, Conditions{WallNs: 10e9, Cores: 2, MachineCores: 2, MachineBusy: of(1.0), TargetCPUNs: of(int64(3e9)), GeneratorCPUNs: &test.generator})
		text := strings.Join(Run(registryOf(t, ruleFor("none", "m/x.absent", 200)), []*Subject{s}).Warnings, "\n")
		if got := strings.Contains(text, "mostly with processes other than the target and the load"); got != test.want {
			t.Errorf("generator %d: %q", test.generator, text)
		}
	}
}
