package mix

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

var (
	sinkInt   int
	sinkNode  *node
	sinkBytes []byte
)

// step is Marsaglia's 64-bit xorshift generator.
func step(x uint64) uint64 {
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	return x
}

// arithmetic is a chain of operations that wait for each other.
func arithmetic(x uint64) uint64 {
	for range 256 {
		x = step(x)
	}
	return x
}

const start = 88172645463325252 // Marsaglia's

// BenchmarkArithmetic computes in registers.
func BenchmarkArithmetic(b *testing.B) {
	x := uint64(start)
	for range b.N {
		for range units {
			x = arithmetic(x)
		}
	}
	sinkInt = int(x)
}

// BenchmarkMemory waits for memory: every address depends on what was read
// before, and the 16 MiB fit into no core's own cache.
func BenchmarkMemory(b *testing.B) {
	const size = 1 << 22
	cells := make([]uint32, size)
	for i := range cells {
		cells[i] = 1013904223
	}
	b.ResetTimer()
	at := uint32(1)
	for range b.N {
		for range units {
			for range 16 {
				at = (at*1664525 + cells[at]) % size // visits every cell before the first one again
			}
		}
	}
	sinkInt = int(at)
}

// BenchmarkMap looks up strings.
func BenchmarkMap(b *testing.B) {
	m := make(map[string]int)
	keys := make([]string, 4096)
	for i := range keys {
		keys[i] = "key" + strconv.Itoa(i)
		m[keys[i]] = i
	}
	b.ResetTimer()
	at, sum := 0, 0
	for range b.N {
		for range units {
			for range 16 {
				at = (at + 1597) % len(keys)
				sum += m[keys[at]]
			}
		}
	}
	sinkInt = sum
}

type node struct {
	next *node
	data [7]int
}

// BenchmarkAllocation allocates small objects, which the collector frees.
func BenchmarkAllocation(b *testing.B) {
	for range b.N {
		for range units {
			var list *node
			for range 8 {
				list = &node{next: list, data: [7]int{1}}
			}
			sinkNode = list
		}
	}
}

// BenchmarkSort compares and branches.
func BenchmarkSort(b *testing.B) {
	var values [64]int
	x := uint32(1)
	for range b.N {
		for range units {
			for i := range values {
				x = x*1664525 + 1013904223
				values[i] = int(x)
			}
			slices.Sort(values[:])
		}
	}
	sinkInt = values[0]
}

// BenchmarkText formats numbers.
func BenchmarkText(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var numbers [8]float64
	for i := range numbers {
		numbers[i] = rng.NormFloat64()
	}
	var buf []byte
	b.ResetTimer()
	for range b.N {
		for range units {
			buf = buf[:0]
			for _, x := range numbers {
				buf = strconv.AppendFloat(buf, x, 'g', -1, 64)
			}
		}
	}
	sinkBytes = buf
}

// BenchmarkParallel computes on all processors at once.
func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		x := uint64(start)
		for pb.Next() {
			for range units {
				x = arithmetic(x)
			}
		}
		if x == 0 { // never: keeps the work
			panic("xorshift gave 0")
		}
	})
}

// BenchmarkSyscall reads a file that the kernel has in memory.
func BenchmarkSyscall(b *testing.B) {
	name, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var buf [512]byte
	b.ResetTimer()
	for range b.N {
		for range units {
			if _, err := f.ReadAt(buf[:], 0); err != nil {
				b.Fatal(err)
			}
		}
	}
	sinkInt = int(buf[0])
}

// The start is that of G. Marsaglia, "Xorshift RNGs", Journal of Statistical
// Software 8 (2003); the first number is what other implementations give.
func TestStep(t *testing.T) {
	x := step(start)
	if x != 8748534153485358512 {
		t.Errorf("first number %d", x)
	}
	for range 255 {
		x = step(x)
	}
	if x != arithmetic(start) {
		t.Errorf("256 steps give %d, a unit %d", x, arithmetic(start))
	}
}
