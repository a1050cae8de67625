package process

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the pieces, the first and the last bytes are there, and nothing is
// lost without being counted.
func TestBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, tail := rapid.IntRange(0, 20).Draw(t, "head"), rapid.IntRange(0, 20).Draw(t, "tail")
		b := NewBounded(head, tail)
		var all []byte
		for _, p := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 50)).Draw(t, "pieces") {
			if n, err := b.Write(p); n != len(p) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			all = append(all, p...)
		}
		first, last, dropped := b.Parts()
		wantHead := all[:min(head, len(all))]
		wantTail := all[max(len(wantHead), len(all)-tail):]
		if !bytes.Equal(first, wantHead) || !bytes.Equal(last, wantTail) {
			t.Fatalf("of %v kept %v and %v", all, first, last)
		}
		if b.Total() != int64(len(all)) || dropped != int64(len(all)-len(first)-len(last)) {
			t.Fatalf("total %d, dropped %d of %d", b.Total(), dropped, len(all))
		}
		if dropped == 0 && !bytes.Equal(b.Bytes(), all) {
			t.Fatalf("Bytes = %v of %v", b.Bytes(), all)
		}
	})
	b := NewBounded(2, 3)
	b.Write([]byte(strings.Repeat("x", 4) + "abc"))
	if got := string(b.Bytes()); got != "xx\n[2 bytes dropped]\nabc" {
		t.Errorf("%q", got)
	}
	var zero Bounded
	zero.Write([]byte("abc"))
	if _, _, dropped := zero.Parts(); dropped != 3 {
		t.Errorf("the zero value dropped %d of 3", dropped)
	}
}
