package run

import (
	"strings"
	"testing"
)

// TestMomentSays: who was held up names who held, who held names whom, and what is not
// known is not said.
func TestMomentSays(t *testing.T) {
	held := *servicePage().Moment
	holder := held
	holder.Cause, holder.Waits = nil, []MomentWait{{State: "sleep", At: At{"main.hold", "main.go", 37}, Ns: 600e6}}
	holder.States = []StateTime{{"sleep", 600e6}}
	holder.HeldUp = &BlockedWaiters{Goroutines: 15, State: "sync", By: "sync.(*RWMutex).RLock", At: At{"main.want", "main.go", 30}, Released: At{"main.hold", "main.go", 38}}
	lost := Moment{Request: held.Request, Missing: "The cause is unknown: it is gone."}
	channel := held
	channel.Cause = &MomentCause{Goroutine: 7, State: "running", Ns: 5e8, Waited: "channel"}
	collector := held
	collector.Cause = &MomentCause{Goroutine: 9, Start: "runtime.gcBgMarkWorker", State: "running", At: At{"runtime.gopark", "$GOROOT/src/runtime/proc.go", 462}, Ns: 5e8, Waited: "sync"}
	group := held
	group.Cause = &MomentCause{Goroutine: 7, State: "running", Ns: 5e8, Waited: "sync", WaitedBy: "sync.(*WaitGroup).Wait"}
	for _, tt := range []struct {
		name       string
		m          *Moment
		short      string
		says, lack []string
	}{
		{"held up", &held, "a request took 611 ms, 51 times the median: the lock was held by a goroutine in a system call at main.rotate rotate.go:12",
			[]string{"Goroutine 101 held the lock", "let go at main.rotate rotate.go:15", "others for 50.1 %"}, nil},
		{"holds up", &holder, "a request took 611 ms, 51 times the median: mostly sleeping at main.hold main.go:37, holding up 15 others",
			[]string{"98.4 % of the time sleeping, mostly at main.hold main.go:37", "held up 15 others, waiting for a lock at main.want main.go:30, until it let go at main.hold main.go:38"}, []string{"held the lock"}},
		{"a channel", &channel, "a request took 611 ms, 51 times the median: it waited for a goroutine running at a place not named in the trace",
			[]string{"It waited for goroutine 7, running for 500 ms"}, []string{"held the lock"}},
		{"the collector", &collector, "a request took 611 ms, 51 times the median: it waited for a goroutine running at runtime.gcBgMarkWorker",
			[]string{"It waited for goroutine 9, running for 500 ms at runtime.gcBgMarkWorker."}, []string{"gopark"}},
		{"no lock", &group, "a request took 611 ms, 51 times the median: it waited for a goroutine running at a place not named in the trace", []string{"waited for goroutine 7"}, []string{"held the lock"}},
		{"lost", &lost, "a request took 611 ms", []string{"A request took 611 ms: sent 27.1 s", "it is gone."}, []string{"median", "Goroutine", "processor"}},
	} {
		if got := tt.m.short(); got != tt.short {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.short)
		}
		text := tt.m.Text()
		for _, want := range tt.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q lacks %q", tt.name, text, want)
			}
		}
		for _, not := range tt.lack {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q says %q", tt.name, text, not)
			}
		}
	}
}
