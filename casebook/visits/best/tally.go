package best

import "strconv"

// tally is a count kept in decimal. It is read as text twice for each time it
// grows, and growing changes 1.1 digits on average, where formatting goes through them all.
type tally struct {
	digits [maxDigits]byte // the number's end at the array's end
	n      int             // digits used; 0 is zero
}

// maxDigits is what the largest int64 needs.
const maxDigits = 19

func (t *tally) add() {
	i := maxDigits - 1
	for ; i >= maxDigits-t.n; i-- {
		if t.digits[i] < '9' {
			t.digits[i]++
			return
		}
		t.digits[i] = '0'
	}
	t.digits[i] = '1'
	t.n++
}

func (t *tally) append(b []byte) []byte { return append(b, t.digits[maxDigits-t.n:]...) }

func (t *tally) int() int {
	n, _ := strconv.Atoi(string(t.append(nil))) // digits and nothing else
	return n
}
