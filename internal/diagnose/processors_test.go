package diagnose

import (
	"math"
	"strings"
	"testing"

	"whet/internal/analyze/scaling"
)

// onProcessors gives a subject the figures of six pairs of runs, at one processor and at
// four of eight cores.
func onProcessors(s *Subject, one, all scaling.Turn) *Subject {
	one.Processors, all.Processors = 1, 4
	var turns []scaling.Turn
	for range 6 {
		turns = append(turns, one, all)
	}
	s.Processors = &Processors{Processors: scaling.ByProcessors(turns), Machine: scaling.Machine{Cores: 8}}
	return s
}

func TestScalingNamesWhatStopsIt(t *testing.T) {
	one := scaling.Turn{Ns: 100, CPUNs: 100, Busy: 1, Wanted: 1}
	add := []string{"m/x.count:7", "sync/atomic.(*Int64).Add"}
	work := func() *Subject {
		// An operation takes 100 ns at one processor, 50 of them in count; at four 400, of
		// which count has 330. What is added is 300: 280 in count, 20 in rest.
		s := subject("B", lineProfile(cpuTypes, sample{stack: add, n: 330}, sample{stack: []string{"m/x.rest:9"}, n: 70}), nil, nil)
		s.CPUIterations = 1000
		onProcessors(s, one, scaling.Turn{Ns: 100, CPUNs: 400, Busy: 4, Wanted: 4})
		s.Processors.One = lineProfile(cpuTypes, sample{stack: add, n: 50}, sample{stack: []string{"m/x.rest:9"}, n: 50})
		s.Processors.OneColumn, s.Processors.OneIterations = 1, 1000
		return s
	}
	waiting := func() *Subject {
		s := subject("B", lineProfile(cpuTypes, sample{stack: []string{"m/x.get:5"}, n: 500}), nil, nil)
		return onProcessors(s, one, scaling.Turn{Ns: 95, CPUNs: 100, Busy: 1.05, Wanted: 1.05})
	}
	withBlock := func(of ...string) *Subject {
		s := waiting()
		s.Block, s.BlockCol, s.BlockIterations = lineProfile(mutexTypes, sample{stack: of, n: 3e9}), 1, 10_000_000
		return s
	}
	for _, test := range []struct {
		name, want string
		s          *Subject
	}{
		{"a counter", "an operation takes 4.00 times the CPU time, and 93.3 % of the increase is at /m/x.go:7 (m/x.count, sync/atomic.(*Int64).Add)", work()},
		{"the profile at one is missing", "an operation takes 4.00 times the CPU time", func() *Subject {
			s := work()
			s.Processors.One = nil
			return s
		}()},
		{"a lock", "1.1 of them are busy on average, the others wait for the lock at /m/x.go:5 (m/x.get), 300 ns an operation", withBlock("m/x.get:5", "sync.(*Mutex).Lock")},
		{"a channel", "1.1 of them are busy on average, the others wait for the channel at /m/x.go:6 (m/x.put), 300 ns an operation", withBlock("m/x.put:6", "runtime.chansend1")},
		{"nothing that waits", "1.1 of them are busy on average, the others are idle", waiting()},
	} {
		text := test.s.Scaling()
		if _, tail, _ := strings.Cut(text, " as on 1; "); tail != test.want || !test.s.DoesNotScale() {
			t.Errorf("%s: %q, want … %q", test.name, text, test.want)
		}
		if v := verdictOf(t, test.s); !strings.Contains(v.Text, "; it is only "+text) {
			t.Errorf("%s: verdict %q", test.name, v.Text)
		}
	}
}

func TestScalingIsSilentInTheVerdict(t *testing.T) {
	one := scaling.Turn{Ns: 100, CPUNs: 100, Busy: 1, Wanted: 1}
	nan := math.NaN()
	for _, test := range []struct {
		want     string
		one, all scaling.Turn
	}{
		{"4.00 times as fast (4.00 to 4.00) on 4 processors as on 1", one, scaling.Turn{Ns: 25, CPUNs: 100, Busy: 4, Wanted: 4}},
		{"it keeps one busy for 10.0 % of the time, and otherwise waits", scaling.Turn{Ns: 1000, CPUNs: 100, Busy: 0.1, Wanted: 0.1}, scaling.Turn{Ns: 1000, CPUNs: 100, Busy: 0.1, Wanted: 0.1}},
		{"other processes had the processors, and it got 1.0 of the 4.0 that it could use", one, scaling.Turn{Ns: 100, CPUNs: 100, Busy: 1, Wanted: 6}},
	} {
		s := onProcessors(subject("B", cpuProfile(sample{stack: []string{"m/x.f"}, n: 500}), nil, nil), test.one, test.all)
		if text := s.Scaling(); !strings.HasSuffix(text, test.want) || s.DoesNotScale() {
			t.Errorf("%q, want … %q", text, test.want)
		}
		if v := verdictOf(t, s); strings.Contains(v.Text, "processors") {
			t.Errorf("verdict %q", v.Text)
		}
	}
	s := subject("B", cpuProfile(sample{stack: []string{"m/x.f"}, n: 500}), nil, nil)
	if s.Scaling() != "" || s.DoesNotScale() {
		t.Error("it was not asked")
	}
	// Two pairs say nothing of 95 %.
	turns := []scaling.Turn{one, {Processors: 2, Ns: 100, CPUNs: nan, Busy: nan, Wanted: nan}}
	turns[0].Processors = 1
	s.Processors = &Processors{Processors: scaling.ByProcessors(turns)}
	if text := s.Scaling(); !strings.HasSuffix(text, "does not say whether it scales: a longer run (-budget) would") || s.DoesNotScale() {
		t.Errorf("%q", text)
	}
}

// Of several benchmarks the one that gains least is named.
func TestLeastScaling(t *testing.T) {
	one := scaling.Turn{Ns: 100, CPUNs: 100, Busy: 1, Wanted: 1}
	of := func(name string, ns float64) *Subject {
		s := subject(name, cpuProfile(sample{stack: []string{"m/x.f"}, n: 500}), nil, nil)
		return onProcessors(s, one, scaling.Turn{Ns: ns, CPUNs: 100, Busy: 100 / ns, Wanted: 100 / ns})
	}
	text := verdictOf(t, of("A", 90), of("B", 110), of("C", 80), of("D", 25)).Text
	if !strings.Contains(text, "; B is only 0.91 times as fast ") || !strings.HasSuffix(text, ", and 2 others do not scale either") {
		t.Errorf("%q", text)
	}
	if text := verdictOf(t, of("A", 90), of("B", 110)).Text; !strings.HasSuffix(text, ", and 1 other does not scale either") {
		t.Errorf("%q", text)
	}
}
