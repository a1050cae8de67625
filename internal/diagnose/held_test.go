package diagnose

import (
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/finding"
	"whet/internal/recording"
)

func all(int) bool { return true }

// lockRule claims a lock at line 3 of m/x.go that is held on the given lines.
func lockRule(held ...Location) Rule {
	return Rule{
		ID: "lock", Title: "lock", Doc: doc, MinSamples: 1, Evidence: []EvidenceKind{EvidenceMutex},
		Find: func(s *Subject) []Claim {
			return []Claim{{
				Place: Location{Function: "m/x.f", File: "/m/x.go", Line: 3, EndLine: 3},
				Cost:  Samples{Mutex: all}, Held: held,
			}}
		},
	}
}

// workRule claims a function's samples at a line.
func workRule(id, fn string, line int) Rule {
	r := ruleFor(id, fn, 1)
	find := r.Find
	r.Find = func(s *Subject) []Claim {
		cs := find(s)
		cs[0].Place.Line, cs[0].Place.EndLine = line, line
		cs[0].Cost.Mutex = nil
		return cs
	}
	return r
}

func held(first, last int) Location { return Location{File: "/m/x.go", Line: first, EndLine: last} }

func byRule(fs []finding.Finding, rule string) *finding.Finding {
	if i := slices.IndexFunc(fs, func(f finding.Finding) bool { return f.Rule == rule }); i >= 0 {
		return &fs[i]
	}
	return nil
}

func order(fs []finding.Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Rule)
	}
	return strings.Join(out, " ")
}

// In these tests every frame is on line 1 of x.go, so that held(1, n) is passed
// by all samples and held(2, n) by none.
//
// The base has 100 samples of 10 ms: c = 1 s. The lock's delay is d = 3 s, so
// that d/(d+c) = 0.75 and the ceiling 1/(1−0.75) = 4. The work has 60 of the
// 100 samples: 0.6, and alone a ceiling of 2.5.
func TestWorkUnderALockTakesItsDelay(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.work"}, n: 60}, sample{stack: []string{"m/x.small"}, n: 30}, sample{stack: []string{"m/x.rest"}, n: 10})
	mutex := func(ns int64) *hot.Classified { return mutexProfile(sample{stack: []string{"m/x.f"}, n: ns}) }
	run := func(s *Subject, rules ...Rule) []finding.Finding {
		t.Helper()
		return Run(registryOf(t, rules...), []*Subject{s}).Findings
	}
	s := subject("B", cpu, nil, mutex(3e9))

	// Lines 4 to 6 are held: the work's line 5 lies there, the other's 9 not.
	fs := run(s, lockRule(held(4, 6)), workRule("work", "m/x.work", 5), workRule("other", "m/x.small", 9))
	work, lock, other := byRule(fs, "work"), byRule(fs, "lock"), byRule(fs, "other")
	if order(fs) != "work lock other" {
		t.Errorf("order: %s", order(fs))
	}
	if !near(work.DelayRatio, 0.75) || !near(work.CPURatio, 0.6) || !near(work.CeilingRatio, 4) || !near(work.Weight(), 0.75) || work.UnderLock != "/m/x.go:3" {
		t.Errorf("work: %+v", work)
	}
	if e := work.Evidence[len(work.Evidence)-1]; e.Kind != "mutex" || !strings.Contains(e.Text, "/m/x.go:3") || !strings.Contains(e.Text, "75.0 %") {
		t.Errorf("evidence: %+v", e)
	}
	if !near(lock.DelayRatio, 0.75) || lock.UnderLock != "" || !near(lock.Weight(), 0.75) {
		t.Errorf("lock: %+v", lock)
	}
	if other.DelayRatio != 0 || other.UnderLock != "" {
		t.Errorf("other: %+v", other)
	}

	// By calls: the statement is elsewhere, its samples come from held lines.
	fs = run(s, lockRule(held(1, 1)), workRule("work", "m/x.work", 50))
	if work = byRule(fs, "work"); work.UnderLock == "" || !near(work.DelayRatio, 0.75) {
		t.Errorf("through a call: %+v", work)
	}
	// The heaviest takes it, alone.
	fs = run(s, lockRule(held(1, 9)), workRule("small", "m/x.small", 4), workRule("work", "m/x.work", 5))
	if order(fs) != "work lock small" || byRule(fs, "small").DelayRatio != 0 {
		t.Errorf("the heaviest: %s, %+v", order(fs), byRule(fs, "small"))
	}
	// Of 100 samples under the lock it has 30: the lock would be held anyway.
	fs = run(s, lockRule(held(1, 9)), workRule("small", "m/x.small", 4))
	if byRule(fs, "small").DelayRatio != 0 || order(fs) != "lock small" {
		t.Errorf("30 of 100 samples under the lock took its delay: %+v", byRule(fs, "small"))
	}
	// Elsewhere, and not called from there.
	fs = run(s, lockRule(held(4, 6)), workRule("work", "m/x.work", 7))
	if byRule(fs, "work").DelayRatio != 0 || order(fs) != "lock work" {
		t.Errorf("outside the lock: %+v", byRule(fs, "work"))
	}
	// A delay below a tenth is nobody's: d = 50 ms, 0.05/1.05 < 0.1.
	fs = run(subject("B", cpu, nil, mutex(5e7)), lockRule(held(4, 6)), workRule("work", "m/x.work", 5))
	if byRule(fs, "work").DelayRatio != 0 || byRule(fs, "lock") != nil {
		t.Errorf("a small delay: %+v", fs)
	}
}

