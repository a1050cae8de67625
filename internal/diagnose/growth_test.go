package diagnose

import (
	"strings"
	"testing"

	"whet/internal/analyze/hot"
)

// doubling returns a buffer that grew once from 64 bytes to 64·2^(n−1).
func doubling(n int, objects int64, stack ...string) []sample {
	var out []sample
	for i := range n {
		out = append(out, sample{stack: stack, n: objects, size: 64 << i})
	}
	return out
}

func growing(iterations int64, samples ...sample) (string, bool) {
	s := subject("BenchmarkX", nil, allocProfile(samples...), nil)
	s.AllocIterations = iterations
	return GrowingBuffer(s)
}

func TestGrowingBuffer(t *testing.T) {
	write := []string{"m/x.BenchmarkX", "net/http/httptest.(*ResponseRecorder).Write", "bytes.(*Buffer).Write", "bytes.(*Buffer).grow", "bytes.growSlice"}
	// 64 to 64·2^10 = 65536: the sum is 64·(2^11 − 1) = 131008 bytes. Another
	// 131008 bytes make its share a half.
	text, found := growing(10_000, append(doubling(11, 1, write...), sample{stack: []string{"m/x.BenchmarkX", "m/x.f"}, n: 131008, size: 1})...)
	for _, want := range []string{"BenchmarkX: ", "in net/http/httptest.(*ResponseRecorder).Write", "11 block sizes from 64 to 65536 bytes", "50.0 % of the measured bytes"} {
		if !found || !strings.Contains(text, want) {
			t.Errorf("found %v, %q lacks %q", found, text, want)
		}
	}

	for _, test := range []struct {
		name       string
		iterations int64
		samples    []sample
		want       bool
	}{
		{"64 objects of a size in 6400 iterations", 6400, doubling(11, 64, write...), true},
		{"65 objects of a size in 6400 iterations", 6400, doubling(11, 65, write...), false},
		{"a size in every iteration", 10_000, doubling(11, 10_000, write...), false},
		{"one iteration, which grows a buffer of its own", 1, doubling(11, 1, write...), false},
		{"nine iterations", 9, doubling(11, 1, write...), false},
		{"ten iterations", 10, doubling(11, 1, write...), true},
		{"two objects of a size in ten iterations", 10, doubling(11, 2, write...), false},
		{"largest 32 KiB", 10_000, doubling(10, 1, write...), false},
		{"five sizes", 10_000, doubling(11, 1, write...)[6:], false},
		{"six sizes", 10_000, doubling(11, 1, write...)[5:], true},
		{"no iterations known", 0, doubling(11, 1, write...), false},
		{"in package testing", 10_000, doubling(11, 1, "testing.(*B).runN", "bytes.growSlice"), false},
	} {
		if _, found := growing(test.iterations, test.samples...); found != test.want {
			t.Errorf("%s: found is %v", test.name, found)
		}
	}

	// Many sizes that lie close together are data's, not growth's.
	var sizes []sample
	for i := range 200 {
		sizes = append(sizes, sample{stack: []string{"m/x.read"}, n: 1, size: 1000 + int64(i)*1000})
	}
	if text, found := growing(10_000, sizes...); found {
		t.Errorf("sizes by data: %s", text)
	}

	// Set-up may grow what it likes.
	setup := doubling(11, 1, write...)
	for i := range setup {
		setup[i].class = hot.Setup
	}
	if _, found := growing(10_000, setup...); found {
		t.Error("a buffer of set-up was found")
	}

	if _, found := GrowingBuffer(subject("B", nil, nil, nil)); found {
		t.Error("found without a profile")
	}
}

// 30 of 100 samples grow the buffer; 20 grow a slice inside the code under
// test, which is not it.
func TestGrowingBufferCPU(t *testing.T) {
	s := subject("BenchmarkX",
		cpuProfile(
			sample{stack: []string{"m/x.BenchmarkX", "runtime.growslice", "runtime.memmove"}, n: 30},
			sample{stack: []string{"m/x.BenchmarkX", "m/x.f", "runtime.growslice"}, n: 20},
			sample{stack: []string{"m/x.BenchmarkX", "m/x.f"}, n: 50},
		),
		allocProfile(doubling(11, 1, "m/x.BenchmarkX")...), nil)
	s.AllocIterations = 10_000
	text, _ := GrowingBuffer(s)
	if !strings.Contains(text, "and 30.0 % of the CPU time") {
		t.Errorf("%q", text)
	}
}
