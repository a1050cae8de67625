package legacy

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"whet/internal/callstack"
)

// TestWords reads a CPU profile as machines of both word sizes and byte orders
// would have written it.
func TestWords(t *testing.T) {
	data := load(t, "playflame_19986de.prof.cpu")
	for _, order := range []interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}{binary.LittleEndian, binary.BigEndian} {
		for _, size := range []int{4, 8} {
			var out []byte
			for i := 0; i < len(data); i += 8 {
				w := binary.LittleEndian.Uint64(data[i:])
				if size == 4 {
					out = order.AppendUint32(out, uint32(w))
				} else {
					out = order.AppendUint64(out, w)
				}
			}
			if !Is(out[:512]) {
				t.Errorf("%v, %d bytes: Is does not know it", order, size)
			}
			p := compare(t, out)
			if p.Total(0) == 0 || p.Total(1) != p.Total(0)*p.Period {
				t.Errorf("%v, %d bytes: %d samples of %d ns are %d ns", order, size, p.Total(0), p.Period, p.Total(1))
			}
		}
	}
}

// TestHandlers takes out what a signal handler left on every stack but one: two
// frames, and not a third that looks alike.
func TestHandlers(t *testing.T) {
	out := binary.LittleEndian.AppendUint64(nil, 0)
	for _, w := range []uint64{3, 0, 10000, 0} {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	for i := range uint64(40) {
		stack := []uint64{0x1000 + 16*i, 0x501, 0x601, 0x701, 0x2000 + 16*i}
		if i == 7 {
			stack = []uint64{0x1000, 0x901, 0x601, 0x701}
		}
		out = binary.LittleEndian.AppendUint64(out, i+1)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(stack)))
		for _, a := range stack {
			out = binary.LittleEndian.AppendUint64(out, a)
		}
	}
	for _, w := range []uint64{0, 1, 0} {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	p := compare(t, out)
	if got := ours(p).Samples[0]; got != "[1 10000000] 0x1000 in 0 0x700 in 0 0x1fff in 0" {
		t.Errorf("the first is %s", got)
	}
}

// TestScale holds the correction for the sampling rate to arithmetic: blocks
// of the mean distance's size are taken with the probability 1 − 1/e = 0.63212,
// so that 10 stand for 15.8198; blocks of x = 5243/524288 of it with 1 − e⁻ˣ,
// and 1/(1 − e⁻ˣ) = 1/x + 1/2 + x/12 − … = 100.49854, so that 10 stand for
// 1004.9854.
func TestScale(t *testing.T) {
	for _, test := range []struct{ count, bytes, rate, wantCount, wantBytes int64 }{
		{10, 10 * 524288, 524288, 15, 8294114},
		{10, 10 * 5243, 524288, 1004, 5269138},
		{3, 300, 1, 3, 300},
		{3, 300, 0, 3, 300},
		{3, 0, 524288, 0, 0},
	} {
		c, b, ok := scale(test.count, test.bytes, test.rate)
		if !ok || c != test.wantCount || math.Abs(float64(b-test.wantBytes)) > 1 {
			t.Errorf("scale(%d, %d, %d) = %d, %d, %v, want %d, %d", test.count, test.bytes, test.rate, c, b, ok, test.wantCount, test.wantBytes)
		}
	}
}

// TestCutAnywhere reads every beginning of two profiles: what is read is the
// beginning of the samples of the whole, values and all, and where samples are
// missing, a warning says so.
func TestCutAnywhere(t *testing.T) {
	cpu := load(t, "playflame_f2949ed.prof.cpu")
	text := load(t, "text/heap.debug1.txt")
	for _, test := range []struct {
		name string
		data []byte
		step int
	}{{"cpu", cpu, 29}, {"heap", withoutNames(text), 71}} {
		t.Run(test.name, func(t *testing.T) {
			whole, err := Read(test.data, wide)
			if err != nil {
				t.Fatal(err)
			}
			all := ours(whole).Samples
			for n := 60; n < len(test.data); n += test.step {
				p, err := Read(test.data[:n], wide)
				if err != nil {
					if strings.Contains(err.Error(), "\n") {
						t.Fatalf("%d bytes: %q", n, err)
					}
					continue
				}
				some := ours(p).Samples
				if len(some) > len(all) {
					t.Fatalf("%d bytes: %d samples of %d", n, len(some), len(all))
				}
				for i := range max(0, len(some)-1) { // the last may be cut
					if some[i] != all[i] {
						t.Fatalf("%d bytes: sample %d is %s, want %s", n, i, some[i], all[i])
					}
				}
				if said := strings.Contains(strings.Join(p.Warnings, "; "), "cut off"); len(some) < len(all) && !said {
					t.Fatalf("%d bytes, %d samples of %d: no warning says so: %q", n, len(some), len(all), p.Warnings)
				}
			}
		})
	}
}

