package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// verdict is what somebody makes of a connection's bytes.
type verdict struct {
	whole  bool
	status int
	bytes  int64
	keep   bool
	used   int
	body   string
	err    error
}

// reference asks net/http, as its Transport does: answers of 1xx are skipped.
func reference(in []byte, head bool) (v verdict) {
	req := &http.Request{Method: http.MethodGet}
	if head {
		req.Method = http.MethodHead
	}
	r := bytes.NewReader(in)
	b := bufio.NewReader(r)
	for {
		res, err := http.ReadResponse(b, req)
		if err != nil {
			return verdict{err: err}
		}
		if 100 <= res.StatusCode && res.StatusCode < 200 && res.StatusCode != 101 {
			continue
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return verdict{err: err, status: res.StatusCode}
		}
		return verdict{
			whole: true, status: res.StatusCode, bytes: int64(len(body)), keep: !res.Close,
			used: len(in) - r.Len() - b.Buffered(), body: string(body),
		}
	}
}

// collector is a Sink.
type collector struct {
	fields strings.Builder
	body   []byte
}

func (c *collector) Field(name, value []byte) {
	c.fields.Write(name)
	c.fields.WriteByte('=')
	c.fields.Write(value)
	c.fields.WriteByte('\n')
}

func (c *collector) Body(p []byte) { c.body = append(c.body, p...) }

// parse feeds the parser the pieces that in is cut into.
func parse(t testing.TB, p *Parser, in []byte, head bool, cuts ...int) (v verdict) {
	t.Helper()
	p.Reset(head)
	from := 0
	for _, cut := range append(cuts, len(in)) {
		piece := in[from:cut]
		n, done, err := p.Feed(piece)
		if n < 0 || n > len(piece) || n < len(piece) && !done && err == nil {
			t.Fatalf("Feed(%q) took %d bytes without being done", piece, n)
		}
		v.used += n
		if done || err != nil {
			v.whole, v.err = done, err
			break
		}
		from = cut
	}
	if !v.whole && v.err == nil {
		v.whole, v.err = p.End()
	}
	if v.whole == (v.err != nil) {
		t.Fatalf("%q: whole %v with error %v", in, v.whole, v.err)
	}
	v.status, v.bytes, v.keep = p.Status, p.Bytes, p.KeepAlive
	if c, ok := p.Sink.(*collector); ok {
		v.body = string(c.body)
	}
	return v
}

// onPurpose are the errors of doc.go's list, where net/http may find nothing.
func onPurpose(in []byte, err error) bool {
	switch err {
	case ErrSwitching, ErrTrailerLF:
		return true
	case ErrStatus:
		// "+20", "-00" and "099" are numbers of three characters.
		for line := range bytes.Lines(in) {
			if _, rest, ok := bytes.Cut(line, []byte(" ")); ok && bytes.HasPrefix(line, []byte("HTTP/")) {
				rest = bytes.TrimLeft(rest, " ")
				if len(rest) >= 3 && (rest[0] == '+' || rest[0] == '-' || rest[0] == '0') {
					return true
				}
			}
		}
	}
	return false
}

// compare holds the parser against net/http on the same bytes, whole and cut at
// the given places, with and without a Sink.
func compare(t testing.TB, in []byte, head bool, cuts ...int) {
	t.Helper()
	want := reference(in, head)
	for _, sink := range []bool{false, true} {
		var whole verdict
		for i, c := range [][]int{nil, cuts} {
			p := &Parser{}
			if sink {
				p.Sink = &collector{}
			}
			got := parse(t, p, in, head, c...)
			if i == 0 {
				whole = got
			} else if got.err != whole.err || got.whole && got != whole || got.used != whole.used && whole.whole {
				t.Fatalf("%q (HEAD %v): cut at %v %+v, whole %+v", in, head, c, got, whole)
			}
			if got.whole != want.whole {
				if want.whole && onPurpose(in, got.err) {
					continue
				}
				t.Fatalf("%q (HEAD %v): got %+v, net/http %+v", in, head, got, want)
			}
			if !got.whole {
				continue
			}
			if sink && got.body != want.body {
				t.Fatalf("%q (HEAD %v): body %q, net/http has %q", in, head, got.body, want.body)
			}
			got.body = want.body
			if got != want {
				t.Fatalf("%q (HEAD %v): got %+v, net/http %+v", in, head, got, want)
			}
		}
	}
}

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"

