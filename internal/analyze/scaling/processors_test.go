package scaling

import (
	"math"
	"testing"
)

// turn is one run: b processors in use of those that it wanted, so that an operation of
// c ns CPU time takes c/b.
func turn(processors int, c, b, wanted float64) Turn {
	return Turn{Processors: processors, Ns: c / b, CPUNs: c, Busy: b, Wanted: wanted}
}

// pairsOf are n pairs of runs, in either order.
func pairsOf(n int, one, all Turn) (turns []Turn) {
	for i := range n {
		a, b := one, all
		if i%2 > 0 {
			a, b = b, a
		}
		turns = append(turns, a, b)
	}
	return turns
}

// What is measured comes back by the formula: t1/tp = p · (bp/p) · (c1/cp) / b1.
func TestByProcessors(t *testing.T) {
	for _, test := range []struct {
		name     string
		one, all Turn
		speedup  float64
		answer   Verdict
		more     bool
	}{
		{"scales", turn(1, 100, 1, 1), turn(4, 100, 4, 4), 4, Scales, false},
		{"a lock: one works at a time", turn(1, 100, 1, 1), turn(4, 100, 1, 1), 1, Stops, false},
		{"a counter: all work, at what one does in a quarter", turn(1, 100, 1, 1), turn(4, 400, 4, 4), 1, Stops, true},
		{"slower", turn(1, 100, 1, 1), turn(4, 800, 4, 4), 0.5, Stops, true},
		{"both, and more of it work: 4/3.2 against 1.5", turn(1, 100, 1, 1), turn(4, 150, 3.2, 3.2), 3.2 / 1.5, Stops, true},
		{"both, and more of it idle: 4/2 against 1.5", turn(1, 100, 1, 1), turn(4, 150, 2, 2), 2 / 1.5, Stops, false},
		{"sleeps", turn(1, 100, 0.1, 0.1), turn(4, 100, 0.4, 0.4), 4, NotBusy, false},
		{"others have the processors", turn(1, 100, 1, 1), turn(4, 100, 1, 4), 1, Disturbed, false},
		{"others have the one", turn(1, 100, 0.3, 1), turn(4, 100, 4, 4), 4 / 0.3, Disturbed, false},
		{"many threads want the one, and it gets it", turn(1, 100, 0.9, 3), turn(4, 100, 3.6, 9), 4, Scales, false},
		{"nobody knows the CPU time", turn(1, 100, 1, 1), Turn{Processors: 4, Ns: 100, CPUNs: math.NaN(), Busy: math.NaN(), Wanted: math.NaN()}, 1, Stops, false},
	} {
		p := ByProcessors(pairsOf(6, test.one, test.all))
		if p == nil || p.Pairs != 6 || p.Processors != 4 || !near(p.Speedup.Center, test.speedup) || !near(p.Speedup.Low, test.speedup) {
			t.Errorf("%s: %+v", test.name, p)
			continue
		}
		if got := p.Answer(Machine{Cores: 8}); got != test.answer || p.MoreWork(Machine{Cores: 8}) != test.more {
			t.Errorf("%s: %s, more work %t", test.name, got, p.MoreWork(Machine{Cores: 8}))
		}
		if !near(p.OneNs, test.one.Ns) || !near(p.Ns, test.all.Ns) {
			t.Errorf("%s: %v and %v", test.name, p.OneNs, p.Ns)
		}
	}
	// Four processors on two cores can be twice as fast and no more.
	if p := ByProcessors(pairsOf(6, turn(1, 100, 1, 1), turn(4, 100, 2, 2))); p.Answer(Machine{Cores: 2}) != Scales || p.Answer(Machine{Cores: 4}) != Stops || p.Answer(Machine{Cores: 0}) != Stops {
		t.Errorf("on 2 cores %s, on 4 %s", p.Answer(Machine{Cores: 2}), p.Answer(Machine{Cores: 4}))
	}
}

// Eight threads of four cores at most are four times as fast: 3.2 times is four fifths
// of that, though an operation takes 2.5 times the CPU time. Half of it is none, with all
// eight at work or one in four.
func TestThreadsOfOneCore(t *testing.T) {
	m := Machine{Cores: 8, Physical: 4}
	for _, test := range []struct {
		all    Turn
		answer Verdict
		more   bool
	}{
		{turn(8, 250, 8, 8), Scales, true},
		{turn(8, 500, 8, 8), Stops, true},
		{turn(8, 100, 1.6, 1.6), Stops, false},
		{turn(4, 100, 4, 4), Scales, false}, // a core for each
		{turn(4, 100, 1.6, 1.6), Stops, false},
	} {
		p := ByProcessors(pairsOf(6, turn(1, 100, 1, 1), test.all))
		if got := p.Answer(m); got != test.answer || p.MoreWork(m) != test.more {
			t.Errorf("%+v: %s, more work %t", test.all, got, p.MoreWork(m))
		}
	}
	if p := ByProcessors(pairsOf(6, turn(1, 100, 1, 1), turn(8, 250, 8, 8))); p.Answer(Machine{Cores: 8}) != Stops {
		t.Errorf("on eight cores: %s", p.Answer(Machine{Cores: 8}))
	}
}

// The interval is the sorted ratios' of six pairs: the range covers 1 − 2/64.
func TestSpeedupInterval(t *testing.T) {
	var turns []Turn
	for _, speedup := range []float64{1.4, 1.6, 1.2, 1.5, 1.3, 1.7} {
		turns = append(turns, turn(1, 100, 1, 1), Turn{Processors: 2, Ns: 100 / speedup, CPUNs: 100, Busy: speedup, Wanted: speedup})
	}
	p := ByProcessors(turns)
	if !near(p.Speedup.Low, 1.2) || !near(p.Speedup.High, 1.7) || !near(p.Speedup.Center, math.Sqrt(1.4*1.5)) || !near(p.Speedup.Coverage, 1-2.0/64) {
		t.Errorf("%+v", p.Speedup)
	}
	if p.Answer(Machine{Cores: 2}) != Unclear { // 1.5 lies inside
		t.Errorf("%s", p.Answer(Machine{Cores: 2}))
	}
	if p := ByProcessors(turns[:10]); p.Answer(Machine{Cores: 2}) != Unclear || p.Speedup.Coverage >= confidence {
		t.Errorf("five pairs: %s, %+v", p.Answer(Machine{Cores: 2}), p.Speedup)
	}
	// What is no pair is left out.
	for _, bad := range [][]Turn{nil, turns[:1], {turn(2, 1, 1, 1), turn(2, 1, 1, 1)}, {turn(1, 1, 1, 1), turn(1, 1, 1, 1)}, {turn(1, 0, 1, 1), turn(2, 1, 1, 1)}, {turn(1, math.Inf(1), 1, 1), turn(2, 1, 1, 1)}} {
		if p := ByProcessors(bad); p != nil {
			t.Errorf("%+v: %+v", bad, p)
		}
	}
	if p := ByProcessors(append(turns[:2:2], turn(1, 1, 1, 1), turn(3, 1, 1, 1))); p.Pairs != 1 || p.Processors != 2 {
		t.Errorf("%+v", p)
	}
}
