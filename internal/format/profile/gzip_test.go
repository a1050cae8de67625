package profile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// drawnSamples returns a profile whose samples take several blocks.
func drawnSamples() *callstack.Profile {
	r := rand.New(rand.NewPCG(1, 2))
	b := callstack.NewBuilder(callstack.ValueType{Type: "n", Unit: "count"})
	var stack []callstack.LocationID
	for i := range 300 {
		b.Frame(callstack.Frame{Function: string(rune('a' + i)), File: "f.go", Line: i})
	}
	for range 50_000 {
		stack = stack[:0]
		for range 60 {
			stack = append(stack, callstack.LocationID(r.IntN(300)))
		}
		b.Add(stack, nil, r.Int64N(1<<40))
	}
	return b.Profile()
}

// TestBlocks: blocks that were packed side by side are one gzip member, whose bytes do
// not depend on the processors.
func TestBlocks(t *testing.T) {
	p := drawnSamples()
	var out, single bytes.Buffer
	if err := Write(&out, p); err != nil {
		t.Fatal(err)
	}
	before := runtime.GOMAXPROCS(1)
	err := Write(&single, p)
	runtime.GOMAXPROCS(before)
	if err != nil || !bytes.Equal(out.Bytes(), single.Bytes()) {
		t.Errorf("%v, on one processor it has %d bytes, else %d", err, single.Len(), out.Len())
	}
	file := bytes.NewReader(out.Bytes()) // an io.ByteReader: gzip takes no byte beyond the member
	zr, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	zr.Multistream(false)
	message, err := io.ReadAll(zr)
	if err != nil || file.Len() > 0 || len(message) < 3*blockSize {
		t.Fatalf("%v, %d bytes in the first member, %d bytes after it", err, len(message), file.Len())
	}
	if size := binary.LittleEndian.Uint32(out.Bytes()[out.Len()-4:]); int(size) != len(message) {
		t.Errorf("the file says it has %d bytes, not %d", size, len(message))
	}
	g, err := google.ParseUncompressed(message)
	if err != nil {
		t.Fatal(err)
	}
	compareExactly(t, p, g)
}

// full takes some bytes and fails.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteFails(t *testing.T) {
	p := drawnSamples()
	for _, room := range []full{0, 9, 10, 11, blockSize} {
		if err := Write(&room, p); !errors.Is(err, errFull) {
			t.Errorf("%v", err)
		}
	}
}
