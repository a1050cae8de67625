package lockheld

import (
	"fmt"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/finding"
)

// shop is the method that locks, with the log statement's body.
const shop = `
func (s *S) sell(a, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	s.log.Printf("%d", s.n)
}
`

type display struct{}

func (display) Text(string) []byte         { return nil }
func (display) Display(file string) string { return file }

// at returns a frame on a line of x.go, or of another file for a library's.
func at(line int, function string) callstack.Frame {
	f := callstack.Frame{Function: function, File: "x.go", Line: line}
	if !strings.HasPrefix(function, "m/") {
		f.File = "lib.go"
	}
	return f
}

type stack struct {
	n      int64
	frames []callstack.Frame // root first
}

func classified(first, second callstack.ValueType, scale int64, stacks ...stack) *hot.Classified {
	b := callstack.NewBuilder(first, second)
	for _, s := range stacks {
		var ids []callstack.Frame
		for i := len(s.frames) - 1; i >= 0; i-- {
			ids = append(ids, s.frames[i])
		}
		b.AddFrames(ids, nil, s.n, s.n*scale)
	}
	c := &hot.Classified{Frames: b.Frames(), Class: make([]hot.Class, len(stacks)), LoopsKnown: true, Parallel: true}
	return c
}

// shopSubject has 1000 waits of 1 ms for the lock of sell and 100 samples
// elsewhere beside those given.
func shopSubject(t *testing.T, text string, cpu ...stack) *diagnose.Subject {
	serve := at(1, "net/http.(*conn).serve")
	cpu = append(cpu, stack{100, []callstack.Frame{serve, at(1, "m/x.other")}})
	contentions, delay := callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"}
	return &diagnose.Subject{
		Benchmark: "x", Package: "m/x", Module: "m", BytesPerOp: -1, AllocsPerOp: -1,
		CPU:       classified(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}, 1e7, cpu...),
		CPUColumn: 1,
		Mutex:     classified(contentions, delay, 1e6, stack{1000, []callstack.Frame{serve, at(8, "m/x.(*S).sell"), at(5, "m/x.(*S).sell.deferwrap1"), at(1, "sync.(*Mutex).Unlock")}}),
		MutexCol:  1,
		Block:     classified(contentions, delay, 1e6, stack{900, []callstack.Frame{serve, at(4, "m/x.(*S).sell"), at(1, "sync.(*Mutex).Lock")}}),
		BlockCol:  1,
		Source:    display{},
		Program:   subjectOf(t, text).Program,
	}
}

func counting(n int64) stack {
	return stack{n, []callstack.Frame{at(1, "net/http.(*conn).serve"), at(6, "m/x.(*S).sell")}}
}

func logsTo(n int64) stack {
	return stack{n, []callstack.Frame{at(1, "net/http.(*conn).serve"), at(7, "m/x.(*S).sell"), at(1, "log.(*Logger).Printf"), at(1, "fmt.Appendf")}}
}

func unlocking(n int64) stack {
	return stack{n, []callstack.Frame{at(1, "net/http.(*conn).serve"), at(8, "m/x.(*S).sell"), at(5, "m/x.(*S).sell.deferwrap1"), at(1, "sync.(*Mutex).Unlock")}}
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name string
		s    *diagnose.Subject
		want finding.Confidence // "": silent
	}{
		// 10 of 40 samples under the lock are a quarter.
		{"enough of it", shopSubject(t, shop, counting(30), logsTo(10)), finding.High},
		{"too little of it", shopSubject(t, shop, counting(31), logsTo(10)), ""},
		{"few samples", shopSubject(t, shop, counting(5), logsTo(5)), finding.Medium},
		{"hardly any", shopSubject(t, shop, counting(5), logsTo(4)), finding.Low},
		{"none at all: it blocks", shopSubject(t, shop), finding.Low},
		{"the Unlock itself is no work under it", shopSubject(t, shop, unlocking(1000), logsTo(30)), finding.High},
		{"no types", func() *diagnose.Subject { s := shopSubject(t, shop, logsTo(40)); s.Program = nil; return s }(), ""},
		{"not ours", func() *diagnose.Subject {
			s := shopSubject(t, shop, logsTo(40))
			s.Package, s.Module = "m2/y", "m2"
			return s
		}(), ""},
		{"one goroutine", func() *diagnose.Subject {
			s := shopSubject(t, shop, logsTo(40))
			s.CPU.Parallel, s.Mutex.Parallel = false, false
			return s
		}(), ""},
		{"no CPU profile: it blocks", func() *diagnose.Subject { s := shopSubject(t, shop); s.CPU = nil; return s }(), finding.Low},
		{"no mutex profile", func() *diagnose.Subject { s := shopSubject(t, shop, logsTo(40)); s.Mutex = nil; return s }(), ""},
	} {
		claims := Rule().Find(test.s)
		if test.want == "" {
			if len(claims) > 0 {
				t.Errorf("%s: %+v", test.name, claims)
			}
			continue
		}
		if len(claims) != 1 || claims[0].Confidence != test.want {
			t.Errorf("%s: %+v, want confidence %s", test.name, claims, test.want)
			continue
		}
		c := claims[0]
		if c.Place != (diagnose.Location{Function: "m/x.(*S).sell", File: "x.go", Line: 4, EndLine: 4}) {
			t.Errorf("%s: place %+v", test.name, c.Place)
		}
		if len(c.Held) != 1 || c.Held[0].Line != 6 || c.Held[0].EndLine != 7 {
			t.Errorf("%s: held %+v", test.name, c.Held)
		}
		if !strings.Contains(c.Remedy, "line 7 (logging: log.(*Logger).Printf)") || !strings.Contains(c.Remedy, "unlock before line 7") {
			t.Errorf("%s: %s", test.name, c.Remedy)
		}
	}
}

