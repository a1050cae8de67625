package legacy

import (
	"strconv"
	"strings"

	"whet/internal/callstack"
)

// symbol is a comment below a stack: what lies at an address.
//
//	#	0x4decd2	main.main.func1.1.1+0x132	/src/main.go:66
type symbol struct {
	name, file string
	line       int
	entry      uint64 // where the function's code begins: the address less the offset after its name
}

// symbols holds what comments said of addresses.
//
// Go lists a frame for each address, of inlined functions too, but does not
// say which were inlined. It can be told: an inlined frame has the entry of the
// function whose code it lies in, and so have the frames below it up to that
// function's own. So of neighbours on a stack with one entry, the outermost is
// the function itself: a function is never inlined into itself. Its name, once
// known, tells its frames from those inlined into it everywhere, through
// recursion as well.
type symbols struct {
	at     map[uint64][]symbol // innermost first; several where an old Go expanded an address
	owner  map[uint64]string   // by entry, the function
	likely map[uint64]string   // the same, from stacks that may have been cut below it
	stack  []uint64            // whose comments are being read
	rows   []row
	read   map[string]row // comments by their text
	memory int64          // that they take
	max    int64

	nameless map[uint64]bool // addresses of which a comment says that they have no name
	ends     map[uint64]bool // addresses of runtime.goexit
}

// row is a comment on an address, which may name a function.
type row struct {
	symbol
	address uint64
}

func newSymbols(max int64) symbols {
	return symbols{max: max, at: make(map[uint64][]symbol), owner: make(map[uint64]string), likely: make(map[uint64]string), read: make(map[string]row), nameless: make(map[uint64]bool), ends: make(map[uint64]bool)}
}

// begin makes the comments that follow those of a stack.
func (s *symbols) begin(stack []uint64) {
	s.end()
	s.stack = append(s.stack[:0], stack...)
}

// comment reads one, if it names a function.
func (s *symbols) comment(line string) {
	text, ok := strings.CutPrefix(line, "#\t0x")
	if !ok || len(s.stack) == 0 || s.memory > s.max || len(s.rows) > callstack.MaxDepth {
		return
	}
	r, ok := s.read[text]
	if !ok {
		r = parseRow(text)
		s.read[text] = r
		s.memory += 512 + int64(len(text))
	}
	if r.name == "" {
		s.nameless[r.address] = true
	} else {
		s.rows = append(s.rows, r)
	}
}

func parseRow(text string) (r row) {
	digits, rest, _ := strings.Cut(text, "\t")
	function, rest, _ := strings.Cut(strings.TrimLeft(rest, "\t"), "\t")
	place, _, _ := strings.Cut(strings.TrimLeft(rest, "\t"), "\t")
	address, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return r
	}
	r.address = address
	plus := strings.LastIndex(function, "+0x")
	if plus <= 0 {
		return r
	}
	offset, err := strconv.ParseUint(function[plus+len("+0x"):], 16, 64)
	if err != nil || offset > address {
		return r
	}
	r.name, r.entry = function[:plus], address-offset
	if colon := strings.LastIndexByte(place, ':'); colon >= 0 {
		if n, err := strconv.ParseUint(place[colon+1:], 10, 31); err == nil {
			r.file, r.line = place[:colon], int(n)
		}
	}
	return r
}

// end learns from the comments of the stack at hand.
func (s *symbols) end() {
	for i := 0; i < len(s.rows); {
		a, n := s.rows[i].address, 1
		// Rows of one address are frames that were inlined, up to where they
		// repeat: from there on it is recursion.
		for i+n < len(s.rows) && s.rows[i+n].address == a && s.rows[i+n] != s.rows[i] {
			n++
		}
		if s.at[a] == nil {
			for _, r := range s.rows[i : i+n] {
				s.at[a] = append(s.at[a], r.symbol)
			}
		}
		i += n
	}
	if len(s.rows) > 0 {
		s.goexit()
		for i, a := range s.stack {
			outer, ok := s.outer(a)
			switch {
			case !ok:
			case i+1 == len(s.stack):
				s.likely[outer.entry] = outer.name
			default:
				if next, ok := s.outer(s.stack[i+1]); !ok || next.entry != outer.entry {
					s.owner[outer.entry] = outer.name
				}
			}
		}
	}
	s.stack, s.rows = s.stack[:0], s.rows[:0]
}

// goexit looks at the root of the stack at hand. Behind the first frame that it
// lists, Go leaves out nothing but the function where every goroutine ends.
func (s *symbols) goexit() {
	n := len(s.stack)
	if n < 2 || s.stack[n-2] != s.rows[len(s.rows)-1].address {
		return
	}
	if root := s.stack[n-1]; s.at[root] == nil && !s.nameless[root] {
		s.ends[root] = true
	}
}

// encoded returns of a stack what the runtime encodes with debug=0: it leaves
// out where goroutines end, and of allocations the runtime's own frames at the
// leaf, which all of them have, unless there are no others.
func (s *symbols) encoded(stack []uint64, allocation bool) []uint64 {
	if n := len(stack); n > 0 && s.ends[stack[n-1]] {
		stack = stack[:n-1]
	}
	for i, a := range stack {
		if !allocation {
			break
		}
		if f, ok := s.outer(a); ok && !strings.HasPrefix(f.name, "runtime.") && !strings.HasPrefix(f.name, "internal/runtime/") {
			return stack[i:]
		}
	}
	return stack
}

// outer returns the outermost frame at an address.
func (s *symbols) outer(address uint64) (symbol, bool) {
	at := s.at[address]
	if len(at) == 0 {
		return symbol{}, false
	}
	return at[len(at)-1], true
}

// inlined reports whether the code at an address was inlined into that at its
// caller's.
func (s *symbols) inlined(address, caller uint64) bool {
	in, ok := s.outer(address)
	if !ok {
		return false
	}
	by, ok := s.outer(caller)
	if !ok || by.entry != in.entry {
		return false
	}
	owner, ok := s.owner[in.entry]
	if !ok {
		owner, ok = s.likely[in.entry]
	}
	return ok && owner != in.name
}
