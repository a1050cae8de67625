package ingesttest

import (
	"bytes"
	"fmt"
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

var bodies sync.Map // size to func() []byte

// Body returns a body of exactly size bytes, which must not be changed: lines
// of documents from 200 to about 1,000 bytes long, made from a seed, and so the
// same in every run. After 1 MB they come again. The last document is as long
// as what is left; a size that has no room for one is spaces and a line end.
func Body(size int) []byte {
	make, _ := bodies.LoadOrStore(size, sync.OnceValue(func() []byte { return makeBody(size) }))
	return make.(func() []byte)()
}

const longestDocument = 1000

// block is about 1 MB of documents.
var block = sync.OnceValue(func() []byte {
	rng := rand.New(rand.NewPCG(5, 4_900_000))
	at := time.Date(2026, 11, 18, 20, 0, 0, 0, time.UTC)
	var b []byte
	for len(b) < 1_000_000 {
		at = at.Add(time.Duration(rng.IntN(60_000)) * time.Millisecond)
		b = appendDocument(b, rng, at, 0)
	}
	return b
})

func makeBody(size int) []byte {
	b := make([]byte, 0, size)
	for size-len(b) > longestDocument {
		rest := block()
		if room := size - len(b) - longestDocument; room < len(rest) {
			rest = rest[:bytes.LastIndexByte(rest[:room], '\n')+1]
			if len(rest) == 0 {
				break
			}
		}
		b = append(b, rest...)
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
