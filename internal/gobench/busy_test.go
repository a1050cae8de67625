//go:build unix

package gobench

import (
	"context"
	"strings"
	"testing"
)

func TestBusyProcessors(t *testing.T) {
	state := func(busy string) string {
		return "SCHED 132ms: gomaxprocs=4 idleprocs=" + busy + " threads=5 spinningthreads=0 needspinning=0 idlethreads=3 runqueue=0 [0 0 0 0]\n"
	}
	for _, c := range []struct {
		output string
		want   int
	}{
		{"", 0},
		{strings.Repeat(state("3"), 5), 1},
		{strings.Repeat(state("3"), 4), 0}, // two in the second half
		{strings.Repeat(state("0"), 5) + "BenchmarkX 1 2 ns/op\n" + strings.Repeat(state("3"), 5), 1},
		{strings.Repeat(state("3"), 5) + state("0") + state("1") + state("1") + state("0") + state("3"), 3},
		{strings.Repeat(state("9"), 9), 0},
		{strings.Repeat(state("99999999999999999999"), 9), 0},
		{strings.Repeat("x"+state("3"), 9), 0},
	} {
		if got := busyProcessors([]byte(c.output)); got != c.want {
			t.Errorf("%q: %d, want %d", c.output, got, c.want)
		}
	}
}

// What runs on one of Go's processors is told from what runs on several by the runtime
// itself.
func TestRunTellsBusyProcessors(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	b := zooBinary(t)
	t.Setenv("GODEBUG", "madvdontneed=1") // which stays
	for name, want := range map[string]int{"BenchmarkOneProcessor": 1, "BenchmarkTwoProcessors": 2} {
		got, err := b.Run(context.Background(), Run{Bench: name, BenchTime: "200ms", CPU: "2", SchedTrace: true})
		if err != nil || got.BusyProcessors != want {
			t.Errorf("%s: %+v, %v, want %d busy", name, got, err, want)
		}
	}
}
