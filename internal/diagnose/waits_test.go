package diagnose

import (
	"testing"

	"whet/internal/recording"
)

// A lock's claim stands by its waits: at least 100 of them, and a tenth of the
// time. No CPU sample of the base is needed.
func TestWaitsDecide(t *testing.T) {
	idle := cpuProfile()
	busy := cpuProfile(sample{stack: []string{"m/x.rest"}, n: 100}) // 1 s
	for _, test := range []struct {
		name  string
		build func() *Subject
		want  bool
	}{
		{"99 waits", func() *Subject {
			return subject("B", idle, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 9e9, size: 99}))
		}, false},
		{"100 waits, and no CPU sample at all", func() *Subject {
			return subject("B", idle, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 9e9, size: 100}))
		}, true},
		// 0.11/(0.11 + 1) is a tenth, less a little; 0.12/1.12 is more.
		{"0.11 s of 1 s of CPU time", func() *Subject {
			return subject("B", busy, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 11e7}))
		}, false},
		{"0.12 s of 1 s of CPU time", func() *Subject {
			return subject("B", busy, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 12e7}))
		}, true},
		// 1000 operations of 2 ms on 4 processors have 8 s: 0.8 s are a tenth.
		{"a tenth of the operations, without a CPU profile", func() *Subject {
			s := subject("B", nil, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 8e8}))
			s.MutexIterations, s.NsPerOp, s.Procs = 1000, 2e6, 4
			return s
		}, true},
		{"less", func() *Subject {
			s := subject("B", nil, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 7e8}))
			s.MutexIterations, s.NsPerOp, s.Procs = 1000, 2e6, 4
			return s
		}, false},
		// 1000 requests of 10 ms: 1 s of waiting is a tenth of their time,
		// however much CPU time they take.
		{"a tenth of a request", func() *Subject {
			s := subject("B", busy, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 1e9}))
			s.Kind, s.MutexIterations, s.Run = recording.TargetService, 1000, &Conditions{ServiceTimeNs: 1e7}
			return s
		}, true},
		{"less of a request", func() *Subject {
			s := subject("B", idle, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 9e8}))
			s.Kind, s.MutexIterations, s.Run = recording.TargetService, 1000, &Conditions{ServiceTimeNs: 1e7}
			return s
		}, false},
		// A program waited 0.9 s of 10 s: side by side, and that is next to nothing.
		{"a program that seldom waits", func() *Subject {
			s := subject("B", idle, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 9e8}))
			s.Kind, s.Run = recording.TargetProgram, &Conditions{WallNs: 1e10}
			return s
		}, false},
		{"a program that waits", func() *Subject {
			s := subject("B", idle, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 11e8}))
			s.Kind, s.Run = recording.TargetProgram, &Conditions{WallNs: 1e10}
			return s
		}, true},
	} {
		s := test.build()
		s.Procs = 4
		fs := Run(registryOf(t, lockRule()), []*Subject{s}).Findings
		if (len(fs) == 1) != test.want {
			t.Errorf("%s: %d findings", test.name, len(fs))
			continue
		}
		if test.want && fs[0].Processors != 4 {
			t.Errorf("%s: %d processors", test.name, fs[0].Processors)
		}
	}

	// With a remedy, the delay counts against the CPU time alone: a request of
	// 100 ms that waits in line for a processor waits 1 ms for the lock.
	s := subject("B", busy, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 1e9}))
	s.Kind, s.MutexIterations, s.Run = recording.TargetService, 1000, &Conditions{ServiceTimeNs: 1e8}
	if fs := Run(registryOf(t, lockRule()), []*Subject{s}).Findings; len(fs) != 0 {
		t.Errorf("a hundredth of a request, without a remedy: %+v", fs)
	}
	if fs := Run(registryOf(t, lockRule(held(4, 6))), []*Subject{s}).Findings; len(fs) != 1 {
		t.Error("a hundredth of a request, half of the delay and the CPU time, with a remedy: no finding")
	}
}
