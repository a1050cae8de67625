package gctrace

import (
	"bytes"
	"time"
)

// scanner takes a line apart from the left. Once something is not as expected
// it has failed, and everything it returns from then on is zero. It is short
// when all that was wrong is that the line ended.
type scanner struct {
	rest   []byte
	failed bool
	short  bool
}

func (s *scanner) fail(short bool) {
	if !s.failed {
		s.failed, s.short = true, short
	}
}

func (s *scanner) at(text string) bool { return bytes.HasPrefix(s.rest, []byte(text)) }

// optional passes over a text if it comes next.
func (s *scanner) optional(text string) bool {
	if s.failed || !s.at(text) {
		if n := len(s.rest); n > 0 && n < len(text) && text[:n] == string(s.rest) {
			s.fail(true)
		}
		return false
	}
	s.rest = s.rest[len(text):]
	return true
}

func (s *scanner) skip(text string) {
	if !s.optional(text) {
		s.fail(len(s.rest) == 0)
	}
}

// done reports that the line is one, and nothing follows.
func (s *scanner) done() bool { return !s.failed && len(s.rest) == 0 }

// begins reports that more may make it one, or, where it has its end, that it is one.
func (s *scanner) begins(whole bool) bool { return s.done() || !whole && s.short }

// word reads up to a space.
func (s *scanner) word() string {
	i := bytes.IndexByte(s.rest, ' ')
	if i <= 0 || s.failed {
		s.fail(i < 0)
		return ""
	}
	text := string(s.rest[:i])
	s.rest = s.rest[i:]
	return text
}

// maxWhole bounds all numbers but the goal, so that none overflows when it is scaled
// to bytes or nanoseconds: 10¹² ms is 31 years, 10¹² MiB is more than any
// machine has; both fit an int64.
const maxWhole = 1e12

// whole reads digits.
func (s *scanner) whole() int64 { return s.upTo(maxWhole) }

// upTo reads digits that make a number of at most most, which is below 2⁵⁹.
func (s *scanner) upTo(most int64) int64 {
	var n int64
	i := 0
	for ; i < len(s.rest) && '0' <= s.rest[i] && s.rest[i] <= '9'; i++ {
		if n = 10*n + int64(s.rest[i]-'0'); n > most {
			s.fail(false)
			return 0
		}
	}
	if i == 0 || s.failed {
		s.fail(len(s.rest) == 0)
		return 0
	}
	s.rest = s.rest[i:]
	return n
}

// duration reads digits with an optional fraction, in a unit of a millisecond
// or a second; what is finer than a nanosecond is dropped.
func (s *scanner) duration(unit time.Duration) time.Duration {
	n := s.whole()
	if n > maxWhole/int64(unit/time.Millisecond) {
		s.fail(false)
		return 0
	}
	d := time.Duration(n) * unit
	if !s.optional(".") {
		return d
	}
	if len(s.rest) == 0 || s.rest[0] < '0' || '9' < s.rest[0] {
		s.fail(len(s.rest) == 0)
	}
	for !s.failed && len(s.rest) > 0 && '0' <= s.rest[0] && s.rest[0] <= '9' {
		unit /= 10
		d += time.Duration(s.rest[0]-'0') * unit
		s.rest = s.rest[1:]
	}
	return d
}

func (s *scanner) mebibytes() int64 { return s.scale(s.whole()) }

// goal reads the heap's goal. While collection by growth is off the runtime
// prints nonsense, a multiple of what the heap would be or all bits set.
func (s *scanner) goal() int64 {
	n := s.upTo(1 << 44) // 2⁶⁴ bytes
	if n > maxWhole {
		return NoGoal
	}
	return s.scale(n)
}

func (s *scanner) scale(mebibytes int64) int64 { return mebibytes << 20 }
