package callstack

import (
	"fmt"
	"slices"
)

// Frame is a function at one line, after inlining is expanded. Two frames
// are the same if all their fields are.
type Frame struct {
	Function string // linker symbol with its package path: "net/http.(*conn).serve"; "" without symbols
	File     string // as the profile has it: absolute, or "module/pkg/x.go" under -trimpath
	Line     int    // 0 when unknown
	Inlined  bool   // the compiler inlined it into the next frame towards the root
	Address  uint64 // of the location, kept only where the profile has no symbols for it
	Object   string // file of the mapping Address lies in, kept with it
	Start    int    // the function's first line, 0 when unknown
}

// FrameID indexes the table of Frames.
type FrameID uint32

// Keep selects samples by index; nil keeps all.
type Keep func(sample int) bool

// Frames is a profile with its locations expanded to frames; equal frames of
// several locations are one. Stacks iterates over its samples.
type Frames struct {
	*Profile
	frames []Frame
	of     [][]FrameID // a location's, innermost first; nil where no sample has it
}

// Frames expands the locations of the profile's samples. It refuses samples
// that have more than most frames in all.
func (p *Profile) Frames(most int64) (*Frames, error) {
	f := &Frames{Profile: p, of: make([][]FrameID, len(p.Locations))}
	ids := make(map[Frame]FrameID)
	depths := make([]int, 1, p.deepest+1) // frames up to each location of the path
	var total int64
	for c := p.Cursor(); c.Next(); {
		for _, id := range slices.Backward(c.Path[c.Shared:]) { // in the order in which stacks are read
			if f.of[id] == nil {
				f.of[id] = f.expand(ids, id)
			}
		}
		depths = depths[:c.Shared+1]
		for _, id := range c.Path[c.Shared:] {
			depths = append(depths, depths[len(depths)-1]+len(f.of[id]))
		}
		if total += int64(depths[len(depths)-1]); total > most {
			return nil, fmt.Errorf("its samples have more than %d frames in all: too large for this analysis", most)
		}
	}
	return f, nil
}

// expand makes frames of a location.
func (f *Frames) expand(ids map[Frame]FrameID, id LocationID) []FrameID {
	l, lines := &f.Locations[id], f.Lines(id)
	object := ""
	if l.Mapping != NoMapping {
		object = f.Mappings[l.Mapping].File
	}
	out := make([]FrameID, 0, max(1, len(lines)))
	add := func(frame Frame) {
		if frame.Function == "" {
			frame.Address, frame.Object = l.Address, object
		}
		n, ok := ids[frame]
		if !ok {
			n = FrameID(len(f.frames))
			f.frames = append(f.frames, frame)
			ids[frame] = n
		}
		out = append(out, n)
	}
	if len(lines) == 0 {
		add(Frame{})
	}
	for i, line := range lines {
		fn := &f.Functions[line.Function]
		add(Frame{Function: fn.Name, File: fn.File, Line: line.Line, Inlined: i < len(lines)-1, Start: fn.Start})
	}
	return out
}

// Frame returns a frame. The pointer is into the table.
func (f *Frames) Frame(id FrameID) *Frame { return &f.frames[id] }

// NumFrames returns the number of distinct frames.
func (f *Frames) NumFrames() int { return len(f.frames) }

// Stacks iterates over samples as a Cursor does, with their stacks as frames.
type Stacks struct {
	// Stack is the sample's stack, leaf first. It is valid until Next, which
	// keeps the last Shared frames of the sample before.
	Stack  []FrameID
	Shared int

	of      *Frames
	cursor  *Cursor
	keep    Keep
	asked   []int
	columns []column
	buffer  []FrameID // Stack is its end
	depths  []int     // frames up to each location of the path
	labels  []Label
	labeled int // samples whose labels have been decoded
}

// column decodes the values of a column on demand.
type column struct {
	varintReader
	read  int
	value int64
}

// Stacks returns the samples that keep selects in which any of the columns is
// not zero; without columns, all that it selects.
func (f *Frames) Stacks(keep Keep, columns ...int) *Stacks {
	s := &Stacks{of: f, cursor: f.Cursor(), keep: keep, asked: columns, depths: make([]int, 1, f.deepest+1)}
	for t := range f.values {
		s.columns = append(s.columns, column{varintReader: f.values[t].reader()})
	}
	return s
}

// Next goes to the next sample and reports whether there is one.
func (s *Stacks) Next() bool {
	for c := s.cursor; c.next < c.end; {
		c.pass()
		if s.wanted() {
			c.decode()
			s.expand()
			return true
		}
	}
	return false
}

func (s *Stacks) wanted() bool {
	if s.keep != nil && !s.keep(s.Index()) {
		return false
	}
	return len(s.asked) == 0 || slices.ContainsFunc(s.asked, func(t int) bool { return s.Value(t) != 0 })
}

// expand sets Stack to the frames of the cursor's path. They fill the buffer from
// its end, so that the frames of a shared root stay in place.
func (s *Stacks) expand() {
	c := s.cursor
	s.depths = s.depths[:c.Shared+1]
	n := s.depths[c.Shared]
	s.Shared = n
	for _, id := range c.Path[c.Shared:] {
		frames := s.of.of[id]
		n += len(frames)
		if n > len(s.buffer) {
			larger := make([]FrameID, 2*n)
			copy(larger[len(larger)-len(s.buffer):], s.buffer)
			s.buffer = larger
		}
		copy(s.buffer[len(s.buffer)-n:], frames)
		s.depths = append(s.depths, n)
	}
	s.Stack = s.buffer[len(s.buffer)-n:]
}

// Index returns the sample's number, from 0.
func (s *Stacks) Index() int { return s.cursor.Index() }

// Value returns the sample's value in a column of the profile.
func (s *Stacks) Value(t int) int64 {
	c := &s.columns[t]
	for ; c.read < s.cursor.next; c.read++ {
		c.record()
		c.value = c.varint()
	}
	return c.value
}

// Labels returns the sample's labels. The slice is valid until Next.
func (s *Stacks) Labels() []Label {
	if s.labeled < s.cursor.next {
		s.labeled = s.cursor.next
		s.labels = s.of.AppendLabels(s.labels[:0], s.cursor.LabelSet())
	}
	return s.labels
}
