package callstack

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPairs keeps what a map keeps.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pairs
		want := make(map[[2]int32]int32)
		number := rapid.OneOf(rapid.Int32Range(-1, 3), rapid.Int32Range(-1, 1<<31-2))
		for i := range rapid.IntRange(0, 600).Draw(t, "pairs") {
			k := [2]int32{number.Draw(t, "a"), rapid.Int32Range(0, 1<<31-2).Draw(t, "b")}
			value, found := p.At(k[0], k[1])
			have, known := want[k]
			if found != known || found && *value != have {
				t.Fatalf("%v: %d, %t, want %d, %t", k, *value, found, have, known)
			}
			*value = int32(i)
			want[k] = int32(i)
		}
		for k, v := range want {
			if got, found := p.Get(k[0], k[1]); !found || got != v {
				t.Fatalf("%v: %d, %t, want %d", k, got, found, v)
			}
		}
		if _, found := p.Get(-1, 1<<31-1); found {
			t.Fatal("a pair that was never put in")
		}
	})
}
