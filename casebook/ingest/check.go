package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// Check is a sink in the program: it holds what it gets to the bulk form,
// counts and sums it, and keeps nothing else. It is made to cost little beside
// what it is used to measure: of a document it looks at the ends only.
type Check struct {
	mu     sync.Mutex
	totals Totals
}

// Totals are what a Check has kept.
type Totals struct {
	Batches   int
	Documents int
	Bytes     int64 // of the bulk form
	// Sum is the sum of the batches' CRC-32 (Castagnoli), so that batches that
	// arrive in another order have the same.
	Sum uint64
}

// Totals returns what has been kept so far.
func (c *Check) Totals() Totals {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.totals
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, MaxLine+1) }}

// Bulk counts one batch. See Sink.
func (c *Check) Bulk(ctx context.Context, r io.Reader) error {
	in := readers.Get().(*bufio.Reader)
	in.Reset(r)
	defer func() {
		in.Reset(nil) // it must not hold the request
		readers.Put(in)
	}()
	var batch Totals
	var sum uint32
	line := func() ([]byte, error) {
		b, err := in.ReadSlice('\n')
		batch.Bytes += int64(len(b))
		sum = crc32.Update(sum, castagnoli, b)
		return b, err
	}
	for {
		action, err := line()
		if err == io.EOF && len(action) == 0 {
			break
		}
		if err == nil {
			err = checkAction(action)
		}
		if err == nil {
			var document []byte
			if document, err = line(); err == nil && (len(document) < 3 || document[0] != '{' || document[len(document)-2] != '}') {
				err = errors.New("it is no JSON object")
			}
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("read document %d: %w", batch.Documents+1, err)
		}
		batch.Documents++
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read %d documents: %w", batch.Documents, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.totals.Batches++
	c.totals.Documents += batch.Documents
	c.totals.Bytes += batch.Bytes
	c.totals.Sum += uint64(sum)
	return nil
}

// checkAction checks the line before a document, which ends in \n.
func checkAction(line []byte) error {
	index, ok := bytes.CutPrefix(line, []byte(actionStart))
	index, ok2 := bytes.CutSuffix(index, []byte(actionEnd))
	if !ok || !ok2 {
		return fmt.Errorf("%.*q is no line before a document", MaxAction, line)
	}
	at := len(index) - len("-2006.01.02")
	if at < 0 || !isType(index[:at]) || index[at] != '-' || !hasForm(index[at+1:], "0000.00.00") {
		return fmt.Errorf("%.*q is no index", MaxAction, index)
	}
	return nil
}