// Work that is below the threshold of its own is no finding though it is what a
// lock is held for, 4 of 100 samples: then the lock is.
func TestLittleWorkUnderALock(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.work"}, n: 4}, sample{stack: []string{"m/x.rest"}, n: 96})
	s := subject("B", cpu, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 1e9}))
	res := Run(registryOf(t, lockRule(held(4, 6)), workRule("work", "m/x.work", 5)), []*Subject{s})
	if order(res.Findings) != "lock" || !near(res.Findings[0].DelayRatio, 0.5) {
		t.Errorf("%+v", res.Findings)
	}
	if order(res.Below) != "work" || res.Below[0].DelayRatio != 0 || res.Below[0].UnderLock != "" {
		t.Errorf("below: %+v", res.Below)
	}
	// The threshold is that of the avoidable part: 60 of 100 samples, of which 1
	// could go.
	cpu = cpuProfile(sample{stack: []string{"m/x.work", "write"}, n: 59}, sample{stack: []string{"m/x.work", "format"}, n: 1}, sample{stack: []string{"m/x.rest"}, n: 40})
	work := workRule("work", "m/x.work", 5)
	find := work.Find
	work.Find = func(s *Subject) []Claim {
		cs := find(s)
		cs[0].Avoidable = Samples{CPU: through(s.CPU, "format")}
		return cs
	}
	s = subject("B", cpu, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 3e9}))
	if fs := Run(registryOf(t, lockRule(held(4, 6)), work), []*Subject{s}).Findings; order(fs) != "lock" {
		t.Errorf("of which little is avoidable: %s", order(fs))
	}
}

// The base has 100 samples, 1 s; the delay of 3 s is 0.75 of both. Over 30,000
// requests it is 100 µs each, of 2 ms: 0.05 of the time, and 1/(1−0.05) of the
// ceiling; with the work's 0.6 of the CPU time that is 2.5.
func TestCeilingOfADelay(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.work"}, n: 60}, sample{stack: []string{"m/x.rest"}, n: 40})
	for _, test := range []struct {
		name        string
		kind        string
		serviceTime float64
		requests    int64
		lock, work  float64
		says        string
	}{
		{"benchmark", recording.TargetBenchmark, 0, 0, 4, 4, ""},
		{"service", recording.TargetService, 2e6, 30_000, 1 / 0.95, 2.5, "100 µs of waiting for the lock in a request of 2.00 ms"},
		{"long waits", recording.TargetService, 2e6, 2000, 4, 4, "1.50 ms of waiting"},
		{"longer than requests take", recording.TargetService, 2e6, 1, finding.MaxCeiling, finding.MaxCeiling, ""},
		{"service time unknown", recording.TargetService, 0, 30_000, 1, 2.5, "the delay's effect on the time is unknown"},
		{"requests unknown", recording.TargetService, 2e6, 0, 1, 2.5, "unknown"},
		{"program", recording.TargetProgram, 0, 1, 1, 2.5, "wait concurrently"},
	} {
		s := subject("B", cpu, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 3e9}))
		s.Kind, s.MutexIterations, s.Run = test.kind, test.requests, &Conditions{ServiceTimeNs: test.serviceTime}
		fs := Run(registryOf(t, lockRule(held(4, 6)), workRule("work", "m/x.work", 5)), []*Subject{s}).Findings
		work, lock := byRule(fs, "work"), byRule(fs, "lock")
		if order(fs) != "work lock" || !near(lock.DelayRatio, 0.75) || !near(work.DelayRatio, 0.75) {
			t.Fatalf("%s: %+v", test.name, fs)
		}
		if !near(lock.CeilingRatio, test.lock) || !near(lock.CeilingWithGCRatio, test.lock) || !near(work.CeilingRatio, test.work) || !near(work.CeilingWithGCRatio, test.work) {
			t.Errorf("%s: ceilings %v and %v, with the collector %v and %v; want %v and %v", test.name, lock.CeilingRatio, work.CeilingRatio, lock.CeilingWithGCRatio, work.CeilingWithGCRatio, test.lock, test.work)
		}
		text := ""
		for _, e := range lock.Evidence {
			if e.Kind != "open" {
				text += e.Text
			}
		}
		if !strings.Contains(text, test.says) || test.says == "" && test.kind == recording.TargetBenchmark && text != "" {
			t.Errorf("%s: evidence %q", test.name, text)
		}
	}
}

