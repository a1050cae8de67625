package gatewaytest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"whet/casebook/gateway"
)

// The benchmark's own cost: the same loop around a handler that does nothing.
func BenchmarkEmptyCall(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			loop(b, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), bodies(k.n, k.size))
		})
	}
}

// The checks that come before the decoder in every stage before best: their
// part of what these stages' calls take.
func BenchmarkCheck(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			all, calls := bodies(k.n, k.size), 0
			b.ReportAllocs()
			for b.Loop() {
				if gateway.CheckBody(all[calls%len(all)]) != nil || gateway.CheckAnswer(gateway.Answer) != nil {
					b.Fatal("a body or the answer is refused")
				}
				calls++
			}
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
