//go:build !race

// The race detector makes sync.Pool drop what it is given, so that counts of
// allocations mean nothing under it.

package ingest_test

import (
	"bytes"
	"runtime"
	"testing"

	"whet/casebook/ingest"
	"whet/casebook/ingest/ingesttest"
)

func alloc(t *testing.T, s stage, size int) int64 {
	return ingesttest.AllocBulk(t, s.make(new(ingest.Check)), size)
}

// TestSmallRequestOnAColdPool: the published free list gives a request of one
// document 5 MiB when it is empty. No other stage does; best, when its pool is
// empty, what it needs for a body of any length.
func TestSmallRequestOnAColdPool(t *testing.T) {
	for _, s := range stages {
		most := int64(16 << 10)
		if s.name == "best" {
			most = 160 << 10
		}
		body := ingesttest.Body(1500)
		got := ingesttest.Allocated(func() {
			// A new handler has an empty list. The pool of best is the package's, and
			// empty when the collector has been through twice.
			h := s.make(new(ingest.Check))
			runtime.GC()
			runtime.GC()
			if err := h.Take(bytes.NewReader(body), 1500, func([]byte) error { return nil }); err != nil {
				t.Fatal(err)
			}
		})
		if s.name == "leaky" {
			if got < 5<<20 {
				t.Errorf("leaky: %d bytes for a small request, want 5 MiB: it is no longer what was published", got)
			}
		} else if got > most {
			t.Errorf("%s: %d bytes for a small request, want at most %d", s.name, got, most)
		}
		if s.name == "best" && got < 128<<10 {
			t.Errorf("best: %d bytes for a small request: its pool was not empty", got)
		}
	}
}

// TestCliff: a body of exactly 5 MiB, or up to 511 bytes less, does not fit the
// published buffers, which want 512 bytes to spare, and the buffer that has
// grown is thrown away. In no other stage is there such a size.
func TestCliff(t *testing.T) {
	for _, s := range stages {
		h := s.make(new(ingest.Check))
		below := ingesttest.AllocTake(t, h, ingesttest.Size5MiB-512)
		for _, size := range []int{ingesttest.Size5MiB - 511, ingesttest.Size5MiB, ingesttest.Size5MiB + 1} {
			got := ingesttest.AllocTake(t, h, size)
			if s.name == "leaky" {
				if below > 1<<10 || got < 15<<20 {
					t.Errorf("leaky: %d bytes below the cliff and %d at %d, want about none and 15 MiB: it is no longer what was published", below, got, size)
				}
			} else if got > below+64<<10 {
				t.Errorf("%s: %d bytes are allocated for a body of %d, and %d below", s.name, got, size, below)
			}
		}
	}
}

// TestBestTakesInWithoutMemory: not even the pool's, when it is warm.
func TestBestTakesInWithoutMemory(t *testing.T) {
	h := stages[len(stages)-1].make(new(ingest.Check))
	for _, size := range []int{1500, ingesttest.Size100KB, ingesttest.Size4_9MB, ingesttest.Size5MiB, ingesttest.Size20MB} {
		if n := ingesttest.AllocTake(t, h, size); n > 0 {
			t.Errorf("%d bytes are allocated to take in %d, want none", n, size)
		}
	}
}

// TestBestIsAFiftieth: of the bytes that the original's handler allocates. And
// what best allocates does not depend on the body, so neither does its peak:
// from 100 KB to 20 MB it is flat.
func TestBestIsAFiftieth(t *testing.T) {
	first, best := stages[0], stages[len(stages)-1]
	small := alloc(t, best, ingesttest.Size100KB)
	for _, size := range []int{ingesttest.Size100KB, ingesttest.Size4_9MB, ingesttest.Size5MiB, ingesttest.Size20MB} {
		a, b := alloc(t, first, size), alloc(t, best, size)
		if 50*b > a {
			t.Errorf("%d bytes: best allocates %d, original %d, want a fiftieth", size, b, a)
		}
		if b > small+4<<10 {
			t.Errorf("best allocates %d bytes for a body of %d, and %d for one of 100 KB: it grows", b, size, small)
		}
	}
}

// The other stages allocate the body: if this count could not see it, the
// figures above would mean nothing.
func TestAllocationsAreSeen(t *testing.T) {
	const size = ingesttest.Size4_9MB
	for _, s := range stages {
		got := ingesttest.AllocTake(t, s.make(new(ingest.Check)), size)
		switch s.name {
		case "original": // the pieces, and the whole once more
			if got < 2*size {
				t.Errorf("original: %d bytes, want at least twice %d", got, size)
			}
		case "presize":
			if got < size || got > size+64<<10 {
				t.Errorf("presize: %d bytes, want about %d", got, size)
			}
		default:
			if got > 1<<10 {
				t.Errorf("%s: %d bytes, want about none", s.name, got)
			}
		}
	}
}
