package profile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// A gzipWriter packs a file in blocks, each by a goroutine of its own while the next one
// is filled, and writes them in their order as one gzip member: what deflate flushes ends
// with a whole byte, and the next block begins there. A block does not refer to those
// before it, which makes the file larger by less than a hundredth. The bytes do not depend
// on how many processors there are.
type gzipWriter struct {
	empty  chan *block // room for the next ones
	filled chan *block // in the order of the file
	failed atomic.Bool // to write
	done   chan error
}

const (
	blockSize = 512 << 10
	numBlocks = 4 // one being filled, two packed, one written
	packLevel = flate.DefaultCompression
)

type block struct {
	raw    []byte
	last   bool
	packed bytes.Buffer
	ready  chan struct{}
	zw     *flate.Writer
}

func newGzipWriter(w io.Writer) *gzipWriter {
	z := &gzipWriter{empty: make(chan *block, numBlocks), filled: make(chan *block, numBlocks), done: make(chan error, 1)}
	for range numBlocks {
		z.empty <- &block{ready: make(chan struct{}, 1)}
	}
	go func() { z.done <- z.write(w) }()
	return z
}

// next packs a block, and returns room for the next one. It reports false where what was
// packed before cannot be written.
func (z *gzipWriter) next(raw []byte, last bool) (room []byte, ok bool) {
	b := <-z.empty
	b.raw, raw = raw, b.raw[:0]
	b.last = last
	go b.pack()
	z.filled <- b
	return raw, !z.failed.Load()
}

// close ends the file.
func (z *gzipWriter) close() error {
	close(z.filled)
	return <-z.done
}

func (b *block) pack() {
	b.packed.Reset()
	if b.zw == nil {
		b.zw, _ = flate.NewWriter(nil, packLevel) // the level is a valid one
	}
	b.zw.Reset(&b.packed) // to which writing does not fail
	b.zw.Write(b.raw)
	if b.last {
		b.zw.Close()
	} else {
		b.zw.Flush()
	}
	b.ready <- struct{}{}
}

// write writes the blocks, or after an error none of those that are left.
func (z *gzipWriter) write(w io.Writer) error {
	_, err := w.Write([]byte{0x1f, 0x8b, 8, 9: 0xff}) // deflate, no name and time, no system
	var sum, size uint32
	for b := range z.filled {
		<-b.ready
		if err == nil {
			sum, size = crc32.Update(sum, crc32.IEEETable, b.raw), size+uint32(len(b.raw))
			_, err = w.Write(b.packed.Bytes())
		}
		z.failed.Store(err != nil)
		z.empty <- b
	}
	if err == nil {
		_, err = w.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, sum), size))
	}
	return err
}
