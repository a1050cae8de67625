package planted

import "testing"

func BenchmarkPlaced(b *testing.B) {
	for b.Loop() {
		sink = placed()
	}
}
