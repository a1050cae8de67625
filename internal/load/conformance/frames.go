package conformance

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"whet/internal/load/engine"
	"whet/internal/loadresult"
)

// Frames of HTTP/2 (RFC 9113, section 6): their types, flags and codes, as far as
// the servers here use them.
const (
	frameData     = 0x0
	frameHeaders  = 0x1
	frameReset    = 0x3
	frameSettings = 0x4
	framePing     = 0x6
	frameGoAway   = 0x7

	flagEndStream  = 0x1
	flagAck        = 0x1
	flagEndHeaders = 0x4

	flagEndAll = flagEndStream | flagEndHeaders

	codeNone     = 0x0
	codeInternal = 0x2
	codeRefused  = 0x7
	codeCalm     = 0xb // ENHANCE_YOUR_CALM
)

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// frames is a connection of HTTP/2 spoken frame by frame, so that a server can
// do what net/http's never would, and sees each request that goes out.
type frames struct {
	*conn
	streams int // that were opened on it
}

// framed serves h2c: answer is called for the headers of each stream, which are
// a request. It reports whether the connection goes on.
func framed(t testing.TB, answer func(f *frames, stream uint32) bool) *server {
	return listen(t, func(c *conn) {
		f := &frames{conn: c}
		if !f.send(frame(frameSettings, 0, 0, "")) {
			return
		}
		if _, err := io.CopyN(io.Discard, c.reader, int64(len(preface))); err != nil {
			return
		}
		for f.next(answer) {
		}
	})
}

// next reads a frame and does what it asks for.
func (f *frames) next(answer func(*frames, uint32) bool) bool {
	kind, flags, stream, payload, err := f.frame()
	switch {
	case err != nil:
		return false
	case kind == frameHeaders:
		f.requests.Add(1)
		f.streams++
		return answer(f, stream)
	case kind == frameSettings && flags&flagAck == 0:
		return f.send(frame(frameSettings, flagAck, 0, ""))
	case kind == framePing && flags&flagAck == 0:
		return f.send(frame(framePing, flagAck, 0, payload))
	}
	return true
}

// frame reads one.
func (f *frames) frame() (kind, flags byte, stream uint32, payload string, err error) {
	var head [9]byte
	if _, err := io.ReadFull(f.reader, head[:]); err != nil {
		return 0, 0, 0, "", err
	}
	body := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
	_, err = io.ReadFull(f.reader, body)
	return head[3], head[4], binary.BigEndian.Uint32(head[5:]), string(body), err
}

// frame is one as it is written.
func frame(kind, flags byte, stream uint32, payload string) string {
	n := len(payload)
	return string(binary.BigEndian.AppendUint32([]byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}, stream)) + payload
}

// head is an answer's, of status 200, which is number 8 of HPACK's table.
func (f *frames) head(stream uint32) bool {
	return f.send(frame(frameHeaders, flagEndHeaders, stream, "\x88"))
}

// hello is a whole answer.
func (f *frames) hello(stream uint32) bool {
	f.answers.Add(1)
	return f.head(stream) && f.send(frame(frameData, flagEndStream, stream, "hello"))
}

// reset ends a stream.
func (f *frames) resetStream(stream, code uint32) bool {
	return f.send(frame(frameReset, 0, stream, word(code)))
}

// goAway says that no stream beyond last is worked on.
func (f *frames) goAway(last, code uint32) bool {
	return f.send(frame(frameGoAway, 0, 0, word(last)+word(code)))
}

func word(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// sentOnce checks that each request that a server of HTTP/2 saw is reported, and
// none more, whatever it did with it; net/http itself would send some of them
// again, unseen.
func (s *runner) sentOnce(t *testing.T) {
	var nth atomic.Int64
	third := func(*frames) bool { return nth.Add(1)%3 == 0 }
	fourth := func(f *frames) bool { return f.streams == 4 }
	for name, c := range map[string]struct {
		now     func(*frames) bool         // instead of an answer
		instead func(*frames, uint32) bool // reports whether the connection goes on
		kind    string
	}{
		"streams refused": {third, func(f *frames, stream uint32) bool { return f.resetStream(stream, codeRefused) }, loadresult.StreamReset},
		"streams reset":   {third, func(f *frames, stream uint32) bool { return f.resetStream(stream, codeCalm) }, loadresult.StreamReset},
		"streams reset within the answer": {third, func(f *frames, stream uint32) bool {
			return f.begun(stream) && f.resetStream(stream, codeInternal)
		}, loadresult.StreamReset},
		"going away": {func(f *frames) bool { return f.streams >= 4 }, func(f *frames, stream uint32) bool {
			return f.streams > 4 || f.goAway(stream-1, codeNone) // its own stream is the first that is not worked on
		}, loadresult.Reset},
		"going away at once":       {third, func(f *frames, stream uint32) bool { return f.goAway(stream-1, codeNone) && f.end() }, loadresult.Reset},
		"going away in anger":      {fourth, func(f *frames, stream uint32) bool { return f.goAway(stream, codeCalm) && f.end() }, loadresult.Reset},
		"closed unanswered":        {fourth, func(f *frames, _ uint32) bool { return f.end() }, loadresult.Reset},
		"closed within the answer": {fourth, func(f *frames, stream uint32) bool { return f.begun(stream) && f.end() }, loadresult.ShortBody},
		"gone within the answer": {fourth, func(f *frames, stream uint32) bool {
			return f.begun(stream) && f.goAway(stream, codeNone) && f.end()
		}, loadresult.ShortBody},
	} {
		for _, streams := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s, %d streams", name, streams), func(t *testing.T) {
				nth.Store(0)
				const requests = 60
				server := framed(t, func(f *frames, stream uint32) bool {
					if c.now(f) {
						return c.instead(f, stream)
					}
					return f.hello(stream)
				})
				j := server.to(requests)
				j.Protocol, j.Streams = engine.H2C, streams
				got := s.drive(t, t.Context(), j, server)
				// Streams beside one that broke off within its answer had none yet.
				beside := got.Errors[loadresult.Reset]
				if c.kind == loadresult.Reset || streams == 1 {
					beside = 0
				}
				failed := got.Errors[c.kind]
				if got.Requests != requests || got.Failed() != failed+beside || failed == 0 || got.Answered() > server.answers.Load() {
					t.Errorf("%d requests, status %v, errors %v %q; the server gave %d answers", got.Requests, got.Status, got.Errors, got.Examples, server.answers.Load())
				}
				// Of several streams one may be sent while the server closes: it went
				// out, and the server did not read it any more.
				unread := int64(0)
				if streams > 1 {
					unread = got.Errors[loadresult.Reset]
				}
				if n := server.requests.Load(); n > got.Requests || n < got.Requests-unread {
					t.Errorf("the server saw %d requests, %d are reported: errors %v %q", n, got.Requests, got.Errors, got.Examples)
				}
				if example := got.Examples[loadresult.StreamReset]; c.kind == loadresult.StreamReset && !strings.Contains(example, "reset") {
					t.Errorf("the example of a stream that was reset is %q", example)
				}
			})
		}
	}
}

// begun is an answer without its end.
func (f *frames) begun(stream uint32) bool {
	return f.head(stream) && f.send(frame(frameData, 0, stream, "hel"))
}

// end ends what is sent, waits for the other side to go, and counts what it still
// asks. It is false: the connection does not go on.
func (f *frames) end() bool {
	f.half()
	for f.next(func(*frames, uint32) bool { return true }) {
	}
	return false
}
