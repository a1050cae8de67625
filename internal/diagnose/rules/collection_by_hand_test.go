package rules_test

import (
	"strings"
	"testing"

	"whet/internal/finding"
	"whet/internal/recording"
)

const collectionSource = `package app

type T struct{ n int }

func set(ts []*T) (n int) { // 5
	seen := make(map[int]bool) // 6
	for i := range ts { // 7
		seen[i] = true // 8
	}
	if seen[n] { n++ } // 10
	return n
}

func list(ts []*T) (n int) { // 14
	var some []*T // 15
	for t := range each(ts) { // 16, how many rounds nobody knows
		if t.n > 3 {
			some = append(some, t) // 18
		}
	}
	return len(some)
}

type call struct{ of []map[*T]string; left int } // 24

func fields(ts []*T) int { // 26
	c := &call{
		of: make([]map[*T]string, len(ts)), // 28
	}
	c.fill(ts) // 30
	return len(c.of[0])
}

func (c *call) fill(ts []*T) { // 34
	for i, t := range ts {
		c.of[i] = make(map[*T]string) // 36
		c.of[i][t] = "x" + t.name() // 37
		c.of[i][t] = name // 38
	}
}

func counts(words []string) (most int) { // 42
	n := map[string]int{} // 43
	for _, w := range words {
		n[w]++ // 45
	}
	return n[words[0]]
}

func main() { // 50
	for range 1000 {
		set(nil) // 52
	}
	set(nil) // 54
	for range 3 {
		again() // 56
	}
}

func again() { list(nil) } // 60

func result(ts []*T) []*T { // 62
	var some []*T // 63
	some = append(some, ts...) // 64
	return some
}

func text(n int) int { // 68
	var b []byte
	for range n { b = append(b, 'x') } // 70
	return len(b)
}

func written(n int) string { // 74
	m := map[int]string{1: "one", 2: "two"} // 75
	m[n] = "n" // 76
	return m[1]
}

func removed(n int) bool { // 80
	seen := map[int]bool{} // 81
	seen[n] = true // 82
	delete(seen, 3)
	return seen[n]
}

func answers(n int) bool { // 87
	large := map[int]bool{} // 88
	large[n] = n > 100 // 89
	return large[n]
}

func each([]*T) func(func(*T) bool)

func sorted[K comparable](of map[K][]K) (n int) { // 95
	queue := make([]K, 0) // 96
	for k := range of { queue = append(queue, k) } // 97
	return len(queue)
}

func named[K comparable](of map[K][]K) (n int) { // 101
	queue := make([]string, 0) // 102
	for range of { queue = append(queue, "k") } // 103
	return len(queue)
}

type graph[K comparable] struct{ n int }

func (g *graph[K]) sorted(of map[K][]K) (n int) { // 109
	queue := make([]K, 0) // 110
	for k := range of { queue = append(queue, k) } // 111
	return len(queue)
}
`

