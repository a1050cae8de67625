package folded

import (
	"math"
	"strconv"
)

// isNumber reports whether b is a decimal number as the scripts write them:
// digits, and decimals after a point; with a sign in differences.
func isNumber(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	digits, points := 0, 0
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c == '.' && digits > 0 && points == 0:
			points++
		default:
			return false
		}
	}
	return digits > 0
}

// sum adds up a column. What is cut off a count with decimals is added to the
// next: with S(i) the sum of the first i counts as the file has them, the
// value of count i is round(S(i)) − round(S(i−1)), so that the values' sum is
// off by half a unit at most, wherever one stops. Rounding each count alone
// would be off by half a unit per line, and leave nothing of counts below 0.5.
type sum struct {
	magnitude int64   // sum of the values' magnitudes, which must hold in 63 bits
	fraction  float64 // what the values before lack of the counts, −0.5 to 0.5
}

// add returns the value of a count and whether the count was a whole number.
// It fails when the magnitudes no longer fit.
func (s *sum) add(count []byte) (v int64, whole, ok bool) {
	v, err := strconv.ParseInt(string(count), 10, 64)
	whole = err == nil
	if !whole {
		f, err := strconv.ParseFloat(string(count), 64)
		if err != nil || math.Abs(f) >= 1<<63 {
			return 0, false, false
		}
		floor := math.Floor(f)
		v = int64(floor)
		s.fraction += f - floor
		if up := math.Round(s.fraction); up != 0 {
			v += int64(up)
			s.fraction -= up
		}
		whole = f == floor
	}
	if v == math.MinInt64 {
		return 0, whole, false
	}
	s.magnitude += max(v, -v)
	return v, whole, s.magnitude >= 0
}
