package rules_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"whet/internal/diagnose"
	"whet/internal/recording"
)

// A service's allocation profile is a sample: one block in heapRate bytes.
const heapRate = 512 << 10

// scaled returns what such a profile counts for so many caught blocks of a size:
// runtime/pprof divides by the chance to be caught, and cuts to whole ones.
func scaled(caught, size int64) int64 {
	return int64(float64(caught) / -math.Expm1(-float64(size)/heapRate))
}

// served makes a subject a service under load.
func served(s *diagnose.Subject, requests int64) *diagnose.Subject {
	s.Kind, s.BytesPerOp, s.AllocIterations, s.Allocs.Period = recording.TargetService, -1, requests, heapRate
	return s
}

var (
	bodySource = reads("r *http.Request", "", "data, err := io.ReadAll(r.Body)")
	bodyCPU    = []stack{
		{frames: "m/app.f:5 io.ReadAll runtime.memmove", n: 100}, {frames: "m/app.f:5 io.ReadAll runtime.growslice runtime.mallocgc", n: 60},
		{frames: "m/app.f:5 io.ReadAll runtime.growslice runtime.memclrNoHeapPointers", n: 40}, {frames: "m/app.work:99", n: 800},
	}
)

// 1,200 bodies of 4,900,000 bytes. Of N blocks of b bytes N·(1 − e^(−b/524288))
// are caught on average, which stands beside what a draw gave.
func TestReadGrowthSampledByHand(t *testing.T) {
	type caught struct{ size, blocks int64 }
	one := []caught{
		{512, 0},                      // 1.2
		{256, 1},                      // 0.6
		{384, 2},                      // 0.9
		{576, 0},                      // 1.3
		{896, 4},                      // 2.0 of 864
		{1408, 1},                     // 3.2 of 1296
		{2048, 6},                     // 4.7 of 1944
		{3072, 4},                     // 7.0 of 2916
		{4864, 13},                    // 11.1 of 4374
		{6784, 12},                    // 15.4 of 6561
		{10240, 27},                   // 23.2 of 9841
		{16384, 33},                   // 36.9 of 14761
		{24576, 51},                   // 54.9 of 22141
		{40960, 97},                   // 90.2 of 33211
		{57344, 121},                  // 124.3 of 49816
		{81920, 180},                  // 173.6 of 74724
		{114688, 228},                 // 235.8 of 112086
		{172032, 342},                 // 335.7 of 168129
		{253952, 459},                 // 460.7 of 252193
		{385024, 609},                 // 624.2 of 378289
		{573440, 801},                 // 798.0 of 567433
		{851968, 968},                 // 963.7 of 851149
		{1277952, 1096},               // 1095.1 of 1276723
		{1916928, 1170},               // 1169.0 of 1915084
		{4907008, 1200}, {4202496, 1}, // the whole bodies, and one that was cut off
	}
	// Half of them are copied as often, to sizes that more of them have.
	rising := []caught{{4864, 12}, {81920, 100}, {573440, 900}, {4907008, 1200}}
	// Four pieces of 139,264 bytes together, and more of what they are to hold.
	little := []caught{{16384, 37}, {24576, 55}, {40960, 90}, {57344, 124}, {4907008, 2000}}
	// Three pieces of 4,046,848 bytes together, 0.82 of the whole; and blocks of a
	// size that is no piece's, of which there are half as many.
	three := []caught{{90112, 100}, {851968, 964}, {1277952, 1095}, {1916928, 1169}, {4907008, 1200}}
	for _, test := range []struct {
		name                 string
		blocks               []caught
		cpu                  []stack
		avoidCPU, avoidBytes float64
		text                 string
	}{
		// All pieces of which four or more were caught: 6,945,000,000 bytes or so of
		// 12,900,000,000, 0.54 of what ReadAll allocates and, with as much elsewhere,
		// 0.27 of all. Of 100 samples in the allocator that share is less than 60.
		{"one size", one, bodyCPU, 0.14, -1, "were outgrown"},
		{"and a few of another", append(slices.Clone(one), caught{3006464, 100}), bodyCPU, 0.14, -1, "were outgrown"},
		{"one size only", one[24:25], bodyCPU, 0, 0, ""},
		{"one size, and one cut off", one[24:], bodyCPU, 0.1, 0, "only the copying counts"},
		{"sizes that are no growth", rising, bodyCPU, 0.1, 0, "only the copying counts"},
		{"pieces that do not hold the whole", little, bodyCPU, 0.1, 0, "only the copying counts"},
		{"three pieces", three, bodyCPU, 0.1, 0, "only the copying counts"},
		{"sizes that are no growth, and nothing copied", rising, bodyCPU[3:], 0, 0, ""},
	} {
		var allocs []stack
		var bytes, pieces int64
		for _, c := range test.blocks {
			if c.blocks == 0 {
				continue
			}
			n := scaled(c.blocks, c.size)
			allocs = append(allocs, stack{"m/app.f:5 io.ReadAll", n, c.size})
			bytes += n * c.size
			if c.blocks >= 4 && c.size < 2<<20 {
				pieces += n * c.size
			}
		}
		allocs = append(allocs, stack{"m/app.work:99", bytes / (4 << 20), 4 << 20})
		all := bytes + bytes/(4<<20)*(4<<20)
		want := test.avoidBytes
		if want < 0 {
			want = float64(pieces) / float64(all)
			if math.Abs(float64(pieces)/float64(bytes)-0.5) > 0.05 {
				t.Fatalf("%d of %d bytes are pieces", pieces, bytes)
			}
		}
		cpu := append([]stack{{frames: "m/app.work:99 runtime.mallocgc", n: 200}}, test.cpu...)
		s := served(app(t, bodySource, known, cpu, allocs), 1200)
		got := said(t, "read-growth", s)
		if test.text == "" {
			if len(got) > 0 {
				t.Errorf("%s: %+v", test.name, got)
			}
			continue
		}
		scale := 1000.0 / float64(s.BaseCPUSamples())
		if len(got) != 1 || got[0].Line != 5 || !near(got[0].AvoidableCPURatio, test.avoidCPU*scale) || !near(got[0].AvoidableAllocBytesRatio, want) ||
			!near(got[0].AllocBytesRatio, float64(bytes)/float64(all)) || !strings.Contains(fmt.Sprint(got[0].Evidence), test.text) {
			t.Errorf("%s: want cpu %v, bytes %v: %+v", test.name, test.avoidCPU*scale, want, got)
		}
	}
}

