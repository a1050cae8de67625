package old

import "testing"

var sink int

func BenchmarkFill(b *testing.B) {
	for i := range b.N {
		sink = fill(i)
	}
}

func BenchmarkWalk(b *testing.B) {
	for i := range b.N {
		sink = int(walk(uint32(i), 1000))
	}
}

func BenchmarkMix(b *testing.B) {
	data := make([]byte, 4096)
	for b.Loop() {
		sink = int(mix(data))
	}
}

func BenchmarkBroken(b *testing.B) {
	b.Fatal("it does not work")
}
