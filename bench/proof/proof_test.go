package main

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/bench/ledger/tabletest"
	"whet/internal/analyze/compare"
)

// The table of the README is what the kept samples give.
func TestTableIsOfItsSamples(t *testing.T) {
	tabletest.Check(t, "proof", "proof", func(dir string) (string, error) {
		s, _, err := readSamples(dir)
		if err != nil {
			return "", err
		}
		return render(s), nil
	})
}

// A slowdown of 30 % is never called faster nor no change, and is found on a
// machine that is not too busy; equal sides are never called different. The
// first and the last hold whatever the machine does, but for one run in some
// thousands: alpha is that small. What is too busy the run says itself: at
// floorSample a slowdown of 30 % is more than ten standard errors of the ratio,
// which is 0.05/1.96 times √(3/4), as a round's ratio has three slices and its
// noise two of them.
func TestSampleOfTheSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many proofs")
	}
	const floorSample = 0.05
	b, err := newBench(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for _, c := range []struct {
		name  string
		q     question
		units int
	}{{"equal", same, plainUnits}, {"30 % slower", slow3, 130}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			p := pair{old: filepath.Join(dir, "first"), new: filepath.Join(dir, "other")}
			for side, units := range map[string]int{p.old: plainUnits, p.new: c.units} {
				if err := writeModule(side, units); err != nil {
					t.Fatal(err)
				}
			}
			if c.q == same {
				p.new = p.old
			}
			o := options(c.q, "^BenchmarkArithmetic$/^large$")
			// Linking layouts would take most of so short a time.
			o.Budget, o.Rounds, o.Alpha, o.Layouts = 10*time.Second, 0, 0.0005, false
			trial := &Trial{Question: c.q, Seed: 1}
			if err := trial.prove(t.Context(), p, o); err != nil {
				t.Fatal(err)
			}
			all := comparisons([]Trial{*trial}, ofQuestion(c.q))
			if len(all) != 1 || all[0].time.Name != "Arithmetic/large" {
				t.Fatalf("comparisons: %+v", all)
			}
			one := all[0]
			t.Logf("%s: %s, %s in %d rounds", one.time.Name, one.time.Verdict, compare.PrintInterval(one.time.Low, one.time.High), one.time.Rounds)
			switch {
			case c.q == same && one.wrong != nil:
				t.Errorf("the same binary was called %s: %+v", one.wrong.Verdict, one.wrong)
			case c.q == same || one.time.Verdict == compare.Slower:
			case one.time.Verdict != compare.CannotTell:
				t.Errorf("30 %% more work is called %s", one.time.Verdict)
			case one.able() && one.quiet(floorSample):
				t.Errorf("30 %% more work is not found, with a floor of %v", *one.time.Noise)
			default:
				t.Log("the machine is too busy to tell 30 %")
			}
		})
	}
}

// The two sides of a planted slowdown differ in the units and in nothing else;
// of two trees in nothing; and an unrelated function is one file more.
func TestSides(t *testing.T) {
	read := func(dir string) map[string]string {
		out := make(map[string]string)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			out[e.Name()] = string(data)
		}
		return out
	}
	for q, want := range map[question]string{
		same: "", tree: "", added: "unrelated_test.go", slow3: "units.go", slow1: "units.go", few: "unrelated_test.go", slow2: "units.go",
	} {
		p, err := writeSides(t.TempDir(), q, 7)
		if err != nil {
			t.Fatal(err)
		}
		old, new := read(p.old), read(p.new)
		if (p.old == p.new) != (q == same) {
			t.Errorf("%s: sides %s and %s", q, p.old, p.new)
		}
		var differ []string
		for name, text := range new {
			if old[name] != text {
				differ = append(differ, name)
			}
		}
		for name := range old {
			if _, ok := new[name]; !ok {
				t.Errorf("%s: new lacks %s", q, name)
			}
		}
		switch {
		case want == "" && len(differ) == 0:
		case want != "" && len(differ) == 1 && strings.HasSuffix(differ[0], want):
		default:
			t.Errorf("%s: %v differ", q, differ)
		}
		if q == slow3 && strings.Replace(old["units.go"], "100", "103", 1) != new["units.go"] {
			t.Errorf("units: %q and %q", old["units.go"], new["units.go"])
		}
		if _, ok := old["go.mod"]; !ok {
			t.Errorf("%s: no module", q)
		}
	}
}

func testRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// The other load runs until it is stopped, and its end is seen.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many proofs")
	}
	exe, err := buildLoad(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := startLoad(t.Context(), exe, testRand())
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-l.ended:
		t.Fatalf("it ended by itself: %v", err)
	default:
	}
	if err := l.stop(); err != nil {
		t.Error(err)
	}
	// Without anyone to hold its input it ends by itself, as when the suite is
	// killed, and that is an error of a trial.
	if l, err = startLoad(t.Context(), exe, testRand()); err != nil {
		t.Fatal(err)
	}
	l.hold.Close()
	err = <-l.ended
	if err == nil || !strings.Contains(err.Error(), "by itself") {
		t.Errorf("after its input ended: %v", err)
	}
	if _, err := startLoad(t.Context(), filepath.Join(t.TempDir(), "none"), testRand()); err == nil {
		t.Error("a program that is not there burns")
	}
}

func TestNext(t *testing.T) {
	var trials []Trial
	seen := make(map[cell]int)
	loaded := make(map[cell]int)
	for {
		c, with, ok := next(cells(), trials)
		if !ok {
			break
		}
		one := Trial{Question: c.question, Loaded: with}
		if c.blocks {
			one.Blocks = new(Blocks)
		}
		trials = append(trials, one)
		seen[c]++
		if with {
			loaded[c]++
		}
		if len(trials) > 1000 {
			t.Fatal("it does not end")
		}
	}
	comparisons := 0
	for _, c := range cells() {
		if seen[c] != c.trials || loaded[c] != c.trials/2 {
			t.Errorf("%+v: %d trials, %d beside other load", c, seen[c], loaded[c])
		}
		if c.question.identical() {
			comparisons += len(kinds) * sizes * c.trials
		}
	}
	if comparisons < 500 {
		t.Errorf("the suite has %d comparisons of identical sides", comparisons)
	}
	for _, part := range only {
		if _, err := chosen(part); err != nil {
			t.Error(err)
		}
	}
	if _, err := chosen("nothing"); err == nil {
		t.Error("-only nothing is no error")
	}
}

// The kinds are those of the mix; one of them is asked about for 1 %, and four
// for 2 %.
func TestPattern(t *testing.T) {
	source, err := mix.ReadFile("mix/mix_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, m := range regexp.MustCompile(`(?m)^func Benchmark(\w+)\(`).FindAllStringSubmatch(string(source), -1) {
		have = append(have, m[1])
	}
	if !slices.Equal(have, kinds) {
		t.Errorf("the mix has %v, kinds are %v", have, kinds)
	}
	rng := testRand()
	for q, want := range map[question]int{slow1: 1, few: 4, slow2: 4} {
		seen := make(map[string]bool)
		for range 100 {
			top, _, _ := strings.Cut(cell{question: q}.pattern(rng), "/")
			re, n := regexp.MustCompile(top), 0
			for _, name := range kinds {
				if re.MatchString("Benchmark" + name) {
					seen[name] = true
					n++
				}
			}
			if n != want {
				t.Errorf("%s: %v matches %d", q, re, n)
			}
		}
		if len(seen) != len(kinds) {
			t.Errorf("%s: only %v are ever drawn", q, seen)
		}
	}
}