// A lock that guards the writer beside it for one Write has nothing to move
// out, unless samples show that the Write takes long.
func TestGuardsWriter(t *testing.T) {
	const good = "if _, err := s.w.Write(b); err != nil {\n\t\tlog.Printf(\"%v\", err)\n\t}"
	for _, test := range []struct {
		name, body string
		cpu        []stack
		speaks     bool
	}{
		{"one Write", good, nil, false},
		{"one Write that takes long", good, []stack{{40, []callstack.Frame{at(1, "net/http.(*conn).serve"), at(6, "m/x.(*S).sell"), at(1, "os.(*File).Write")}}}, true},
		{"two Writes", "s.w.Write(a)\n\ts.w.Write(b)\n", nil, true},
		{"another's writer", "stranger.w.Write(b)\n\tlog.Printf(\"%v\", b)\n", nil, true},
		{"a Write in a loop", "for range 2 {\n\t\ts.w.Write(b)\n\t}", nil, true},
		{"a Write in an endless loop", "for {\n\t\ts.w.Write(b)\n\t\tif len(a) > 0 {\n\t\t\treturn\n\t\t}\n\t}", nil, true},
		{"logging beside it", "s.w.Write(b)\n\tlog.Printf(\"%v\", b)\n", nil, true},
	} {
		s := shopSubject(t, "\nfunc (s *S) sell(a, b []byte) {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\t"+test.body+"\n}\n", test.cpu...)
		if claims := Rule().Find(s); len(claims) > 0 != test.speaks {
			t.Errorf("%s: %+v", test.name, claims)
		}
	}
}

// 1000 waits of 1 ms are 1 s, and with 500 requests 2 ms for each; the block
// profile has 900 of them.
func TestEvidence(t *testing.T) {
	s := shopSubject(t, shop, counting(20), logsTo(20))
	s.Kind, s.MutexIterations = "service", 500
	got := fmt.Sprint(Rule().Find(s)[0].Evidence)
	for _, want := range []string{
		"other goroutines waited 1.00 s for this lock in 1,000 waits, 2.00 ms for each request, charged to the unlocking line (line 5)",
		"goroutines waited at this line for 900 ms in 900 waits",
		"40 of 140 base samples run while it is held: logging 50.0 % of them",
		"s.mu is held from line 4 until the deferred Unlock runs as the function returns",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %q", got, want)
		}
	}
}

// The mutex profile knows unlocks that are nobody's fault here.
func TestOtherUnlocks(t *testing.T) {
	for _, frames := range [][]callstack.Frame{
		{at(7, "m/x.(*S).sell"), at(1, "log.(*Logger).output"), at(1, "sync.(*Mutex).Unlock")},
		{at(7, "m/x.(*S).sell"), at(1, "sync.(*Once).doSlow"), at(1, "sync.(*Mutex).Unlock")},
		{at(7, "m/x.(*S).sell"), at(1, "sync.(*Map).Store"), at(1, "internal/sync.(*HashTrieMap).Swap"), at(1, "sync.(*Mutex).Unlock")},
		{at(7, "m/x.(*S).sell"), at(1, "runtime.unlock")},
		{at(7, "m/x.(*S).sell")},
		{at(1, "sync.(*Mutex).Unlock")},
	} {
		s := shopSubject(t, shop, logsTo(40))
		s.Mutex = classified(s.Mutex.Types[0], s.Mutex.Types[1], 1e6, stack{1000, frames})
		if claims := Rule().Find(s); len(claims) > 0 {
			t.Errorf("%v: %+v", frames, claims)
		}
	}
}

// A lock that is held for loops of the user's own, too, names them: of the 40 samples
// under it 20 are in the loop of the section, 8 in one of a function that it calls, and
// 2 in another, which are too few.
func TestLoopsUnderLock(t *testing.T) {
	const text = `
func (s *S) sell(a, b []byte) {
	s.mu.Lock()
	for _, x := range a {
		s.n += int(x)
	}
	s.log.Printf("%d", s.n+sum(b)+few(b))
	s.mu.Unlock()
}

func sum(b []byte) (n int) {
	for _, x := range b {
		n += int(x)
	}
	return n
}

func few(b []byte) (n int) {
	for range b {
		n++
	}
	return n
}
`
	serve := at(1, "net/http.(*conn).serve")
	in := func(n int64, line int, below ...callstack.Frame) stack {
		return stack{n, append([]callstack.Frame{serve, at(line, "m/x.(*S).sell")}, below...)}
	}
	s := shopSubject(t, text, in(20, 6), in(10, 8, at(1, "log.(*Logger).Printf")), in(8, 8, at(14, "m/x.sum")), in(2, 8, at(21, "m/x.few")))
	s.Mutex = classified(callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"}, 1e6,
		stack{1000, []callstack.Frame{serve, at(9, "m/x.(*S).sell"), at(1, "sync.(*Mutex).Unlock")}})
	claims := Rule().Find(s)
	if len(claims) != 1 {
		t.Fatalf("%d claims", len(claims))
	}
	if want := "50.0 % of it in the loop at x.go:5 and 20.0 % of it in the loop at x.go:13 (of the CPU time under it)"; !strings.Contains(claims[0].Remedy, want) {
		t.Errorf("%s", claims[0].Remedy)
	}
	locks := Locks(s)
	if len(locks) != 1 || len(locks[0].Loops) != 2 || locks[0].Loops[0] != (Loop{"x.go:5", 0.5}) {
		t.Errorf("%+v", locks)
	}
}
