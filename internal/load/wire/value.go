package wire

import "encoding/binary"

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// validValue reports that a value holds no control character but tabs.
//
// Eight bytes are looked at together. In w - 32*ones the high bit of a byte is
// set where the byte was below 32 (or above 159, which &^ w takes out), or where
// a byte below it borrowed, which only such a byte does. The same holds for
// bytes of zero in w ^ 127*ones. So the test is exact for the word, and a word
// that fails is looked at byte by byte for tabs.
func validValue(b []byte) bool {
	for len(b) >= 8 {
		w := binary.LittleEndian.Uint64(b)
		del := w ^ 0x7f*ones
		if ((w-0x20*ones)&^w|(del-ones)&^del)&highs != 0 && !validBytes(b[:8]) {
			return false
		}
		b = b[8:]
	}
	return validBytes(b)
}

func validBytes(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
