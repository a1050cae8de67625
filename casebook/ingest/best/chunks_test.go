package best

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"whet/casebook/ingest"
	"whet/casebook/ingest/ingesttest"
)

// idle is a body that gives nothing for ever.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestIdleBody(t *testing.T) {
	c := new(chunks)
	c.reset(io.MultiReader(strings.NewReader("{}\n{"), idle{}))
	if part, err := c.next(); string(part) != "{}\n" || err != nil {
		t.Errorf("first part is %q, %v", part, err)
	}
	for range 2 {
		if part, err := c.next(); part != nil || !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("then %q, %v; want io.ErrNoProgress", part, err)
		}
	}
}

// The start of a line is not handed out when the rest of it does not come.
func TestBodyFails(t *testing.T) {
	fails := errors.New("line is down")
	for _, last := range []io.Reader{iotest.ErrReader(fails), iotest.DataErrReader(iotest.ErrReader(fails))} {
		c := new(chunks)
		c.reset(io.MultiReader(strings.NewReader("{}\n{"), last))
		if part, err := c.next(); string(part) != "{}\n" || err != nil {
			t.Errorf("first part is %q, %v", part, err)
		}
		for range 2 {
			if part, err := c.next(); part != nil || err != fails {
				t.Errorf("then %q, %v; want the body's error", part, err)
			}
		}
	}
}

// FuzzChunks: parts are the body, and are cut at the last line end that has
// come, or in a line that is longer than MaxLine.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("a\nb"), uint32(0), uint16(1))
	f.Add([]byte("\n\n"), uint32(bufferSize-1), uint16(0))
	f.Add([]byte("\nx"), uint32(bufferSize), uint16(1000))
	f.Add([]byte("x\n"), uint32(bufferSize+1), uint16(16<<10))
	f.Add([]byte(""), uint32(3*bufferSize), uint16(60_000))
	f.Add([]byte("\nx"), uint32(bufferSize-front-1), uint16(0))
	f.Add([]byte("\n"+strings.Repeat("z", front)+"\nx"), uint32(1), uint16(front+3))
	f.Add([]byte("\n"+strings.Repeat("z", 3*front)+"\nx"), uint32(1), uint16(2*front))
	f.Fuzz(func(t *testing.T, tail []byte, long uint32, piece uint16) {
		body := append(bytes.Repeat([]byte("y"), int(long%(4*bufferSize))), tail...)
		var r io.Reader = bytes.NewReader(body)
		if piece > 0 {
			r = pieces{r, int(piece)}
		}
		c := new(chunks)
		c.reset(r)
		rest := body
		for {
			part, err := c.next()
			if err == io.EOF {
				break
			}
			if err != nil || len(part) == 0 || !bytes.HasPrefix(rest, part) {
				t.Fatalf("part of %d bytes, %v, where %d are left", len(part), err, len(rest))
			}
			rest = rest[len(part):]
			if part[len(part)-1] != '\n' && len(rest) > 0 && (len(part) <= ingest.MaxLine || bytes.IndexByte(part, '\n') >= 0) {
				t.Fatalf("part of %d bytes is cut inside a line", len(part))
			}
		}
		if len(rest) > 0 {
			t.Errorf("%d bytes are missing at the end", len(rest))
		}
	})
}

type pieces struct {
	r io.Reader
	n int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(p.n, len(b))]) }

func TestLastLineEnd(t *testing.T) {
	for n := range 1200 {
		b := bytes.Repeat([]byte("x"), n)
		if got := lastLineEnd(b); got != -1 {
			t.Fatalf("%d bytes without a line end: %d", n, got)
		}
		for _, at := range []int{0, 1, n / 2, n - 257, n - 256, n - 129, n - 128, n - 127, n - 2, n - 1} {
			if at < 0 || at >= n {
				continue
			}
			b[at] = '\n'
			if got, want := lastLineEnd(b), bytes.LastIndexByte(b, '\n'); got != want {
				t.Fatalf("%d bytes, the last line end at %d: %d", n, want, got)
			}
		}
	}
}

// What a Read by the sink has no room for is given to the next one.
func TestReadOfAnyLength(t *testing.T) {
	const body = "{\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}\nx\n\n{\"type\":\"b\",\"time\":\"2026-11-20T10:00:00Z\",\"x\":[]}"
	const want = "{\"index\":{\"_index\":\"app-2026.11.20\"}}\n{\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}\n" +
		"{\"index\":{\"_index\":\"b-2026.11.20\"}}\n{\"type\":\"b\",\"time\":\"2026-11-20T10:00:00Z\",\"x\":[]}\n"
	for n := 1; n < 300; n++ {
		s := new(stream)
		s.reset(strings.NewReader(body))
		var got []byte
		p := make([]byte, n, n+1)
		for {
			p = p[:n+1]
			p[n] = 0xAA
			k, err := s.Read(p[:n])
			got = append(got, p[:k]...)
			if p[n] != 0xAA {
				t.Fatalf("a Read of %d bytes wrote more", n)
			}
			if err == io.EOF {
				break
			}
			if err != nil || k == 0 {
				t.Fatalf("a Read of %d bytes gave %d, %v", n, k, err)
			}
		}
		if string(got) != want {
			t.Fatalf("Reads of %d bytes give %q, want %q", n, got, want)
		}
	}
}

// A request that finds the pool empty costs one stream, however large or small
// it is: 5 MiB were published.
func TestColdPool(t *testing.T) {
	if n := ingesttest.Allocated(func() { streams.New() }); n > 160<<10 {
		t.Errorf("a new stream takes %d bytes, want at most 160 KiB", n)
	}
}

// A stream that goes back to the pool holds no request.
func TestRelease(t *testing.T) {
	s := get(strings.NewReader("{\"type\":\"app\",\"time\":\"2026-11-20T10:00:00Z\"}\nx"))
	if !s.find(true) || s.document == nil {
		t.Fatal("no document")
	}
	s.release()
	if s.body != nil || s.document != nil || s.part != nil || s.to.Type != nil || s.err != nil || s.end != nil || s.report.Taken != 0 {
		t.Errorf("a stream in the pool holds %+v", s.report)
	}
}
