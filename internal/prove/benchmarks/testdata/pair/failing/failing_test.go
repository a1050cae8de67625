package failing

import "testing"

func TestMake(t *testing.T) { t.Error("seven is not six") }

func BenchmarkMake(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}
