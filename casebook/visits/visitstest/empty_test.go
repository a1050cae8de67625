package visitstest

import (
	"net/http"
	"testing"
)

// The benchmarks' own cost: the same loops around a handler that does nothing.

func BenchmarkEmptyReused(b *testing.B) {
	r, p := template(), newPage()
	var h http.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		h.ServeHTTP(p, r)
	}
}

func BenchmarkEmptyFresh(b *testing.B) {
	t, p := template(), newPage()
	var h http.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		h.ServeHTTP(p, fresh(t))
	}
}