// answers are seeds: what is right, what is odd, and what is wrong.
var answers = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
	"HTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nCONTENT-LENGTH:\t 5 \t\r\n\r\nhello",
	"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 05\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 00000000000000000000000005\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n \r\n\t\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nX: a \r\n  b\t\r\n c\r\nContent-Length: 1\r\n\r\nx",
	"HTTP/1.1 200 OK\r\n X: a\r\n\r\n",
	"HTTP/1.1 200 OK\r\n\tX: a\r\n\r\n",
	"HTTP/1.1 200 OK\r\n: a\r\n\r\n",
	"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
	"HTTP/1.1 200 OK\r\n  \r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\r\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\x7fb\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\x80\xff b\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX(: a\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX Y: a\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX\tY: a\r\n\r\n",
	"HTTP/1.1 200 OK\r\n\r\nuntil the end",
	"HTTP/1.1 200 OK\r\n\r\n",
	"HTTP/1.1 200 OK\r\n",
	"HTTP/1.1 200 OK",
	"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1   200  OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 2000 OK\r\n\r\n",
	"HTTP/1.1 20 OK\r\n\r\n",
	"HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 -00 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 2x0 OK\r\n\r\n",
	"HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200\tOK\r\n\r\n",
	"HTTP/1.1\r\n\r\n",
	"http/1.1 200 OK\r\n\r\n",
	"HTTP/1.10 200 OK\r\n\r\n",
	"HTTP/1,1 200 OK\r\n\r\n",
	"HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/0.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"\r\nHTTP/1.1 200 OK\r\n\r\n",
	"SSH-2.0-OpenSSH_9.2\r\n",
	"",
	"H",
	"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.0 200 OK\r\nConnection: Keep-Alive, close\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.0 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 200 OK\r\nConnection: CLOSE\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 200 OK\r\nConnection: a ,\tclose , b\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 200 OK\r\nConnection: closed\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 200 OK\r\nConnection: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\nhello",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 7\r\n\r\nHTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 100 Continue\r\nContent-Length: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 100 Continue\r\n\r\n",
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxyz",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\n\r\nHTTP/1.1",
	chunkedHead + "\r\nA;x=y\r\n0123456789\r\n00;last\r\n\r\n",
	chunkedHead + "\r\n5 \t\r\nhello\r\n0 \r\n\r\n",
	chunkedHead + "\r\n5 ;x\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n 5\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n5\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n5\rx\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n5;a\rb\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\n0\r\n\r\n",
	chunkedHead + "\r\n5\r\nhellox\r\n0\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\r0\r\n\r\n",
	chunkedHead + "\r\n\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n;x\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\ng\r\n",
	chunkedHead + "\r\n00000000000000005\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n0000000000000005\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\nffffffffffffffff\r\nhello",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\nX: y\r\nZ: \r\n\r\nmore",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\nX: y\r\n folded\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\nX: y\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\nX: y\n\nmore\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\n\nmore\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\nbad\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\n X: y\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\nX: \x01\r\n\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\nX: y\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\n",
	chunkedHead + "\r\n5\r\nhello\r\n0\r\n\r",
	chunkedHead + "\r\n5\r\nhello",
	chunkedHead + "Content-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "Content-Length: x\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "Trailer: X, content-length\r\n\r\n0\r\n\r\n",
	chunkedHead + "Trailer: X,, Y \r\n\r\n0\r\nX: 1\r\n\r\n",
	chunkedHead + "Connection: close\r\n\r\n0\r\n\r\n",
	chunkedHead + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTrailer: Content-Length\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding:  Chunked \t\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n \r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
	chunkedHead + "\r\n" + strings.Repeat("1;"+strings.Repeat("e", 100)+"\r\nx\r\n", 190) + "0\r\n\r\n",
	chunkedHead + "\r\n" + strings.Repeat("1;"+strings.Repeat("e", 100)+"\r\nx\r\n", 191) + "0\r\n\r\n",
	chunkedHead + "\r\n" + strings.Repeat("1\r\nx\r\n", 500) + "0\r\n\r\n",
	chunkedHead + "\r\n5;" + strings.Repeat("e", 4092-2) + "\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n5;" + strings.Repeat("e", 4094-2) + "\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n5;" + strings.Repeat("e", 4095-2) + "\r\nhello\r\n0\r\n\r\n",
	chunkedHead + "\r\n0\r\nX: " + strings.Repeat("y", 4096-7) + "\r\n\r\n",
	chunkedHead + "\r\n0\r\nX: " + strings.Repeat("y", 4096-6) + "\r\n\r\n",
}

// TestAnswers holds every seed against net/http, cut in two at every place, in
// three at many, and byte by byte.
func TestAnswers(t *testing.T) {
	for _, in := range answers {
		in := []byte(in)
		for _, head := range []bool{false, true} {
			compare(t, in, head)
			every := make([]int, 0, len(in))
			step := 1 + len(in)/400
			for i := range in {
				every = append(every, i)
				if i%step == 0 {
					compare(t, in, head, i)
					compare(t, in, head, i, min(i+1, len(in)))
				}
			}
			compare(t, in, head, every...)
		}
	}
}

// FuzzParser holds the parser against net/http on any bytes, cut at any places.
func FuzzParser(f *testing.F) {
	for i, in := range answers {
		f.Add([]byte(in), i%3 == 0, uint16(i*7), uint16(i*13))
	}
	f.Fuzz(func(t *testing.T, in []byte, head bool, a, b uint16) {
		x, y := int(a)%(len(in)+1), int(b)%(len(in)+1)
		compare(t, in, head, min(x, y), max(x, y))
		if len(in) < 400 {
			every := make([]int, len(in))
			for i := range every {
				every[i] = i
			}
			compare(t, in, head, every...)
		}
	})
}