// classes are the sizes that the heap hands out up to 32 KiB, from 256 bytes
// (runtime, sizeclasses.go); what is larger takes whole pages of 8 KiB.
var classes = []int64{
	256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864,
	5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
}

func handedOut(asked int64) int64 {
	if i, _ := slices.BinarySearch(classes, asked); i < len(classes) {
		return classes[i]
	}
	return (asked + 8191) &^ 8191
}

// inPieces reads n bytes as ReadAll of Go 1.26 does from a reader that fills
// what it is given: the sizes of its blocks, the last being the whole.
func inPieces(n int64) (blocks []int64) {
	size, next, room := int64(512), int64(256), int64(512)
	blocks = append(blocks, size)
	for read := room; read <= n; read += room {
		blocks = append(blocks, handedOut(next))
		room = handedOut(next)
		next += next / 2
	}
	if len(blocks) > 1 {
		blocks = append(blocks, handedOut(n))
	}
	return blocks
}

// byGrowth returns the ReadAll before it: append, by a quarter and 192 more.
func byGrowth(n int64) (blocks []int64) {
	for room := int64(512); ; room = handedOut(room + (room+3*256)/4) {
		blocks = append(blocks, room)
		if room > n {
			return blocks
		}
	}
}

// Every block of so many readings is known here, and the rule sees a sample of
// them: what it says is avoidable has to be what was given up, or less.
func TestReadGrowthSampledBesideTheTruth(t *testing.T) {
	uniform := func(from, to int64) func(*rand.Rand) int64 {
		return func(rng *rand.Rand) int64 { return from + rng.Int64N(to-from+1) }
	}
	spread := func(rng *rand.Rand) int64 { return int64(1000 * math.Exp(rng.Float64()*math.Log(5000))) } // 1 kB to 5 MB
	for _, test := range []struct {
		name     string
		read     func(int64) []int64
		readings int
		size     func(*rand.Rand) int64
		// least and most of the avoidable share beside the true one; least 0: it
		// may be silent about bytes.
		least, most float64
	}{
		{"4.9 MB", inPieces, 500, uniform(4_900_000, 4_900_000), 0.97, 1.03},
		{"4.9 MB, few", inPieces, 60, uniform(4_900_000, 4_900_000), 0.9, 1.05},
		{"100 kB", inPieces, 8_000, uniform(100_000, 100_000), 0.95, 1.05},
		{"20 kB", inPieces, 10_000, uniform(20_000, 20_000), 0.9, 1.1},
		{"50 kB to 5 MB", inPieces, 500, uniform(50_000, 5_000_000), 0.9, 1.05},
		{"1 kB to 5 MB", inPieces, 4_000, spread, 0.9, 1.05},
		{"two sizes", inPieces, 2_000, func(rng *rand.Rand) int64 { return 300_000 + 2_000_000*rng.Int64N(2) }, 0.9, 1.1},
		{"one block", inPieces, 400_000, uniform(400, 400), 0, 0},
		{"an older ReadAll, 1 MB", byGrowth, 1_000, uniform(1_000_000, 1_000_000), 0.9, 1.05},
		{"an older ReadAll, 50 kB to 5 MB", byGrowth, 500, uniform(50_000, 5_000_000), 0, 1.1},
	} {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 9))
			caught := make(map[int64]int64)
			var bytes, given float64
			for range test.readings {
				blocks := test.read(test.size(rng))
				for i, size := range blocks {
					bytes += float64(size)
					if i < len(blocks)-1 {
						given += float64(size)
					}
					if rng.ExpFloat64()*heapRate < float64(size) {
						caught[size]++
					}
				}
			}
			var allocs []stack
			for _, size := range slices.Sorted(maps.Keys(caught)) {
				allocs = append(allocs, stack{"m/app.f:5 io.ReadAll", scaled(caught[size], size), size})
			}
			cpu := append([]stack{{frames: "m/app.work:99 runtime.mallocgc", n: 200}}, bodyCPU[3])
			got := said(t, "read-growth", served(app(t, bodySource, known, cpu, allocs), int64(test.readings)))
			truth, says := given/bytes, 0.0
			if len(got) > 0 {
				says = got[0].AvoidableAllocBytesRatio
			}
			if says < test.least*truth || says > test.most*truth {
				t.Errorf("%s, seed %d: avoidable %.3f, in truth %.3f", test.name, seed, says, truth)
			}
		}
	}
}
