package flamegraph

import (
	"fmt"
	"slices"

	"whet/internal/callstack"
)

// pass goes through samples once. Each is a path of frames from the root; the
// first shared ones are those of the sample before.
type pass struct {
	path   []int32
	shared int
	value  int64
	step   func(p *pass) bool
}

func (p *pass) next() bool { return p.step(p) }

// Names of frames that are no functions.
const (
	rootName    = "all"
	noStackName = "(no stack)"
	unknownName = "(unknown)"
)

// names interns frames by name: those of one name are one frame, and the first
// file that is known stands for it.
type names struct {
	frames []Frame
	index  map[string]int32
}

func newNames() *names { return &names{index: make(map[string]int32)} }

func (n *names) id(f Frame) int32 {
	if f.Name == "" {
		f.Name = unknownName
	}
	id, ok := n.index[f.Name]
	if !ok {
		id = int32(len(n.frames))
		n.index[f.Name] = id
		n.frames = append(n.frames, f)
	}
	if have := &n.frames[id]; have.File == "" {
		have.File, have.Line = f.File, f.Line
	}
	return id
}

// profilePass goes through the samples of a profile's frames that keep
// chooses; nil keeps all.
func profilePass(n *names, p *callstack.Frames, t int, keep callstack.Keep) func() *pass {
	ids := make([]int32, p.NumFrames())
	for i := range ids {
		f := p.Frame(callstack.FrameID(i))
		name := f.Function
		if name == "" && f.Address != 0 {
			name = fmt.Sprintf("0x%x", f.Address)
		}
		ids[i] = n.id(Frame{Name: name, File: f.File, Line: f.Start})
	}
	noStack := n.id(Frame{Name: noStackName})
	return func() *pass {
		stacks := p.Stacks(keep, t)
		return &pass{step: func(s *pass) bool {
			if !stacks.Next() {
				return false
			}
			s.value, s.shared = stacks.Value(t), min(stacks.Shared, len(s.path))
			s.path = s.path[:s.shared]
			for _, f := range slices.Backward(stacks.Stack[:len(stacks.Stack)-s.shared]) {
				s.path = append(s.path, ids[f])
			}
			if len(stacks.Stack) == 0 {
				s.path = append(s.path, noStack)
			}
			return true
		}}
	}
}

// common returns the number of frames that two paths begin with together.
func common(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// derived returns passes whose paths are made of others': to appends the new
// path, and says false where the sample has none.
func derived(passes func() *pass, to func(out, path []int32) ([]int32, bool)) func() *pass {
	return func() *pass {
		from := passes()
		var before []int32
		return &pass{step: func(s *pass) bool {
			before = append(before[:0], s.path...)
			for from.next() {
				path, ok := to(s.path[:0], from.path)
				s.path = path
				if ok {
					s.value, s.shared = from.value, common(before, path)
					return true
				}
			}
			return false
		}}
	}
}

// reversed begins with the frame that was running.
func reversed(out, path []int32) ([]int32, bool) {
	for _, f := range slices.Backward(path) {
		out = append(out, f)
	}
	return out, true
}
