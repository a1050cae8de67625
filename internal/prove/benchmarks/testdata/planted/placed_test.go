package planted

import "testing"

func BenchmarkPlaced(b *testing.B) {
	for b.Loop() {
		sink = placed()
	}
}

func BenchmarkMasked(b *testing.B) {
	for b.Loop() {
		sink = ofMasked(sink & 1)
	}
}

func BenchmarkSmall(b *testing.B) {
	for b.Loop() {
		sink = ofSmall()
	}
}