// Of two benchmarks the one without contention leaves the other's delay alone.
func TestDelaysOfSeveralBenchmarks(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.work"}, n: 60}, sample{stack: []string{"m/x.rest"}, n: 40})
	quiet := subject("A", cpu, nil, nil)
	busy := subject("B", cpu, nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 3e9}))
	reg := registryOf(t, lockRule(held(4, 6)), workRule("work", "m/x.work", 5))
	for _, subjects := range [][]*Subject{{quiet, busy}, {busy, quiet}} {
		fs := Run(reg, subjects).Findings
		work := byRule(fs, "work")
		if order(fs) != "work lock" || !near(work.DelayRatio, 0.75) || work.UnderLock == "" || !slices.Equal(work.Benchmarks, []string{"A", "B"}) || work.Unknown.Delay {
			t.Errorf("%+v", work)
		}
	}
}

// The words come from the heavier benchmark (0.9 of the CPU), the delay and the
// lock from the other (0.75).
func TestTheLockIsTheDelays(t *testing.T) {
	quiet := subject("A", cpuProfile(sample{stack: []string{"m/x.work"}, n: 90}, sample{stack: []string{"m/x.rest"}, n: 10}), nil, nil)
	busy := subject("B", cpuProfile(sample{stack: []string{"m/x.work"}, n: 60}, sample{stack: []string{"m/x.rest"}, n: 40}), nil, mutexProfile(sample{stack: []string{"m/x.f"}, n: 3e9}))
	reg := registryOf(t, lockRule(held(4, 6)), workRule("work", "m/x.work", 5))
	for _, subjects := range [][]*Subject{{quiet, busy}, {busy, quiet}} {
		work := byRule(Run(reg, subjects).Findings, "work")
		if !near(work.CPURatio, 0.9) || !near(work.DelayRatio, 0.75) || work.UnderLock != "/m/x.go:3" {
			t.Errorf("%+v", work)
		}
	}
}

type everyFile string

func (s everyFile) Text(string) []byte         { return []byte(s) }
func (s everyFile) Display(file string) string { return file }

// A claim about waits alone is as sure as the waits are many.
func TestConfidenceOfWaits(t *testing.T) {
	for _, test := range []struct {
		waits int
		want  finding.Confidence
	}{{fewContentions - 1, finding.Medium}, {fewContentions, finding.High}} {
		var samples []sample
		for range test.waits {
			samples = append(samples, sample{stack: []string{"m/x.f"}, n: 1e7, size: 1})
		}
		s := subject("B", cpuProfile(sample{stack: []string{"m/x.rest"}, n: 100}), nil, mutexProfile(samples...))
		s.Source = everyFile("package x\nfunc f() {\n\tg()\n}\n")
		f := Run(registryOf(t, lockRule(held(4, 6))), []*Subject{s}).Findings[0]
		if f.Confidence != test.want {
			t.Errorf("%d waits: %s", test.waits, f.Confidence)
		}
	}
}

func (s *Subject) mostPassing(held Location) (Location, float64, bool) {
	return s.MostUnder(passing(s.CPU, s.CPUColumn, []Location{held}))
}

// Of 100 samples under the lock 60 are spent in work, 40 of them below it in
// package fmt: 0.6. Nothing is said of few samples, nor where no line has half.
func TestMostUnderALock(t *testing.T) {
	cpu := cpuProfile(sample{stack: []string{"m/x.work", "fmt.Sprint"}, n: 40}, sample{stack: []string{"m/x.work"}, n: 20}, sample{stack: []string{"m/x.rest"}, n: 40})
	at, share, ok := subject("B", cpu, nil, nil).mostPassing(held(1, 1))
	if !ok || at.Function != "m/x.work" || !near(share, 0.6) {
		t.Errorf("%+v, %v, %v", at, share, ok)
	}
	for name, c := range map[string]struct {
		cpu  *hot.Classified
		held Location
	}{
		"not under it": {cpu, held(2, 9)},
		"few samples":  {cpuProfile(sample{stack: []string{"m/x.work"}, n: 19}), held(1, 1)},
		"no half":      {cpuProfile(sample{stack: []string{"m/x.a"}, n: 40}, sample{stack: []string{"m/x.b"}, n: 40}, sample{stack: []string{"m/x.c"}, n: 40}), held(1, 1)},
		"no profile":   {nil, held(1, 1)},
	} {
		if at, _, ok := subject("B", c.cpu, nil, nil).mostPassing(c.held); ok {
			t.Errorf("%s: %+v", name, at)
		}
	}
}
