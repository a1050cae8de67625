package hanging

import "testing"

func BenchmarkMake(b *testing.B) {
	b.Run("size=small", func(b *testing.B) { select {} })
}
