package exectrace

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/exp/trace"

	"whet/internal/callstack"
)

// table interns stacks and frames. The trace numbers its stacks anew in each
// generation, so that a stack is looked up by the trace's own number first, and
// by its frames once a generation.
type table struct {
	frames    map[callstack.Frame]*frame
	byFrames  map[string]*Stack
	byHandle  map[trace.Stack]*Stack // of this generation
	maxFrames int
	numFrames int // of all stacks
	key       []byte
	scratch   []*callstack.Frame
}

type frame struct {
	id uint32
	callstack.Frame
}

func newTable(maxFrames int) *table {
	return &table{
		frames:    make(map[callstack.Frame]*frame),
		byFrames:  make(map[string]*Stack),
		byHandle:  make(map[trace.Stack]*Stack),
		maxFrames: maxFrames,
	}
}

func (t *table) nextGeneration() { clear(t.byHandle) }

func (t *table) stack(handle trace.Stack) (*Stack, error) {
	if handle == trace.NoStack {
		return nil, nil
	}
	if s, ok := t.byHandle[handle]; ok {
		return s, nil
	}
	t.key, t.scratch = t.key[:0], t.scratch[:0]
	for f := range handle.Frames() {
		fr := t.frame(callstack.Frame{Function: f.Func, File: f.File, Line: int(f.Line)})
		t.key = binary.LittleEndian.AppendUint32(t.key, fr.id)
		t.scratch = append(t.scratch, &fr.Frame)
	}
	if len(t.scratch) == 0 {
		t.byHandle[handle] = nil
		return nil, nil
	}
	s, ok := t.byFrames[string(t.key)]
	if !ok {
		if t.numFrames += len(t.scratch); t.numFrames > t.maxFrames {
			return nil, fmt.Errorf("its stacks have more than the limit of %d frames", t.maxFrames)
		}
		s = &Stack{Frames: append([]*callstack.Frame(nil), t.scratch...)}
		t.byFrames[string(t.key)] = s
	}
	t.byHandle[handle] = s
	return s, nil
}

func (t *table) frame(f callstack.Frame) *frame {
	fr, ok := t.frames[f]
	if !ok {
		fr = &frame{id: uint32(len(t.frames)), Frame: f}
		t.frames[f] = fr
	}
	return fr
}
