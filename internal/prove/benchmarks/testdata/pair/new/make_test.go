package new

import (
	"syscall"
	"testing"
)

func TestMake(t *testing.T) {
	if got := Make(4); got != 15 {
		t.Errorf("Make(4) = %d", got)
	}
}

var result int

// used is the processor time of the process, which is the benchmark's clock: a slice
// has as many operations on a busy machine as on a quiet one.
func used() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func BenchmarkMake(b *testing.B) {
	for _, size := range []string{"small", "large"} {
		b.Run("size="+size, func(b *testing.B) {
			begun := used()
			for i := 0; i < b.N; i++ {
				for range 100 {
					result = Make(i)
				}
			}
			b.ReportMetric(float64(max(used()-begun, 1))/float64(b.N), "ns/op")
		})
	}
}

func BenchmarkSkipped(b *testing.B) { b.Skip("not here") }
