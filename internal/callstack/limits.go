package callstack

import "errors"

// Bounds that hold for every format. Go's own profiles have stacks of 128
// locations, 1,024 at most; perf's have 127 frames unless more are asked for; other
// runtimes end a recursion at some 10,000.
const (
	MaxDepth = 16_384 // frames of a stack, inlined ones counted
	MaxTypes = 256    // value columns
)

// Limits bound the input of a reader; it refuses a larger file.
type Limits struct {
	MaxBytes  int64 // of the text or message, unpacked
	MaxMemory int64 // memory of the result, as Builder.Memory counts
}

// ErrMemory is the error of a profile beyond [Limits.MaxMemory].
var ErrMemory = errors.New("its names, locations and stacks need more memory than the limit for a file of its size: too large to read")

// What Memory counts for each, in bytes, apart from texts and encoded stacks:
// the record, its entries in the maps that find it again, and room that slices
// and maps keep for growth. A sample counts for what merging it takes.
const (
	functionBytes = 256
	locationBytes = 128
	lineBytes     = 48
	stringBytes   = 64
	sampleBytes   = 32
	stepBytes     = 4  // of a stack, for each byte of Profile.unshared: views that make a tree of it take more
	afterBytes    = 32 // of a location, one that follows it
	setBytes      = 96
)

// Memory returns the approximate size in bytes of the profile under construction,
// with the builder's and a reader's indexes.
func (b *Builder) Memory() int64 {
	return b.memory + sampleBytes*int64(b.p.samples) + stepBytes*b.p.unshared
}

// Memory returns the approximate size in bytes of the merged profile, with the index
// of its samples.
func (m *Merger) Memory() int64 {
	return m.b.Memory() + int64(m.b.p.samples)*(64+8*int64(len(m.sums)))
}

// MergeMemory returns the most bytes of it that adding p may take.
func MergeMemory(p *Profile) int64 {
	return int64(p.samples) * (sampleBytes + 64 + 8*int64(len(p.values)))
}

// FrameSteps returns the number of frames a sum over all samples visits: of each
// sample the frames, inlined ones included, that it does not share with the
// sample before. It also returns the number of frames of the deepest stack.
func (p *Profile) FrameSteps() (steps int64, deepest int) {
	depths := make([]int, 1, p.deepest+1) // frames up to each location of the path
	for c := p.Cursor(); c.Next(); {
		depths = depths[:c.Shared+1]
		depth := depths[c.Shared]
		for _, id := range c.Path[c.Shared:] {
			n := max(1, len(p.Lines(id)))
			depth += n
			steps += int64(n)
			depths = append(depths, depth)
		}
		deepest = max(deepest, depth)
	}
	return steps, deepest
}
