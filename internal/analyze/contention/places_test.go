package contention

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whet/internal/callstack"
)

// profileOf has one sample a stack. Stacks are written root first, functions
// divided by spaces; the i-th sample waits 1<<i ns in 10+i waits.
func profileOf(stacks ...string) *callstack.Frames {
	b := callstack.NewBuilder(callstack.ValueType{Type: "contentions", Unit: "count"}, callstack.ValueType{Type: "delay", Unit: "nanoseconds"})
	for i, s := range stacks {
		b.AddFrames(stackOf(s), nil, int64(10+i), 1<<i)
	}
	return b.Frames()
}

func stackOf(s string) (leafFirst []callstack.Frame) {
	names := strings.Fields(s)
	for i := len(names) - 1; i >= 0; i-- {
		leafFirst = append(leafFirst, callstack.Frame{Function: names[i], File: "x.go", Line: i + 1})
	}
	return leafFirst
}

func own(f *callstack.Frame) bool {
	return strings.HasPrefix(f.Function, "m/") || strings.HasPrefix(f.Function, "main.")
}

func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		name, stack string
		kind        Kind
		function    string
		idle        bool
	}{
		{"mutex", "net/http.(*conn).serve m/x.(*S).ServeHTTP m/x.(*S).add sync.(*Mutex).Lock internal/sync.(*Mutex).Lock internal/sync.(*Mutex).lockSlow", Lock, "m/x.(*S).add", false},
		{"unlock, deferred", "net/http.(*conn).serve m/x.(*S).add m/x.(*S).add.deferwrap1 sync.(*Mutex).Unlock", Lock, "m/x.(*S).add.deferwrap1", false},
		{"reader", "m/x.worker m/x.get sync.(*RWMutex).RLock", Lock, "m/x.get", false},
		{"writer", "m/x.worker m/x.put sync.(*RWMutex).Lock sync.(*Mutex).Lock", Lock, "m/x.put", false},
		{"in a library", "net/http.(*conn).serve m/x.get log.(*Logger).output sync.(*Mutex).Lock", Lock, "m/x.get", false},
		{"only libraries", "net/http.(*conn).serve net/http.(*Server).track sync.(*Mutex).Lock", Lock, "net/http.(*Server).track", false},
		{"a lock in a worker's loop", "m/x.worker sync.(*Mutex).Lock", Lock, "m/x.worker", false},
		{"once", "net/http.(*conn).serve m/x.get sync.(*Once).Do sync.(*Once).doSlow sync.(*Mutex).Lock", Other, "m/x.get", false},
		{"once, as a worker", "m/x.worker sync.(*Once).Do sync.(*Once).doSlow sync.(*Mutex).Lock", Other, "m/x.worker", false},
		{"runtime's own", "runtime.mstart runtime.unlock", Other, "", false},
		{"no symbols", "", Other, "", false},

		{"worker", "m/x.(*pool).run runtime.chanrecv2", Channel, "m/x.(*pool).run", true},
		{"worker selects", "m/x.(*pool).run runtime.selectgo", Select, "m/x.(*pool).run", true},
		{"worker in a literal", "m/x.(*pool).Start.func1 m/x.(*pool).run runtime.chanrecv1", Channel, "m/x.(*pool).run", true},
		{"worker with arguments", "m/x.Start.gowrap1 m/x.run runtime.chanrecv1", Channel, "m/x.run", true},
		{"worker whose next is generic", "m/x.run m/x.(*queue[example.com/q.T]).Next runtime.chanrecv1", Channel, "m/x.(*queue[example.com/q.T]).Next", true},
		{"worker in a loop over a function", "m/x.run m/x.Next[example.com/q.T] runtime.chanrecv1", Channel, "m/x.Next[example.com/q.T]", true},
		{"worker of a group", "sync.(*WaitGroup).Go.func1 m/x.Start.func2 runtime.selectgo", Select, "m/x.Start.func2", true},
		{"worker of an errgroup", "golang.org/x/sync/errgroup.(*Group).Go.func1 m/x.run runtime.chanrecv1", Channel, "m/x.run", true},
		{"takes the next", "m/x.run m/x.(*queue).Next runtime.chanrecv1", Channel, "m/x.(*queue).Next", true},
		{"pool's condition", "m/x.run m/x.(*queue).wait sync.(*Cond).Wait", Condition, "m/x.(*queue).wait", true},
		{"connection's own loops", "net/http.(*persistConn).writeLoop runtime.selectgo", Select, "net/http.(*persistConn).writeLoop", true},
		{"main waits for workers", "runtime.main main.main sync.(*WaitGroup).Wait", WaitGroup, "main.main", true},
		{"main, further down", "runtime.main main.main m/app.Run golang.org/x/sync/errgroup.(*Group).Wait sync.(*WaitGroup).Wait", WaitGroup, "m/app.Run", true},
		{"main collects", "runtime.main main.main m/app.Run runtime.chanrecv1", Channel, "m/app.Run", true},

		{"an answer inside a job", "m/x.run m/x.handle runtime.chanrecv1", Channel, "m/x.handle", false},
		{"an answer inside a request", "net/http.(*conn).serve m/x.(*S).ServeHTTP runtime.selectgo", Select, "m/x.(*S).ServeHTTP", false},
		{"main waits for an answer", "runtime.main main.main m/app.get net/http.(*persistConn).roundTrip runtime.selectgo", Select, "m/app.get", false},
		{"a sender", "m/x.produce runtime.chansend1", Channel, "m/x.produce", false},
		{"main sends", "runtime.main main.main runtime.chansend1", Channel, "main.main", false},
		{"fan-out in a request", "net/http.(*conn).serve m/x.(*S).ServeHTTP sync.(*WaitGroup).Wait", WaitGroup, "m/x.(*S).ServeHTTP", false},
		{"condition in a request", "net/http.(*conn).serve m/x.(*S).ServeHTTP m/x.(*pool).get sync.(*Cond).Wait", Condition, "m/x.(*pool).get", false},
		{"the lock of a condition", "m/x.run m/x.(*queue).wait sync.(*Cond).Wait sync.(*Mutex).Lock", Lock, "m/x.(*queue).wait", false},
		{"its root is lost", strings.Repeat("m/x.deep ", 127) + "runtime.chanrecv1", Channel, "m/x.deep", false},
	} {
		got := Sites(profileOf(test.stack), 1, 0, nil, own)
		if len(got) != 1 {
			t.Errorf("%s: %+v", test.name, got)
			continue
		}
		p := got[0]
		if p.Kind != test.kind || p.Function != test.function || p.Idle != test.idle || p.DelayNs != 1 || p.Count != 10 {
			t.Errorf("%s: %+v, want %s in %s, idle %v", test.name, p, test.kind, test.function, test.idle)
		}
	}
}

