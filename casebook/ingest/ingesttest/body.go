package ingesttest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// Sizes of bodies, in bytes.
const (
	Size100KB = 100_000
	Size4_9MB = 4_900_000
	Size5MiB  = 5 << 20
	Size20MB  = 20_000_000
)

// Body returns a body of exactly size bytes, which must not be changed: lines
// of documents from 200 to about 1,000 bytes long, made from a seed, and so the
// same in every run. After half a megabyte they come again. The last document
// is as long as what is left; a size that has no room for one is spaces and a
// line end.
func Body(size int) []byte {
	make, _ := whole.LoadOrStore(size, sync.OnceValue(func() []byte {
		b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		b.ReadFrom(NewReader(size)) // it cannot fail
		return b.Bytes()
	}))
	return make.(func() []byte)()
}

// Reader gives a body, and does not hold it: what comes again is there once. So
// it does with a program what a socket does. The documents come out of a
// buffer that the processor still has in its cache, and the heap, by whose size
// the collector sets its pace, holds nothing but what the program put there.
type Reader struct {
	blocks int    // still to come whole
	block  []byte // what is left of the one that is read
	rest   []byte // after the blocks
}

// NewReader returns a reader of Body(size). A copy of it that nothing was read
// from is another one.
func NewReader(size int) *Reader {
	make, ok := rests.Load(size)
	if !ok {
		make, _ = rests.LoadOrStore(size, sync.OnceValue(func() []byte { return makeRest(size) }))
	}
	return &Reader{blocks: wholeBlocks(size), rest: make.(func() []byte)()}
}

func (r *Reader) Read(p []byte) (int, error) {
	if len(r.block) == 0 {
		switch {
		case r.blocks > 0:
			r.blocks--
			r.block = block()
		case len(r.rest) > 0:
			r.block, r.rest = r.rest, nil
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, r.block)
	r.block = r.block[n:]
	return n, nil
}

var whole, rests sync.Map // size to func() []byte

const longestDocument = 1000

// block is about half a megabyte of documents.
var block = sync.OnceValue(func() []byte {
	rng := rand.New(rand.NewPCG(5, 4_900_000))
	at := time.Date(2026, 11, 18, 20, 0, 0, 0, time.UTC)
	var b []byte
	for len(b) < 500_000 {
		at = at.Add(time.Duration(rng.IntN(100_000)) * time.Millisecond)
		b = appendDocument(b, rng, at, 0)
	}
	return b
})

// wholeBlocks returns how many blocks a body begins with, such that there is
// room for a last document.
func wholeBlocks(size int) int { return max(0, size-longestDocument) / len(block()) }

func makeRest(size int) []byte {
	size -= wholeBlocks(size) * len(block())
	b := make([]byte, 0, size)
	if size > longestDocument {
		room := block()[:min(size-longestDocument, len(block()))]
		b = append(b, room[:bytes.LastIndexByte(room, '\n')+1]...)
	}
	if rest := size - len(b); rest > longestDocument/2 {
		b = appendDocument(b, rand.New(rand.NewPCG(5, uint64(size))), time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), rest)
	}
	for len(b) < size-1 {
		b = append(b, ' ')
	}
	if len(b) < size {
		b = append(b, '\n')
	}
	return b
}

var (
	kinds  = []string{"access", "app", "audit", "metrics-1", "worker_2"}
	levels = []string{"debug", "info", "info", "info", "warn", "error"}
	words  = []string{
		"request", "took", "longer", "than", "expected", "while", "the", "cache", "was", "cold", "user", "session", "expired",
		"retry", "of", "job", "queue", "depth", "is", "above", "limit", "reading", "from", "disk", "größer", "naïve", `\"quoted\"`, `a\\b`, `line\nbreak`,
	}
)

// appendDocument appends a document and its \n: length bytes of them, or as
// many as come if that is 0.
func appendDocument(b []byte, rng *rand.Rand, at time.Time, length int) []byte {
	start := len(b)
	stamp := at.Format(time.RFC3339Nano)
	if rng.IntN(8) == 0 {
		stamp = at.In(time.FixedZone("", (rng.IntN(27)-12)*3600)).Format(time.RFC3339)
	}
	b = fmt.Appendf(b, `{"time":"%s","type":"%s","host":"web-%02d","level":"%s","status":%d,"took":%s,`,
		stamp, kinds[rng.IntN(len(kinds))], rng.IntN(40), levels[rng.IntN(len(levels))],
		100*(1+rng.IntN(5))+rng.IntN(5), strconv.FormatFloat(rng.ExpFloat64()*20, 'g', 6, 64))
	b = fmt.Appendf(b, `"path":"/v1/items/%d?page=%d","bytes":%d,"cached":%t,"user":{"id":%d,"name":"user-%x"},"tags":["%s","%s"],"parent":null,"message":"`,
		rng.IntN(1e6), rng.IntN(100), rng.IntN(1e6), rng.IntN(2) == 0, rng.IntN(1e7), rng.IntN(1e7), words[rng.IntN(8)], words[rng.IntN(8)])
	const end = "\"}\n"
	if length > 0 {
		for len(b) < start+length-len(end) {
			b = append(b, 'x')
		}
		return append(b, end...)
	}
	for range rng.IntN(60) {
		b = append(b, words[rng.IntN(len(words))]...)
		b = append(b, ' ')
	}
	return append(b, end...)
}
