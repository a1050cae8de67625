package heapgrowth_test

import (
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/diagnose/rules/heapgrowth"
	"whet/internal/finding"
	"whet/internal/recording"
)

const source = `package x

func (s *store) add(id int) {
	s.sessions[id] = newSession(id)
	data := make([]byte, 10)
	use(data)
}
`

type text string

func (s text) Text(file string) []byte {
	if file != "/m/x.go" {
		return nil
	}
	return []byte(s)
}

func (s text) Display(file string) string { return strings.TrimPrefix(file, "/m/") }

// alive is memory that is alive, allocated on a line of x.go, below a function
// of somebody else's.
type alive struct {
	line  int
	bytes int64
	class hot.Class
}

func snapshot(parts ...alive) diagnose.Snapshot {
	b := callstack.NewBuilder(callstack.ValueType{Type: "inuse_objects", Unit: "count"}, callstack.ValueType{Type: "inuse_space", Unit: "bytes"})
	c := &hot.Classified{}
	for _, a := range parts {
		b.AddFrames([]callstack.Frame{
			{Function: "bytes.Clone", File: "/go/bytes.go", Line: 1},
			{Function: "m/x.(*store).add", File: "/m/x.go", Line: a.line},
		}, nil, a.bytes/1024, a.bytes)
		c.Class = append(c.Class, a.class)
	}
	c.Frames = b.Frames()
	return diagnose.Snapshot{Classified: c, Column: 1}
}

const mib = 1 << 20

func subject(rise diagnose.Rise, heap ...diagnose.Snapshot) *diagnose.Subject {
	return &diagnose.Subject{Benchmark: "x", Kind: recording.TargetService, Package: "m/x", Module: "m", BytesPerOp: -1, AllocsPerOp: -1,
		Source: text(source), Heap: heap, LiveHeap: rise, HeapOperations: 1000}
}

// steady returns a live heap that rose all along, by so many MiB.
func steady(by float64) diagnose.Rise {
	return diagnose.Rise{Known: true, Steady: true, From: 10 * mib, To: (10 + by) * mib, Ns: 3e9}
}

func TestSpeaks(t *testing.T) {
	// 10 MiB were alive, and 50 are: 40 MiB over 1000 requests are 41,943 bytes each.
	s := subject(steady(40), snapshot(alive{4, 10 * mib, hot.Base}), snapshot(alive{4, 50 * mib, hot.Base}))
	claims := heapgrowth.Rule().Find(s)
	if len(claims) != 1 {
		t.Fatalf("%+v", claims)
	}
	c := claims[0]
	if c.Place.Line != 4 || c.Place.File != "/m/x.go" || c.Leak.Kind != finding.LeakBytes || c.Leak.Count != 40*mib || *c.Leak.PerOperation != 40*mib/1000.0 {
		t.Errorf("%+v %+v", c.Place, c.Leak)
	}
	if last := c.Evidence[len(c.Evidence)-1].Text; last != "it is stored in s.sessions" || !strings.Contains(c.Remedy, "s.sessions") {
		t.Errorf("%s; %s", last, c.Remedy)
	}
	// What a variable of the function holds is not what keeps it.
	s = subject(steady(40), snapshot(alive{5, 10 * mib, hot.Base}), snapshot(alive{5, 50 * mib, hot.Base}))
	if claims = heapgrowth.Rule().Find(s); len(claims) != 1 || claims[0].Evidence[len(claims[0].Evidence)-1].Text != "its holder is not known" {
		t.Errorf("%+v", claims)
	}
	// The larger of two first; a place with less than a tenth is left out.
	s = subject(steady(40), snapshot(), snapshot(alive{4, 10 * mib, hot.Base}, alive{5, 30 * mib, hot.Base}, alive{6, 2 * mib, hot.Base}))
	if claims = heapgrowth.Rule().Find(s); len(claims) != 2 || claims[0].Place.Line != 5 || claims[1].Place.Line != 4 {
		t.Errorf("%+v", claims)
	}
	// A benchmark began with none: all of it is its iterations'.
	s = subject(steady(40), snapshot(alive{4, 10 * mib, hot.Base}), snapshot(alive{4, 50 * mib, hot.Base}))
	s.Kind = recording.TargetBenchmark
	if claims = heapgrowth.Rule().Find(s); len(claims) != 1 || claims[0].Leak.Count != 50*mib {
		t.Errorf("%+v", claims)
	}
}

func TestSilent(t *testing.T) {
	before, after := snapshot(alive{4, 10 * mib, hot.Base}), snapshot(alive{4, 50 * mib, hot.Base})
	flat := diagnose.Rise{Known: true, From: 10 * mib, To: 50 * mib, Ns: 3e9}
	for name, s := range map[string]*diagnose.Subject{
		"a cache that has filled up":        subject(flat, before, after),
		"a course that is not known":        subject(diagnose.Rise{}, before, after),
		"garbage that nobody collected yet": subject(steady(40), before, before),
		"one profile":                       subject(steady(40), after),
		"none":                              subject(steady(40)),
		"3 MiB":                             subject(steady(40), before, snapshot(alive{4, 13 * mib, hot.Base})),
		"a tenth of a rise":                 subject(steady(80), before, snapshot(alive{4, 18 * mib, hot.Base})),
		"a twentieth of the heap":           subject(steady(10), snapshot(alive{4, 200 * mib, hot.Base}), snapshot(alive{4, 210 * mib, hot.Base})),
		"what set-up keeps":                 subject(steady(40), snapshot(), snapshot(alive{4, 50 * mib, hot.Setup})),
		"a heap that shrinks":               subject(steady(40), after, before),
	} {
		if claims := heapgrowth.Rule().Find(s); len(claims) > 0 {
			t.Errorf("%s: %+v", name, claims)
		}
	}
}
