package profile

import (
	"bufio"
	"errors"
	"io"
	"iter"

	"github.com/klauspost/compress/gzip"
)

// A message is unpacked in pieces by a goroutine of its own, and decoded where
// they lie, while the next ones are unpacked: those of a small file by turns, as to
// wake a thread for them takes longer. Before each piece there is
// headroom for what was left of the one before, so that a record in two pieces
// is put together without moving the rest.
const (
	smallFile = 64 << 10
	maxPiece  = 256 << 10
	minPiece  = 16 << 10
	headroom  = 32 << 10
	numPieces = 3
)

// source is a file with profiles.
type source struct {
	r    io.ReaderAt
	size int64
	room int64 // of a buffer: a small file has small ones
	gz   gzip.Reader
	br   *bufio.Reader
	free chan []byte // room for all buffers that there can be: one being filled, two being put together
}

func newSource(r io.ReaderAt, size int64) *source {
	return &source{r: r, size: size, room: headroom + max(minPiece, min(4*size, maxPiece)), free: make(chan []byte, numPieces+2)}
}

// feed delivers one message.
type feed struct {
	next  func() ([]byte, bool) // whole buffers: a piece begins after the headroom
	yield func([]byte) bool     // delivers one, and returns true
	free  chan []byte
	room  int64

	// What is known after the last piece.
	bytes  int64 // of the message
	err    error // of the gzip stream
	failed error // of reading the file
	end    int64 // where in the file the message ends
}

var errBytes = errors.New("more bytes than the limit")

// plain delivers the file as it is.
func (s *source) plain(limit int64) *feed {
	return s.start(func(f *feed) { f.copy(f.section(s, 0, s.size), limit) })
}

// member delivers the gzip member that begins at an offset.
func (s *source) member(offset, limit int64) *feed {
	return s.start(func(f *feed) { f.gunzip(s, offset, s.size, limit, false) })
}

// members delivers all gzip members before an offset as one message.
func (s *source) members(end, limit int64) *feed {
	return s.start(func(f *feed) { f.gunzip(s, 0, end, limit, true) })
}

// start lets a goroutine deliver a message. Until it has delivered the last piece, the
// source belongs to that goroutine.
func (s *source) start(deliver func(f *feed)) *feed {
	f := &feed{free: s.free, room: s.room}
	if s.size <= smallFile {
		f.next, _ = iter.Pull(func(yield func([]byte) bool) {
			f.yield = yield
			deliver(f)
		})
		return f
	}
	pieces := make(chan []byte, numPieces-1)
	f.yield = func(buf []byte) bool { pieces <- buf; return true }
	f.next = func() ([]byte, bool) { buf, ok := <-pieces; return buf, ok }
	go func() {
		defer close(pieces)
		deliver(f)
	}()
	return f
}

// finish waits for the end of the delivery, after which what is known of the
// message can be read: the rest is unpacked to see whether it can be.
func (f *feed) finish() {
	for buf, ok := f.next(); ok; buf, ok = f.next() {
		f.free <- buf
	}
}

// section reads a part of the file and keeps what goes wrong.
func (f *feed) section(s *source, from, to int64) io.Reader {
	return &section{io.NewSectionReader(s.r, from, to-from), f}
}

type section struct {
	r *io.SectionReader
	f *feed
}

func (s *section) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.f.failed = err
	}
	return n, err
}

func (f *feed) gunzip(s *source, from, to, limit int64, all bool) {
	sec := io.NewSectionReader(s.r, from, to-from)
	if s.br == nil {
		s.br = bufio.NewReaderSize(nil, int(min(64<<10, s.size)))
	}
	s.br.Reset(&section{sec, f})
	for f.end = from; f.end < to; {
		if f.err = s.gz.Reset(s.br); f.err != nil {
			return
		}
		s.gz.Multistream(false)
		if !f.copy(&s.gz, limit) {
			return
		}
		// The reader is an io.ByteReader: gzip takes no byte beyond the member.
		read, _ := sec.Seek(0, io.SeekCurrent)
		f.end = from + read - int64(s.br.Buffered())
		if !all {
			return
		}
	}
}

// copy delivers what r has and reports whether that is all there is.
func (f *feed) copy(r io.Reader, limit int64) bool {
	for {
		var buf []byte
		select {
		case buf = <-f.free:
			buf = buf[:cap(buf)]
		default:
			buf = make([]byte, f.room)
		}
		n := headroom
		var err error
		for n < len(buf) && err == nil {
			var m int
			m, err = r.Read(buf[n:])
			n += m
		}
		if f.bytes += int64(n - headroom); f.bytes > limit {
			err = errBytes
		}
		f.yield(buf[:n])
		switch err {
		case nil:
		case io.EOF:
			return true
		default:
			f.err = err
			return false
		}
	}
}

// window is the part of a message that is being decoded.
type window struct {
	f    *feed
	at   []byte // what is not decoded yet, as far as it has been delivered
	buf  []byte // the buffer at lies in, nil when it is none of the feed's
	base int64  // bytes delivered
}

// position of w.at in the message.
func (w *window) position() int64 { return w.base - int64(len(w.at)) }

// more appends the next piece to w.at, which moves: nothing else may still
// point into it. It reports whether there was one.
func (w *window) more() bool {
	piece, ok := w.f.next()
	if !ok {
		return false
	}
	w.base += int64(len(piece) - headroom)
	if k := len(w.at); k <= headroom {
		copy(piece[headroom-k:], w.at)
		w.release()
		w.at, w.buf = piece[headroom-k:], piece
		return true
	}
	// A record longer than the headroom.
	if w.buf != nil {
		w.at = append(make([]byte, 0, 2*(len(w.at)+len(piece))), w.at...)
		w.release()
	}
	w.at = append(w.at, piece[headroom:]...)
	w.f.free <- piece
	return true
}

// release gives a buffer back.
func (w *window) release() {
	if w.buf != nil {
		w.f.free <- w.buf
		w.buf = nil
	}
}
