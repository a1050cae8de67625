package same

import "testing"

var sink string

func BenchmarkJoin(b *testing.B) {
	for b.Loop() {
		sink = Join(100)
	}
}
