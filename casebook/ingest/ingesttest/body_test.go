package ingesttest

import (
	"bytes"
	"hash/crc32"
	"net/http"
	"testing"

	"whet/casebook/ingest"
)

// The benchmark's own cost: the same loop around a handler that does nothing.
func BenchmarkEmptyBulk(b *testing.B) {
	serve := serving(newPage(), Size4_9MB)
	b.ReportAllocs()
	for b.Loop() {
		serve(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	}
}

// A body has the length that was asked for, is whole documents, and is the
// same in every run.
func TestBody(t *testing.T) {
	for _, size := range []int{0, 1, 2, 500, 501, 999, 1001, 1500, 2000, 2001, 2500, 5000, Size100KB, 1_000_001} {
		body := Body(size)
		if len(body) != size {
			t.Errorf("%d bytes were asked for, %d came", size, len(body))
		}
		_, report := Expect(body)
		if report.Broken != 0 || size > longestDocument && (report.Taken == 0 || size/report.Taken > 2*longestDocument || size/report.Taken < 200) {
			t.Errorf("a body of %d bytes is %+v", size, report)
		}
	}
	if got, want := crc32.ChecksumIEEE(Body(Size100KB)), uint32(body100KB); got != want {
		t.Errorf("the body of 100 KB has CRC-32 %#x, want %#x: figures of earlier runs do not compare", got, want)
	}
	indexes := map[string]int{}
	for line := range bytes.Lines(block()) {
		to, err := ingest.Route(bytes.TrimSpace(line))
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		indexes[to.String()]++
		if len(line) > 2*longestDocument {
			t.Fatalf("a document has %d bytes", len(line))
		}
	}
	if len(indexes) < 2*len(kinds) || len(indexes) > 6*len(kinds) {
		t.Errorf("the documents go to %d indexes: %v", len(indexes), indexes)
	}
	if indexes["app-2026.11.18"] == 0 || indexes["app-2026.11.19"] == 0 {
		t.Errorf("no document of the days it is made for: %v", indexes)
	}
}

const body100KB = 0x8b6abd6