// TestAround reads around damage and says what was left out.
func TestAround(t *testing.T) {
	for _, test := range []struct {
		name, text string
		samples    []string
		warning    string
	}{
		{"a malformed line", "goroutine profile: total 3\n1 @ 0x10 0x20\nnonsense\n2 @ 0x30\n",
			[]string{"[1] 0xf in 0 0x1f in 0", "[2] 0x2f in 0"}, "line 3 is malformed"},
		{"two of them", "heap profile: 1: 8 [1: 8] @ heapprofile\n1: 8 [1: 8] @ 0x10\nx\ny\n",
			[]string{"[1 8] 0xf in 0 bytes [8]"}, "2 lines are malformed and were left out, the first of them line 3"},
		{"bytes of no object", "heap profile: 1: 8 [1: 8] @ heapprofile\n0: 8 [0: 8] @ 0x10\n1: 8 [1: 8] @ 0x10\n",
			[]string{"[1 8] 0xf in 0 bytes [8]"}, "line 2 is malformed"},
		{"fewer goroutines than it says", "goroutine profile: total 9\n1 @ 0x10\n",
			[]string{"[1] 0xf in 0"}, "sum to 1, but its first line says 9"},
		{"an address too large", "goroutine profile: total 1\n1 @ 0x10\n1 @ 0x12345678901234567\n",
			[]string{"[1] 0xf in 0"}, "line 3 is malformed"},
		{"a number too large", "--- mutex:\ncycles/second=1000000000\n99999999999999999999 1 @ 0x10\n5 1 @ 0x10\n",
			[]string{"[1 5] 0xf in 0"}, "line 3 is malformed"},
		{"an attribute nobody knows", "--- mutex:\ncolour=red\n5 1 @ 0x10\n",
			[]string{"[1 5] 0xf in 0"}, "line 2 is malformed"},
		{"a stack of nothing", "goroutine profile: total 1\n1 @\n", []string{"[1]"}, ""},
		{"no samples", "heap profile: 0: 0 [0: 0] @ heap/1048576\n", nil, "has no samples"},
		{"discarded", "--- contentionz 1 ---\ndiscarded samples = 7\n5 1 @ 0x10\n", []string{"[1 5] 0xf in 0"}, "discarded 7 samples"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Read([]byte(test.text), wide)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.samples, ours(p).Samples); d != "" {
				t.Error(d)
			}
			if !strings.Contains(strings.Join(p.Warnings, "; "), test.warning) {
				t.Errorf("warnings %q, want %q", p.Warnings, test.warning)
			}
		})
	}
}

// TestRefused are files that cannot be read, or not be trusted.
func TestRefused(t *testing.T) {
	words := func(w ...uint64) string {
		var out []byte
		for _, w := range w {
			out = binary.LittleEndian.AppendUint64(out, w)
		}
		return string(out)
	}
	for _, test := range []struct{ name, data, want string }{
		{"nothing", "", "not a profile in a format of gperftools or of Go before"},
		{"something else", "hello\nworld\n", "not a profile in a format of gperftools or of Go before"},
		{"Java's waits", "--- contentionz 1 ---\nformat = java\n", "names no resolution"},
		{"a period of centuries", words(0, 3, 0, 1<<62, 0), "292 years"},
		{"too many", words(0, 3, 0, 10000, 0, 1<<62, 1, 16), "overflows an int64"},
		{"too many together", words(0, 3, 0, 1, 0, 1<<52, 1, 16, 1<<52, 1, 16, 1<<52, 1, 16), "overflows an int64"},
		{"delays", "--- mutex:\nsampling period=10\n9223372036854775807 1 @ 0x1\n9223372036854775807 1 @ 0x2\n", "overflows an int64"},
		{"waits", "--- mutex:\nsampling period=10\n1 9223372036854775807 @ 0x1\n", "overflows an int64"},
		{"a delay in cycles", "--- mutex:\ncycles/second=1\n9223372036854775807 1 @ 0x1\n", "overflows an int64"},
		{"scaled", "heap profile: 1: 1 [0: 0] @ heap_v2/9000000000000000000\n9000000000000000000: 9000000000000000000 [0: 0] @ 0x1\n", "overflows an int64"},
		{"an unknown heap profile", "heap profile: 1: 8 [1: 8] @ quux\n", `"quux" is not a known kind of heap profile`},
		{"a rate too large", "heap profile: 1: 8 [1: 8] @ heap/99999999999999999999\n", "is too large"},
		{"a clock that is none", "--- mutex:\ncycles/second=fast\n1 1 @ 0x1\n", `cycles/second is "fast"`},
		{"no line of it", "goroutine profile: total 2\nfoo\nbar\n", "line 2: no line after the first"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read([]byte(test.data), wide)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want %q", err, test.want)
			}
		})
	}
	if _, err := Read([]byte("goroutine profile: total 1\n1 @ 0x1 0x2 0x3\n"), callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 100}); err == nil {
		t.Error("three addresses in 100 bytes of memory: no error")
	}
	names := "goroutine profile: total 1\n1 @ 0x2\n#\t0x1\tf+0x1\n#\t0x1\tg+0x1\n#\t0x1\th+0x1\n"
	if _, err := Read([]byte(names), callstack.Limits{MaxBytes: 1 << 20, MaxMemory: 700}); err == nil {
		t.Error("three names in 700 bytes of memory: no error")
	}
	if _, err := Read(make([]byte, 100), callstack.Limits{MaxBytes: 99, MaxMemory: 700}); err == nil {
		t.Error("100 bytes where 99 are allowed: no error")
	}
}

// TestNotIs are beginnings of other files.
func TestNotIs(t *testing.T) {
	for _, head := range []string{"", "\x1f\x8b\x08", "main;f 12\n", "goroutine 1 [running]:\n", "w 12 1.000000: cycles:\n", "--- a/x.go\n+++ b/x.go\n"} {
		if Is([]byte(head)) {
			t.Errorf("Is(%q)", head)
		}
	}
}
