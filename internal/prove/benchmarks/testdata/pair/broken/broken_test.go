package broken

import "testing"

func BenchmarkMake(b *testing.B) { nowhere() }
