package wire

import (
	"bytes"
	"strings"
	"testing"
)

// TestAnswer says in plain figures what some answers are, so that the tests do
// not rest on net/http alone.
func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		name, in string
		head     bool
		want     verdict // used -1: all
	}{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, verdict{whole: true, status: 200, bytes: 5, keep: true, used: -1}},
		{"garbage after it", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nokgarbage", false, verdict{whole: true, status: 404, bytes: 2, keep: true, used: 47}},
		{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1", true, verdict{whole: true, status: 200, keep: true, used: 38}},
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", false, verdict{whole: true, status: 204, keep: true, used: -1}},
		{"until the end", "HTTP/1.1 200 OK\r\n\r\nhello", false, verdict{whole: true, status: 200, bytes: 5, used: -1}},
		{"chunks", chunkedHead + "\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nT: v\r\n\r\n", false, verdict{whole: true, status: 200, bytes: 4, keep: true, used: -1}},
		{"1xx", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\nx", false, verdict{whole: true, status: 500, bytes: 1, keep: true, used: -1}},
		{"close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", false, verdict{whole: true, status: 200, used: -1}},
		{"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false, verdict{whole: true, status: 200, used: -1}},
		{"nothing", "", false, verdict{err: ErrNoAnswer, used: -1}},
		{"half a head", "HTTP/1.1 200 OK\r\nX: ", false, verdict{err: ErrNoAnswer, status: 200, used: -1}},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", false, verdict{err: ErrShort, status: 200, bytes: 3, keep: true, used: -1}},
		{"half a chunk", chunkedHead + "\r\n5\r\nhel", false, verdict{err: ErrShort, status: 200, bytes: 3, keep: true, used: -1}},
		{"no last chunk", chunkedHead + "\r\n3\r\nhel\r\n", false, verdict{err: ErrShort, status: 200, bytes: 3, keep: true, used: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want.used < 0 {
				c.want.used = len(c.in)
			}
			if got := parse(t, &Parser{}, []byte(c.in), c.head); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestOnPurpose has the list of doc.go: what is refused here whatever net/http
// says, and what it says.
func TestOnPurpose(t *testing.T) {
	long := strings.Repeat("x", maxHead)
	for _, c := range []struct {
		in    string
		err   error
		taken bool // by net/http
	}{
		{"HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n", ErrStatus, true},
		{"HTTP/1.1 -00 OK\r\nContent-Length: 0\r\n\r\n", ErrStatus, true},
		{"HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", ErrStatus, true},
		{"HTTP/1.1 101 Switching Protocols\r\n\r\n", ErrSwitching, true},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + long + "\r\n\r\n", ErrHeadSize, true},
		{"HTTP/1.1 200 " + long + "\r\nContent-Length: 0\r\n\r\n", ErrHeadSize, true},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + strings.Repeat("X: "+long[:1000]+"\r\n", 1100) + "\r\n", ErrHeadSize, true},
		{strings.Repeat("HTTP/1.1 103 Hint\r\nX: "+long[:1000]+"\r\n\r\n", 1100) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ErrHeadSize, true},
		{chunkedHead + "\r\n0\r\nX: y\n\r\n\r\n", ErrTrailerLF, true},
		{chunkedHead + "\r\n5;" + long[:4093] + "\r\nhello\r\n0\r\n\r\n", ErrChunkSize, false},
		{chunkedHead + "\r\n0\r\nX: " + long[:4090] + "\r\n\r\n", ErrTrailers, false},
		{"SSH-2.0-OpenSSH_9.2", ErrNotHTTP, false},
		{"\x15\x03\x01", ErrNotHTTP, false},
	} {
		in := []byte(c.in)
		if got := reference(in, false); got.whole != c.taken {
			t.Errorf("%.60q: net/http says %+v", in, got)
		}
		if got := parse(t, &Parser{}, in, false); got.err != c.err {
			t.Errorf("%.60q: got %+v, want %q", in, got, c.err)
		}
		for _, cut := range []int{1, len(in) / 2, len(in) - 1} {
			if got := parse(t, &Parser{}, in, false, cut); got.err != c.err {
				t.Errorf("%.60q cut at %d: got %+v, want %q", in, cut, got, c.err)
			}
		}
	}
}

// TestNotHTTPAtOnce: a service that speaks something else, and waits, must not
// be waited for.
func TestNotHTTPAtOnce(t *testing.T) {
	var p Parser
	if _, _, err := p.Feed([]byte("HT")); err != nil {
		t.Fatalf("the beginning of HTTP is refused: %v", err)
	}
	n, done, err := p.Feed([]byte("ML"))
	if done || err != ErrNotHTTP {
		t.Errorf("Feed took %d, done %v, error %v", n, done, err)
	}
	if n, done, err := p.Feed([]byte("x")); n != 0 || done || err != ErrNotHTTP {
		t.Errorf("after an error Feed took %d, done %v, error %v", n, done, err)
	}
}

func TestLargestHead(t *testing.T) {
	const begin, end = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ", "\r\n\r\n"
	for extra, want := range map[int]error{0: nil, 1: ErrHeadSize} {
		in := begin + strings.Repeat("x", maxHead-len(begin)-len(end)+extra) + end
		for _, cut := range []int{0, 50, len(in) / 2, len(in) - 1} {
			if got := parse(t, &Parser{}, []byte(in), false, cut); got.err != want {
				t.Errorf("a head of %d bytes cut at %d: %+v", len(in), cut, got)
			}
		}
	}
	// What a long line took is given back.
	var p Parser
	parse(t, &p, []byte(begin+strings.Repeat("x", maxHead/2)+end), false, 1000)
	p.Reset(false)
	if cap(p.carry) > maxKept {
		t.Errorf("%d bytes are kept for the next answer", cap(p.carry))
	}
}

// TestSink: fields as they stand there, those of a 1xx and trailers left out.
func TestSink(t *testing.T) {
	in := "HTTP/1.1 103 Early\r\nLink: no\r\n\r\nHTTP/1.1 200 OK\r\nx-A:  b c \r\nTransfer-Encoding: chunked\r\nFold: 1\r\n\t 2\r\n\r\n" +
		"3\r\nabc\r\n2\r\nde\r\n0\r\nTrail: no\r\n\r\n"
	for cut := range len(in) {
		var c collector
		p := Parser{Sink: &c}
		parse(t, &p, []byte(in), false, cut)
		if got, want := c.fields.String(), "x-A=b c\nTransfer-Encoding=chunked\nFold=1 2\n"; got != want {
			t.Fatalf("cut at %d: fields %q, want %q", cut, got, want)
		}
		if string(c.body) != "abcde" {
			t.Fatalf("cut at %d: body %q", cut, c.body)
		}
	}
}

// TestReuse: nothing of an answer is left for the next one.
func TestReuse(t *testing.T) {
	p := Parser{Shape: &Shape{}}
	for i, first := range answers {
		second := answers[(i*31+7)%len(answers)]
		parse(t, &p, []byte(first), false, len(first)/2)
		got, want := parse(t, &p, []byte(second), false), parse(t, &Parser{}, []byte(second), false)
		if got != want {
			t.Errorf("%q after %q: %+v, want %+v", second, first, got, want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	in := []byte(chunkedHead + "Date: Sat, 21 Nov 2026 06:58:43 GMT\r\nServer: x\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n")
	for name, p := range map[string]*Parser{"parser": {}, "shape": {Shape: &Shape{}}} {
		for cut := range len(in) {
			n := testing.AllocsPerRun(5, func() {
				p.Reset(false)
				_, _, _ = p.Feed(in[:cut])
				if _, done, err := p.Feed(in[cut:]); !done || err != nil {
					t.Fatalf("%s cut at %d: %v", name, cut, err)
				}
			})
			if n != 0 {
				t.Errorf("%s: %v allocations for an answer cut at %d", name, n, cut)
			}
		}
	}
	p := &Parser{}
	bad := []byte("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n")
	if n := testing.AllocsPerRun(5, func() { p.Reset(false); _, _, _ = p.Feed(bad) }); n != 0 {
		t.Errorf("%v allocations for an error", n)
	}
}

// TestValidValue looks at every byte at every place of a word, beside bytes at
// both ends of what is valid.
func TestValidValue(t *testing.T) {
	for _, fill := range []byte{' ', '\t', 'a', 0x7e, 0x80, 0xff, 0x9f, 0xa0} {
		for n := range 20 {
			for at := range n {
				for c := range 256 {
					b := bytes.Repeat([]byte{fill}, n)
					b[at] = byte(c)
					want := c >= ' ' && c != 0x7f || c == '\t'
					if got := validValue(b); got != want {
						t.Fatalf("validValue(%q) = %v", b, got)
					}
				}
			}
		}
	}
}

func BenchmarkParser(b *testing.B) {
	in := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 06:58:43 GMT\r\nContent-Type: text/plain\r\nContent-Length: 13\r\nConnection: keep-alive\r\n\r\nHello, world\n")
	for name, p := range map[string]*Parser{"parser": {}, "shape": {Shape: &Shape{}}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Reset(false)
				if _, done, err := p.Feed(in); !done {
					b.Fatal(err)
				}
			}
		})
	}
}
