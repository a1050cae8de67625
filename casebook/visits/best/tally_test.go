package best

import (
	"math"
	"strconv"
	"testing"
)

func TestTally(t *testing.T) {
	var c tally
	if got := string(c.append(nil)); got != "" || c.int() != 0 {
		t.Errorf("a new tally is %q and %d, want nothing and 0", got, c.int())
	}
	for want := 1; want <= 123_456; want++ {
		c.add()
		if got := string(c.append([]byte("x"))); got != "x"+strconv.Itoa(want) {
			t.Fatalf("tally %d is %q", want, got)
		}
	}
	if c.int() != 123_456 {
		t.Errorf("int is %d, want 123456", c.int())
	}
}

// It holds the largest int64, which nothing can count to.
func TestTallyWidth(t *testing.T) {
	digits := strconv.Itoa(math.MaxInt64 - 1)
	var c tally
	c.n = copy(c.digits[maxDigits-len(digits):], digits)
	c.add()
	if got := string(c.append(nil)); got != strconv.Itoa(math.MaxInt64) || c.int() != math.MaxInt64 {
		t.Errorf("tally is %s and %d, want %d", got, c.int(), math.MaxInt64)
	}
}
