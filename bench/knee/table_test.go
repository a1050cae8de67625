package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"whet/bench/ledger/tabletest"
)

// The table of the README is what the kept samples give, and empty before there
// are some.
func TestTableIsOfItsSamples(t *testing.T) {
	for _, name := range []string{"knee", "knee-budget"} {
		tabletest.Check(t, "knee", name, func(dir string) (string, error) { return render(dir, name) })
	}
}

// The computed queues have the capacity that is taken for the truth: clients that
// come again as soon as they are through, one event at a time.
func TestCapacities(t *testing.T) {
	for _, s := range servers {
		throughput := func(clients int) float64 {
			w := s.workers()
			origin := time.Unix(0, 0)
			next := make([]time.Time, clients)
			for i := range next {
				next[i] = origin.Add(time.Duration(i) * time.Microsecond)
			}
			n := 0
			for {
				first := 0
				for i := range next {
					if next[i].Before(next[first]) {
						first = i
					}
				}
				if next[first].Sub(origin) > 100*time.Second {
					return float64(n) / 100
				}
				next[first] = w.through(next[first])
				n++
			}
		}
		at, before, beyond := throughput(int(s.at)), throughput(int(s.at)-1), throughput(4*int(s.at))
		if math.Abs(at/s.capacity-1) > 0.005 || math.Abs(before/(s.capacity*(s.at-1)/s.at)-1) > 0.005 || beyond > s.capacity*1.005 {
			t.Errorf("%s: %v clients %v/s, one fewer %v/s, four times as many %v/s", s.name, s.at, at, before, beyond)
		}
		if retrograde := s.workers().slower > 0; retrograde != (beyond < 0.9*s.capacity) {
			t.Errorf("%s: %v/s with four times as many", s.name, beyond)
		}
	}
}

// A search counts that came to its end, is valid and lies within 5 %: 9 of 10 is a
// share of 55.5 % to 99.7 % by the table of Clopper and Pearson.
func TestHits(t *testing.T) {
	var of []Search
	for i := range 10 {
		of = append(of, Search{Server: servers[0].name, Round: i, At: 8, ThroughputPS: 155, Complete: true, SpentNs: 1e9, CPUNs: 5e7})
	}
	of[3].At = 9
	text := tabled(of)
	for _, want := range []string{"| 8 and 9 | 9 of 10 (55.5 % to 99.7 %) |", "| 155/s | 10 of 10 (69.2 % to 100.0 %) |", "| 5.0 % |"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwithout %q", text, want)
		}
	}
	of[4].Complete, of[5].Invalid = false, "the generator was the bottleneck"
	if text := tabled(of); !strings.Contains(text, "| 7 of 10 (") || !strings.Contains(text, "| 8 of 10 (") {
		t.Error(text)
	}
}

// Within one budget a search counts that comes within 10 %, though it did not come to
// its end.
func TestHitsWithinABudget(t *testing.T) {
	of := []Search{{Server: servers[0].name, Open: true, Both: true, At: 175, ThroughputPS: 160}, {Server: servers[0].name, Open: true, Both: true, At: 80, ThroughputPS: 80}}
	if text := tabled(of); !strings.Contains(text, "within 10 % (95 % interval)") || strings.Count(text, "| 1 of 2 (") != 2 {
		t.Error(text)
	}
}

// The searches of a round are every server's closed loop, and the open one of those
// that have a highest rate.
func TestKinds(t *testing.T) {
	if all, lock := kinds(""), kinds("lock"); len(all) != 5 || len(lock) != 2 || lock[0].open || !lock[1].open {
		t.Errorf("%v, %v", all, lock)
	}
	if all := bothKinds(""); len(all) != 3 || !all[2].both || all[2].name != servers[2].name {
		t.Errorf("%v", all)
	}
}
