package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"whet/internal/load/record"
	"whet/internal/loadresult"
)

// Verifier checks one response after the other, in pieces of any size. It stores
// nothing of a body and does not allocate; a wire.Parser calls its methods Field and
// Body. A connection has one.
type Verifier struct {
	c      *Check
	header []bool // of c.Header: seen
	bytes  int64
	hash   hash.Hash // nil: not asked for
	sum    [sha256.Size]byte
	want   [sha256.Size]byte
	json   *scanner // nil: not asked for
}

// Verifier returns a verifier; nil where the status is all there is to look at.
func (c *Check) Verifier() *Verifier {
	if !c.Looks() {
		return nil
	}
	v := &Verifier{c: c, header: make([]bool, len(c.Header))}
	if c.SHA256 != "" {
		v.hash = sha256.New()
		_, _ = hex.Decode(v.want[:], []byte(c.SHA256)) // Validate has read it
	}
	if len(c.JSON) > 0 {
		v.json = newScanner(c.JSON)
	}
	return v
}

// Reset readies the verifier for the next answer.
func (v *Verifier) Reset() {
	clear(v.header)
	v.bytes = 0
	if v.hash != nil {
		v.hash.Reset()
	}
	if v.json != nil {
		v.json.reset()
	}
}

// Field takes a line of the head.
func (v *Verifier) Field(name, value []byte) {
	for i := range v.c.Header {
		f := &v.c.Header[i]
		if len(name) == len(f.Name) && string(value) == f.Value && equalFold(name, f.Name) {
			v.header[i] = true
		}
	}
}

// equalFold compares names, which are ASCII, in any case.
func equalFold(a []byte, b string) bool {
	lower := func(c byte) byte {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}
	for i := range a {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// Body takes a piece of the body.
func (v *Verifier) Body(p []byte) {
	v.bytes += int64(len(p))
	if v.hash != nil {
		v.hash.Write(p)
	}
	if v.json != nil {
		v.json.write(p)
	}
}

// Kind returns the kind of failure of the whole answer that was seen; "": it is
// right.
func (v *Verifier) Kind(status int) string {
	if kind := v.c.StatusKind(status); kind != "" {
		return kind
	}
	if v.wrong() != right {
		return loadresult.WrongAnswer
	}
	return ""
}

// Faults of a response.
const (
	right = iota
	wrongHeader
	wrongLength
	wrongSum
	wrongJSON
)

func (v *Verifier) wrong() int {
	for _, seen := range v.header {
		if !seen {
			return wrongHeader
		}
	}
	if r := v.c.Bytes; r != nil && !r.has(v.bytes) {
		return wrongLength
	}
	if v.hash != nil && !bytes.Equal(v.hash.Sum(v.sum[:0]), v.want[:]) {
		return wrongSum
	}
	if v.json != nil && !v.json.right() {
		return wrongJSON
	}
	return right
}

// Why returns the fault of the last response, for record.Shard.Fail.
func (v *Verifier) Why(status int) string {
	if v.c.StatusKind(status) != "" {
		return "answered " + record.StatusText(status)
	}
	switch v.wrong() {
	case wrongHeader:
		for i, seen := range v.header {
			if !seen {
				return fmt.Sprintf("the header %s: %s is missing", v.c.Header[i].Name, v.c.Header[i].Value)
			}
		}
	case wrongLength:
		return fmt.Sprintf("the body has %d bytes, not %v", v.bytes, v.c.Bytes)
	case wrongSum:
		return fmt.Sprintf("the sha256 of the body is %x", v.sum)
	case wrongJSON:
		return v.json.why()
	}
	return "wrong answer"
}