// Two stacks that wait at one line are one place, a third that is not kept
// counts nowhere, and the longest delay comes first: 1 + 4 = 5 ns in 10 + 12
// waits against 8 ns in 13.
func TestPlacesAddUp(t *testing.T) {
	p := profileOf(
		"a.b m/x.get sync.(*Mutex).Lock",
		"a.b m/x.put sync.(*Mutex).Lock",
		"c.d m/x.get sync.(*Mutex).Lock",
		"m/x.run runtime.chanrecv1",
	)
	got := Sites(p, 1, 0, func(i int) bool { return i != 1 }, own)
	want := []Site{
		{Kind: Channel, Function: "m/x.run", File: "x.go", Line: 1, Count: 13, DelayNs: 8, Idle: true},
		{Kind: Lock, Function: "m/x.get", File: "x.go", Line: 2, Count: 22, DelayNs: 5},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	// Without knowing what is the user's, a place is where the wait is called.
	if got = Sites(profileOf("m/x.get log.(*Logger).output sync.(*Mutex).Lock"), 1, 0, nil, nil); got[0].Function != "log.(*Logger).output" {
		t.Errorf("%+v", got)
	}
}

// Whatever the stacks, every wait is in one place.
func TestPlacesConserve(t *testing.T) {
	names := []string{"runtime.main", "main.main", "m/x.run", "m/x.run.func1", "net/http.(*conn).serve", "sync.(*Mutex).Lock", "sync.(*Cond).Wait", "sync.(*WaitGroup).Go.func1", "runtime.chanrecv1", "runtime.selectgo", ""}
	rapid.Check(t, func(t *rapid.T) {
		stacks := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(names), 0, 6), 0, 12).Draw(t, "stacks")
		var text []string
		for _, s := range stacks {
			text = append(text, strings.Join(s, " "))
		}
		p := profileOf(text...)
		var delay, count int64
		seen := make(map[Site]bool)
		for _, place := range Sites(p, 1, 0, nil, own) {
			delay += place.DelayNs
			count += place.Count
			place.DelayNs, place.Count = 0, 0
			if seen[place] {
				t.Errorf("%+v twice", place)
			}
			seen[place] = true
		}
		if delay != p.Total(1) || count != p.Total(0) {
			t.Errorf("%d ns in %d waits of %d in %d", delay, count, p.Total(1), p.Total(0))
		}
	})
}
