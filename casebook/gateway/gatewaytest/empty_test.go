package gatewaytest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
)

// The benchmark's own cost: the same loop around a handler that does nothing.
func BenchmarkEmptyCall(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			loop(b, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), bodies(k.n, k.size))
		})
	}
}

func TestBody(t *testing.T) {
	for _, size := range []int{800, 1000, 1001, 5000, 100_000} {
		for seed := range uint64(5) {
			b := Body(seed, size)
			if len(b) != size || !json.Valid(b) {
				t.Fatalf("seed %d, %d bytes wanted: %d bytes, valid %t: %.2000s", seed, size, len(b), json.Valid(b), b)
			}
			if !bytes.Equal(b, Body(seed, size)) || bytes.Equal(b, Body(seed+1, size)) {
				t.Fatalf("seed %d does not decide the body", seed)
			}
			if want := Expect(b); len(want.Faults) > 0 || want.Call.Session != "" || bytes.Count(b, []byte(`"sku"`)) < 1 {
				t.Fatalf("seed %d, %d bytes: %+v", seed, size, want)
			}
		}
	}
}
