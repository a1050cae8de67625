package rounds

import (
	"math"
	"slices"
	"testing"
	"time"

	"whet/internal/analyze/compare"
)

// The lot is a function of seed, run and round, holds every subject with its
// turns and the three slices of each, and is fair: each slice stands in each
// place equally often, either side is doubled equally often, and each subject
// comes first equally often.
func TestLot(t *testing.T) {
	same := func(seed uint64, run, round int) bool {
		a, at := lot(7, 1, 3, []int{1, 2, 3, 1, 1})
		b, bt := lot(seed, run, round, []int{1, 2, 3, 1, 1})
		return a == b && slices.Equal(at, bt)
	}
	if !same(7, 1, 3) {
		t.Error("the same seed, run and round gave two lots")
	}
	if same(8, 1, 3) || same(7, 2, 3) || same(7, 1, 4) {
		t.Error("another seed, run or round gave the same lot")
	}
	const rounds = 12000
	var place [3][3]int // by slot and place
	var doubled [2]int
	first := make([]int, 4)
	layouts := make(map[uint64]bool)
	for r := range rounds {
		counts := []int{2, 1, 3, 1}
		layout, turns := lot(1, 1, r, counts)
		if layout == 0 || layout > math.MaxInt64 {
			t.Fatalf("round %d: the linker takes no layout %d", r, layout)
		}
		layouts[layout] = true
		seen := make([]int, 4)
		for _, turn := range turns {
			if turn.number != seen[turn.subject]+1 {
				t.Fatalf("round %d: %+v after %d turns of the subject", r, turn, seen[turn.subject])
			}
			seen[turn.subject]++
			sorted := turn.slots
			slices.Sort(sorted[:])
			if sorted != [3]slot{slotOld, slotNew, slotAgain} {
				t.Fatalf("round %d: slots %v", r, turn.slots)
			}
			if turn.side(slotOld) != compare.Old || turn.side(slotNew) != compare.New || turn.side(slotAgain) != turn.doubled {
				t.Fatalf("round %d: sides of %+v", r, turn)
			}
		}
		if !slices.Equal(seen, counts) {
			t.Fatalf("round %d has so many turns of the subjects: %v", r, seen)
		}
		first[turns[0].subject]++
		doubled[turns[0].doubled]++
		for at, sl := range turns[0].slots {
			place[sl][at]++
		}
	}
	// Binomial counts: five standard deviations, √(n·p·(1−p)).
	fair := func(what string, n int, p float64) {
		if mean := rounds * p; math.Abs(float64(n)-mean) > 5*math.Sqrt(mean*(1-p)) {
			t.Errorf("%s in %d of %d rounds", what, n, rounds)
		}
	}
	for sl := range place {
		for _, n := range place[sl] {
			fair("a slice in one place", n, 1.0/3)
		}
	}
	for _, n := range first {
		fair("a subject first", n, 1.0/4)
	}
	fair("old doubled", doubled[compare.Old], 1.0/2)
	// Of 12,000 drawn from 2³¹, 12000²/2³² = 0.03 pairs are the same on average.
	if len(layouts) < rounds-3 {
		t.Errorf("%d layouts in %d rounds", len(layouts), rounds)
	}
}

// Swapping the names of the sides maps the set of lots onto itself: every order
// of a round's processes (who runs in which place) is as likely as the one with
// old and new swapped. That is what makes the signed-rank test exact.
func TestLotIsSymmetric(t *testing.T) {
	// The first turn's order is one of two doublings and three places of the
	// other side; that of the second, whose doubling follows, one of three places.
	for turns, orders := range map[int]int{1: 6, 2: 18} {
		count := make(map[[6]compare.Side]int)
		const rounds = 12000
		for r := range rounds {
			_, lots := lot(9, 1, r, []int{turns})
			var ran [6]compare.Side
			for k, turn := range lots {
				for i, sl := range turn.slots {
					ran[3*k+i] = turn.side(sl)
				}
			}
			count[ran]++
		}
		if len(count) != orders {
			t.Fatalf("orders %v", count)
		}
		for ran, n := range count {
			p := 1 / float64(orders)
			if mean := rounds * p; math.Abs(float64(n)-mean) > 5*math.Sqrt(mean*(1-p)) {
				t.Errorf("%v in %d of %d rounds", ran, n, rounds)
			}
			swapped := ran
			for i := range 3 * turns {
				swapped[i] = compare.New - swapped[i]
			}
			if count[swapped] == 0 {
				t.Errorf("%v is drawn, and %v never", ran, swapped)
			}
		}
	}
}

func TestMakePlan(t *testing.T) {
	one := Benchmark{Metrics: []compare.Metric{compare.MetricOf(compare.NsPerOp)}, Slice: [2]time.Duration{90 * time.Millisecond, 110 * time.Millisecond}}
	for _, c := range []struct {
		name     string
		subjects int
		o        Options
		rounds   int
		most     int
	}{
		// A round takes 3·100 ms: 60 s are 200.
		{"one subject", 1, Options{Budget: 60 * time.Second}, 200, 200},
		{"bounded", 1, Options{Budget: time.Hour}, MaxRounds, MaxRounds},
		{"bounded otherwise", 1, Options{Budget: time.Hour, Max: 77}, 77, 77},
		// 4·300 ms + 800 ms = 2 s.
		{"with preparation", 4, Options{Budget: 60 * time.Second, Prepare: 800 * time.Millisecond}, 30, 60},
		{"the time of others, bounded", 2, Options{Budget: 90 * time.Second}, 150, 200},
		{"asked for", 2, Options{Budget: time.Second, Fixed: 50}, 50, 50},
		{"no time", 3, Options{}, 1, 2},
		// 5 turns of 300 ms and half a second besides are 2 s.
		{"several turns", 1, Options{Budget: 60 * time.Second}, 30, 30},
	} {
		c.o.Alpha = 0.005
		subjects := slices.Repeat([]Benchmark{one}, c.subjects)
		if c.name == "several turns" {
			subjects[0].Turns, subjects[0].Besides = 5, 500*time.Millisecond
		}
		p := MakePlan(subjects, c.o)
		if p.Rounds != c.rounds || p.Most != c.most || len(p.Looks) == 0 || p.Looks[len(p.Looks)-1] != c.most || p.Fewest < 2 {
			t.Errorf("%s: %+v, want %d and %d rounds", c.name, p, c.rounds, c.most)
		}
	}
	if p := MakePlan([]Benchmark{one}, Options{Budget: time.Minute, Alpha: 0.05, OneLook: true}); !slices.Equal(p.Looks, []int{200}) {
		t.Errorf("one look at %v of 200 rounds", p.Looks)
	}
	if got, want := (Plan{Rounds: 30, Most: 60}).String(), "30 rounds of 3 slices each (old, new, and one of them again), up to 60 where verdicts on others leave time"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := (Plan{Rounds: 30, Most: 30, Turns: 7}).String(), "30 rounds of up to 7 turns each, of 3 slices (old, new, and one of them again)"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := (Plan{Rounds: 1, Most: 1}).String(), "1 round of 3 slices each (old, new, and one of them again)"; got != want {
		t.Errorf("%q", got)
	}
}