func TestCollectionPerCallByHand(t *testing.T) {
	calls := known
	rest := stack{frames: "m/app.work:99", n: 600}
	// Of 1000 samples 300 put into the set, 100 of them in the allocator, and 100
	// ask.
	inSet := []stack{
		{frames: "m/app.set:8 runtime.mapassign_fast64 internal/runtime/maps.(*Map).growToSmall runtime.mallocgc", n: 100},
		{frames: "m/app.set:8 runtime.mapassign_fast64", n: 200},
		{frames: "m/app.set:10 runtime.mapaccess1_fast64", n: 100}, rest,
	}
	for _, test := range []struct {
		name       string
		iterations int64
		period     int64
		kind       string
		cpu        []stack
		allocs     []stack
		line       int // of the finding; 0: none
		cpuShare   float64
		avoidCPU   float64
		bytes      float64
		says       string
		confidence finding.Confidence
	}{
		// 48 + 144 of 384 bytes an iteration. All 400 samples go with the map.
		{"a small set", 10, 1, "", inSet, []stack{{"m/app.set:6", 10, 48}, {"m/app.set:8", 10, 144}, {"m/app.work:99", 10, 192}}, 6, 0.4, 0.4, 0.5, "a slice for each set", finding.High},
		// Two groups of eight are 272 bytes: looking up stays.
		{"a large set", 10, 1, "", inSet, []stack{{"m/app.set:6", 10, 48}, {"m/app.set:8", 10, 144}, {"m/app.set:8", 10, 288}, {"m/app.work:99", 10, 480}}, 6, 0.4, 0.1, 0.5, "a stamp that grows", finding.High},
		{"a set that is made large", 10, 1, "", inSet, []stack{{"m/app.set:6", 10, 300}, {"m/app.work:99", 10, 300}}, 6, 0.4, 0.1, 0.5, "a stamp that grows", finding.High},
		// 200,000 blocks of 144 bytes are seen 200,000·(1 − e^(−144/524,288)) =
		// 54.9 times, 50,000 of them 13.7 times: too few to say that none is larger.
		{"a small set, sampled", 10, 512 << 10, "service", inSet, []stack{{"m/app.set:8", 200_000, 144}, {"m/app.work:99", 200_000, 144}}, 6, 0.4, 0.4, 0.5, "a slice for each set", finding.High},
		{"perhaps a small set", 10, 512 << 10, "service", inSet, []stack{{"m/app.set:8", 50_000, 144}, {"m/app.work:99", 50_000, 144}}, 6, 0.4, 0.1, 0.5, "a stamp that grows", finding.High},
		{"one in ten iterations", 100, 1, "", inSet, []stack{{"m/app.set:8", 10, 144}, {"m/app.work:99", 10, 144}}, 6, 0.4, 0.4, 0.5, "", finding.High},
		{"seldom", 101, 1, "", inSet, []stack{{"m/app.set:8", 10, 144}, {"m/app.work:99", 10, 144}}, 0, 0, 0, 0, "", ""},
		{"on the stack", 10, 1, "", inSet, []stack{{"m/app.work:99", 10, 144}}, 0, 0, 0, 0, "", ""},
		{
			"a list", 10, 1, "", []stack{
				{frames: "m/app.list:18 runtime.growslice runtime.mallocgc", n: 100}, {frames: "m/app.list:18 runtime.growslice runtime.memmove", n: 50},
				{frames: "m/app.list:18", n: 50}, {frames: "m/app.work:99", n: 800},
			},
			[]stack{{"m/app.list:18", 10, 8}, {"m/app.list:18", 10, 16}, {"m/app.work:99", 10, 72}}, 18, 0.15, 0.15, 0.25, "cut it to [:0]", finding.High,
		},
		{
			// Line 37 joins a string, too: its blocks may be either's, and its map
			// work is the map's. 8 + 48 + 80 of 336 bytes.
			"fields", 10, 1, "", []stack{
				{frames: "m/app.fields:30 m/app.(*call).fill:36 runtime.makemap_small runtime.mallocgc", n: 100},
				{frames: "m/app.fields:30 m/app.(*call).fill:37 runtime.mapassign_fast64ptr", n: 50},
				{frames: "m/app.fields:30 m/app.(*call).fill:37 runtime.concatstring2 runtime.mallocgc", n: 150}, {frames: "m/app.work:99", n: 700},
			},
			[]stack{{"m/app.fields:28", 10, 8}, {"m/app.fields:30 m/app.(*call).fill:36", 10, 48}, {"m/app.fields:30 m/app.(*call).fill:37", 10, 100}, {"m/app.fields:30 m/app.(*call).fill:38", 10, 80}, {"m/app.work:99", 10, 100}},
			36, 0.15, 0.1, 136.0 / 336, "clear each map", finding.Medium,
		},
		{"a map", 10, 1, "", []stack{{frames: "m/app.counts:45 runtime.mapassign_faststr", n: 400}, rest}, []stack{{"m/app.counts:45", 10, 300}, {"m/app.work:99", 10, 100}}, 43, 0.4, 0, 0.75, "clear the map", finding.High},
		{"one block per iteration", 10, 1, "", []stack{{frames: "m/app.counts:45 runtime.mapassign_faststr", n: 400}, rest}, []stack{{"m/app.counts:45", 10, 300}, {"m/app.work:99", 10, 100}}, 43, 0.4, 0, 0.75, "300 bytes in 1 block per iteration", finding.High},
		{"a result", 10, 1, "", []stack{rest}, []stack{{"m/app.result:64", 10, 300}}, 0, 0, 0, 0, "", ""},

		// A pool cannot be of a type that the caller of a function chooses.
		{"of a type that the caller chooses", 10, 1, "", []stack{rest}, []stack{{"m/app.sorted[...]:97", 10, 300}, {"m/app.work:99", 10, 100}}, 0, 0, 0, 0, "", ""},
		{"of strings in a generic function", 10, 1, "", []stack{rest}, []stack{{"m/app.named[...]:103", 10, 300}, {"m/app.work:99", 10, 100}}, 102, 0, 0, 0.75, "", finding.High},
		{"in a method of a generic type", 10, 1, "", []stack{rest}, []stack{{"m/app.(*graph[...]).sorted:111", 10, 300}, {"m/app.work:99", 10, 100}}, 110, 0, 0, 0.75, "", finding.High},
		{"text", 10, 1, "", []stack{rest}, []stack{{"m/app.text:70", 10, 300}}, 0, 0, 0, 0, "", ""},
		{"a map that is written out", 10, 1, "", []stack{rest}, []stack{{"m/app.written:76", 10, 300}}, 0, 0, 0, 0, "", ""},
		// What is more than a set is kept as a map, small as it may be.
		{"a set that is removed from", 10, 1, "", []stack{rest}, []stack{{"m/app.removed:82", 10, 144}, {"m/app.work:99", 10, 144}}, 81, 0, 0, 0.5, "and clear the map", finding.High},
		{"answers yes or no", 10, 1, "", []stack{rest}, []stack{{"m/app.answers:89", 10, 144}, {"m/app.work:99", 10, 144}}, 88, 0, 0, 0.5, "and clear the map", finding.High},

		// Of a program only what is called in a loop is made again and again.
		{"a program's loop", 1, 1, recording.TargetProgram, inSet, []stack{{"m/app.main:52 m/app.set:8", 50, 144}, {"m/app.work:99", 50, 144}}, 6, 0.4, 0.4, 0.5, "7,200 bytes in 50 blocks per run", finding.High},
		{"one large set of a program", 1, 1, recording.TargetProgram, inSet, []stack{{"m/app.main:54 m/app.set:8", 5000, 1440}, {"m/app.work:99", 50, 144}}, 0, 0, 0, 0, "", ""},
		{"a program's loop, few times", 1, 1, recording.TargetProgram, inSet, []stack{{"m/app.main:52 m/app.set:8", 49, 144}, {"m/app.work:99", 50, 144}}, 0, 0, 0, 0, "", ""},
		{"called by what a loop calls", 0, 1, recording.TargetProgram, []stack{rest}, []stack{{"m/app.main:56 m/app.again:60 m/app.list:18", 50, 144}, {"m/app.work:99", 50, 144}}, 18, 0, 0, 0.5, "", finding.Medium},
	} {
		// The cost of the allocator that no line shows makes bytes count.
		cpu := append([]stack{}, test.cpu...)
		for i := range cpu {
			if strings.HasPrefix(cpu[i].frames, "m/app.work") {
				cpu[i].frames += " runtime.mallocgc"
			}
		}
		s := app(t, collectionSource, calls, cpu, test.allocs)
		s.AllocIterations, s.Allocs.Period, s.Kind = test.iterations, test.period, test.kind
		got := said(t, "collection-per-call", s)
		switch {
		case test.line == 0 && len(got) > 0:
			t.Errorf("%s: %s", test.name, describe(got[0]))
		case test.line != 0 && (len(got) != 1 || got[0].Line != test.line || !near(got[0].CPURatio, test.cpuShare) || !near(got[0].AvoidableCPURatio, test.avoidCPU) ||
			!near(got[0].AllocBytesRatio, test.bytes) || !near(got[0].AvoidableAllocBytesRatio, test.bytes) || got[0].Confidence != test.confidence):
			t.Errorf("%s: %d findings", test.name, len(got))
			for _, f := range got {
				t.Log(describe(f), f.AvoidableCPURatio, f.AvoidableAllocBytesRatio)
			}
		case test.line != 0 && !strings.Contains(describe(got[0]), test.says):
			t.Errorf("%s: %s", test.name, describe(got[0]))
		}
	}
}

