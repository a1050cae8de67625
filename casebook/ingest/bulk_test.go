package ingest_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"whet/casebook/ingest"
	"whet/casebook/ingest/best"
	"whet/casebook/ingest/ingesttest"
)

// sink is a function that is one.
type sink func(io.Reader) error

func (s sink) Bulk(_ context.Context, r io.Reader) error { return s(r) }

// What a Read by the sink has no room for is given to the next one.
func TestPassOnWholeInReadsOfAnyLength(t *testing.T) {
	const body = "{\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}\nx\n\n{\"type\":\"b\",\"time\":\"2026-11-20T10:00:00Z\",\"x\":[]}"
	const want = "{\"index\":{\"_index\":\"app-2026.11.20\"}}\n{\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}\n" +
		"{\"index\":{\"_index\":\"b-2026.11.20\"}}\n{\"type\":\"b\",\"time\":\"2026-11-20T10:00:00Z\",\"x\":[]}\n"
	for n := 1; n < 400; n++ {
		var got []byte
		report, err := ingest.PassOnWhole(t.Context(), sink(func(r io.Reader) error {
			p := make([]byte, n+1)
			for {
				p[n] = 0xAA
				k, err := r.Read(p[:n])
				got = append(got, p[:k]...)
				if p[n] != 0xAA {
					t.Fatalf("a Read of %d bytes wrote more", n)
				}
				if err == io.EOF {
					return nil
				}
				if err != nil || k == 0 {
					t.Fatalf("a Read of %d bytes gave %d, %v", n, k, err)
				}
			}
		}), []byte(body))
		if err != nil || report.Taken != 2 || string(got) != want {
			t.Fatalf("Reads of %d bytes give %q, %v, want %q", n, got, err, want)
		}
	}
}

// BenchmarkPassOn is what the way out of a body costs that is there: by a list
// of documents, as where the body is read first, and without one, as in best.
// The rest of the difference between these stages is taking the body in.
func BenchmarkPassOn(b *testing.B) {
	body, check := ingesttest.Body(ingesttest.Size4_9MB), new(ingest.Check)
	b.Run("listed", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if report, err := ingest.PassOnWhole(b.Context(), check, body); err != nil || report.Broken > 0 {
				b.Fatal(report, err)
			}
		}
	})
	b.Run("drawn", func(b *testing.B) {
		h := best.New(check)
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			w := ingesttest.NewRecorder()
			if h.ServeHTTP(w, ingesttest.Request(ingesttest.NewReader(len(body)), int64(len(body)))); w.Status != http.StatusOK {
				b.Fatal(w.Status)
			}
		}
	})
}
