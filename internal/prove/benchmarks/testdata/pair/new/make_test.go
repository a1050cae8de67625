package new

import "testing"

func TestMake(t *testing.T) {
	if got := Make(4); got != 15 {
		t.Errorf("Make(4) = %d", got)
	}
}

var result int

func BenchmarkMake(b *testing.B) {
	for _, size := range []string{"small", "large"} {
		b.Run("size="+size, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				for range 100 {
					result = Make(i)
				}
			}
		})
	}
}

func BenchmarkSkipped(b *testing.B) { b.Skip("not here") }
