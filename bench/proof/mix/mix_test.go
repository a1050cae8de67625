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

// arithmetic returns a chain of operations that wait for each other.
func arithmetic(x uint64, steps int) uint64 {
	for range steps {
		x = step(x)
	}
	return x
}

const start = 88172645463325252 // Marsaglia's

// sizes runs a benchmark with units of two sizes.
func sizes(b *testing.B, bench func(b *testing.B, size int), small, large int) {
	b.Run("small", func(b *testing.B) { bench(b, small) })
	b.Run("large", func(b *testing.B) { bench(b, large) })
}

// BenchmarkArithmetic computes in registers; its size is a chain's length.
func BenchmarkArithmetic(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		x := uint64(start)
		for range b.N {
			for range units {
				x = arithmetic(x, size)
			}
		}
		sinkInt = int(x)
	}, 32, 256)
}

// BenchmarkMemory waits for memory: every address depends on what was read
// before. Its size is the number of cells: 256 KiB, and 16 MiB that fit into no
// core's own cache.
func BenchmarkMemory(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		cells := make([]uint32, size)
		for i := range cells {
			cells[i] = 1013904223
		}
		b.ResetTimer()
		at := uint32(1)
		for range b.N {
			for range units {
				for range 16 {
					at = (at*1664525 + cells[at]) % uint32(len(cells)) // visits every cell before the first one again
				}
			}
		}
		sinkInt = int(at)
	}, 1<<16, 1<<22)
}

// BenchmarkMap looks up strings; its size is that of the map.
func BenchmarkMap(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		m := make(map[string]int)
		keys := make([]string, size)
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
	}, 64, 4096)
}

type node struct {
	next *node
	data [7]int
}

// BenchmarkAllocation allocates objects of 64 bytes, which the collector
// frees; its size is how many it frees together.
func BenchmarkAllocation(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		for range b.N {
			for range units {
				var list *node
				for range size {
					list = &node{next: list, data: [7]int{1}}
				}
				sinkNode = list
			}
		}
	}, 2, 16)
}

// BenchmarkSort compares and branches; its size is that of the slice.
func BenchmarkSort(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		values := make([]int, size)
		x := uint32(1)
		b.ResetTimer()
		for range b.N {
			for range units {
				for i := range values {
					x = x*1664525 + 1013904223
					values[i] = int(x)
				}
				slices.Sort(values)
			}
		}
		sinkInt = values[0]
	}, 12, 64)
}

// BenchmarkText formats numbers; its size is how many.
func BenchmarkText(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		rng := rand.New(rand.NewPCG(1, 2))
		numbers := make([]float64, size)
		for i := range numbers {
			numbers[i] = rng.NormFloat64()
		}
		buf := make([]byte, 0, 64*size)
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
	}, 2, 16)
}

// BenchmarkParallel computes on all processors at once; its size is a chain's
// length.
func BenchmarkParallel(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		b.RunParallel(func(pb *testing.PB) {
			x := uint64(start)
			for pb.Next() {
				for range units {
					x = arithmetic(x, size)
				}
			}
			if x == 0 { // never: keeps the work
				panic("xorshift gave 0")
			}
		})
	}, 32, 256)
}

// BenchmarkSyscall reads a file that the kernel has in memory; its size is how
// many bytes.
func BenchmarkSyscall(b *testing.B) {
	sizes(b, func(b *testing.B, size int) {
		name, err := os.Executable()
		if err != nil {
			b.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		buf := make([]byte, size)
		b.ResetTimer()
		for range b.N {
			for range units {
				if _, err := f.ReadAt(buf, 0); err != nil {
					b.Fatal(err)
				}
			}
		}
		sinkInt = int(buf[0])
	}, 16, 16<<10)
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
	if x != arithmetic(start, 256) {
		t.Errorf("256 steps give %d, a chain of as many %d", x, arithmetic(start, 256))
	}
}