// A map that numbered elements could take the place of is not said to be kept,
// and what a slice with a size needs not to be kept either.
func TestCollectionPerCallIsCovered(t *testing.T) {
	src := denseSource("at := make(map[*T]int)", "for i, t := range ts", "at[t] = i", "sum += at[t]")
	s := app(t, src, known, []stack{{frames: "m/app.f:12 runtime.mapaccess1_fast64", n: 300}, {frames: "m/app.work:99 runtime.mallocgc", n: 700}}, []stack{{"m/app.f:9", 10, 60}, {"m/app.work:99", 10, 100}})
	if a, b := said(t, "dense-map", s), said(t, "collection-per-call", s); len(a) != 1 || len(b) != 0 {
		t.Errorf("%+v\n%+v", a, b)
	}
	// 10 of 1000 samples and no half of one line's blocks are too little for a
	// finding: then the 80 of 1000 bytes are worth saying.
	s = app(t, src, known, []stack{{frames: "m/app.f:12 runtime.mapaccess1_fast64", n: 10}, {frames: "m/app.work:99 runtime.mallocgc", n: 990}}, []stack{{"m/app.f:9", 1, 80}, {"m/app.work:99", 1, 920}})
	if a, b := said(t, "dense-map", s), said(t, "collection-per-call", s); len(a) != 0 || len(b) != 1 {
		t.Errorf("%+v\n%+v", a, b)
	}
	// Ten slices grow to 64 bytes: slice-growth knows the size, and gives all but
	// the last block.
	grown := "package app\n\ntype T struct{ n int }\n\nfunc f(xs []*T) int { var out []*T; for _, x := range xs { // 5\n\tout = append(out, x) // 6\n}; return len(out) }\n"
	s = app(t, grown, known, growthCPU, growthBytes)
	if a, b := said(t, "slice-growth", s), said(t, "collection-per-call", s); len(a) != 1 || len(b) != 0 {
		t.Errorf("%+v\n%+v", a, b)
	}
	s = app(t, collectionSource, nil, []stack{{frames: "m/app.work:99", n: 1000}}, []stack{{"m/app.set:8", 10, 144}})
	if got := said(t, "collection-per-call", s); len(got) != 0 {
		t.Errorf("without types: %+v", got)
	}
}
