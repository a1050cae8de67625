package callstack

import (
	"fmt"
	"strconv"
	"strings"
)

// ValueType names one value that each sample carries, in pprof's words:
// {"cpu", "nanoseconds"}, {"alloc_space", "bytes"}, {"samples", "count"}.
type ValueType struct {
	Type string
	Unit string
}

func (t ValueType) String() string { return t.Type + "/" + t.Unit }

// Frame is one function at one line, after inlining is expanded. Two frames
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

// FrameID, StackID and LabelsID index a profile's interned tables.
type (
	FrameID  uint32
	StackID  uint32
	LabelsID uint32
)

// Label is one key with its value on a sample. A numeric label has Str == "".
type Label struct {
	Key  string
	Str  string
	Num  int64
	Unit string
}

// Profile holds samples in columns, each stack expanded to frames, so that any
// sample is at hand at once: what an analysis wants that looks at some of them.
// Packed is the form for views of all. It is built by a Builder and not changed
// afterwards.
type Profile struct {
	Meta

	frames     []Frame
	stackStart []uint32  // stack s is stackFrame[stackStart[s]:stackStart[s+1]]
	stackFrame []FrameID // leaf first
	stack      []StackID // per sample
	labels     []LabelsID
	labelSets  [][]Label
	values     [][]int64 // values[type][sample]
}

// Len returns the number of samples.
func (p *Profile) Len() int { return len(p.stack) }

// Stack returns sample i's frames, leaf first. The slice is the profile's own.
func (p *Profile) Stack(i int) []FrameID {
	s := p.stack[i]
	return p.stackFrame[p.stackStart[s]:p.stackStart[s+1]]
}

// StackID returns the id of sample i's stack: samples with equal stacks have
// equal ids.
func (p *Profile) StackID(i int) StackID { return p.stack[i] }

// NumStacks returns the number of distinct stacks.
func (p *Profile) NumStacks() int { return len(p.stackStart) - 1 }

// Frame returns an interned frame. The pointer is into the profile's table.
func (p *Profile) Frame(id FrameID) *Frame { return &p.frames[id] }

// NumFrames returns the number of distinct frames.
func (p *Profile) NumFrames() int { return len(p.frames) }

// Value returns sample i's value in column t.
func (p *Profile) Value(t, i int) int64 { return p.values[t][i] }

// Labels returns sample i's labels.
func (p *Profile) Labels(i int) []Label { return p.labelSets[p.labels[i]] }

// Total sums column t over all samples.
func (p *Profile) Total(t int) int64 {
	var sum int64
	for _, v := range p.values[t] {
		sum += v
	}
	return sum
}

// TypeIndex returns the column of a sample type as pprof's -sample_index names
// it: by type, by number, or with the "inuse_" that old heap profiles leave
// out. "" is the default column. The error lists the names there are.
func (p *Profile) TypeIndex(name string) (int, error) {
	if name == "" {
		return p.DefaultType, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(p.Types) {
		return i, nil
	}
	names := make([]string, len(p.Types))
	for i, t := range p.Types {
		if t.Type == name || t.Type == strings.TrimPrefix(name, "inuse_") {
			return i, nil
		}
		names[i] = t.Type
	}
	return 0, fmt.Errorf("sample type %q is not in the profile, which has %q", name, names)
}

// HasSymbols reports whether any frame has a function name.
func (p *Profile) HasSymbols() bool {
	for i := range p.frames {
		if p.frames[i].Function != "" {
			return true
		}
	}
	return len(p.frames) == 0
}