// What was kept comes back; a line that was cut off by the end of a run is
// dropped, and one that is damaged is an error.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(3) {
		if err := keep(dir, line{Trial: &Trial{Question: same, Seed: seed}}); err != nil {
			t.Fatal(err)
		}
	}
	file := samplesFile(dir)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := data[:len(data)-5]
	if err := os.WriteFile(file, cut, 0o644); err != nil {
		t.Fatal(err)
	}
	if s, _, err := readSamples(dir); err != nil || len(s.Trials) != 2 {
		t.Fatalf("cut off: %d trials, %v", len(s.Trials), err)
	}
	if err := keep(dir, line{Simulated: &Simulated{Seed: 9}}); err != nil {
		t.Fatal(err)
	}
	s, _, err := readSamples(dir)
	if err != nil || len(s.Trials) != 2 || s.Trials[1].Seed != 1 || s.Simulated == nil || s.Simulated.Seed != 9 {
		t.Fatalf("came back as %+v, %v", s, err)
	}
	if err := os.WriteFile(file, append([]byte("{\n"), data...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readSamples(dir); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("damaged: %v", err)
	}
	if err := keep(dir, line{}); err == nil {
		t.Error("a line was written after a damaged one")
	}
}

func TestDigits(t *testing.T) {
	for in, want := range map[float64]float64{0: 0, 1: 1, 123456789: 123457000, 0.000123456789: 0.000123457, -2.0000004: -2} {
		if got := digits(in); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("digits(%v) = %v, want %v", in, got, want)
		}
	}
	if got := digits(math.Inf(1)); !math.IsInf(got, 1) {
		t.Errorf("digits(+Inf) = %v", got)
	}
}

// A small part of the simulation: shares that are sums, and intervals that hold
// the truth as often as they say, but for four Monte Carlo errors, which one line
// in 30,000 exceeds by chance; the seed is fixed.
func TestSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many proofs")
	}
	cases, err := simulate(t.Context(), 1, 160, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != len(worlds())*len(settings()) {
		t.Errorf("%d cases", len(cases))
	}
	for _, c := range cases {
		if c.Equal+c.Slower != c.Intervals || c.Intervals != 160 || c.Different+c.NoChange > c.Equal || c.Found+c.Overseen > c.Slower {
			t.Errorf("counts do not add up: %+v", c)
		}
		if p, e := c.share(1 - c.Alpha); p < 1-c.Alpha-4*e {
			t.Errorf("%s, %s: %d of %d intervals cover", c.World, c.Setting, c.Covered, c.Intervals)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := simulate(ctx, 1, 160, func(string) {}); err == nil {
		t.Error("an interrupt was not seen")
	}
}

// The simulated rounds have the ratio that was asked for, on average over many,
// and a side measured twice has none. The worst world's standard deviation is
// 3 % a slice: the mean of 20,000 differences is good to 0.03 %.
func TestWorlds(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates many proofs")
	}
	for _, w := range worlds() {
		rng := testRand()
		const n = 20000
		var sum [3]float64
		doubled := 0
		for range n {
			r := w.rounds(rng, 0.5, 1)[0]
			old, new, again := r.Old["ns/op"], r.New["ns/op"], r.Again["ns/op"]
			for i, log := range []float64{math.Log(old / new), math.Log(again / old), math.Log(again / new)} {
				if i == 1 && r.AgainOf == compare.New || i == 2 && r.AgainOf == compare.Old {
					continue
				}
				sum[i] += max(min(log, 1), -1)
			}
			if r.AgainOf == compare.New {
				doubled++
			}
		}
		if got := sum[0] / n; math.Abs(got-math.Log(0.5)) > 0.002 {
			t.Errorf("%s: mean log ratio %v, want %v", w.name, got, math.Log(0.5))
		}
		for i, k := range map[int]int{1: n - doubled, 2: doubled} {
			if got := sum[i] / float64(k); math.Abs(got) > 0.002 {
				t.Errorf("%s: a side against itself differs by %v", w.name, got)
			}
		}
		if doubled < n/2-300 || doubled > n/2+300 {
			t.Errorf("%s: new was doubled %d times of %d", w.name, doubled, n)
		}
	}
}
