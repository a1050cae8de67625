package exectrace

import (
	"encoding/binary"
	"fmt"

	"whet/internal/callstack"
)

// names holds the stacks and strings of a whole reading, each once. Only
// those that events name are in it.
type names struct {
	stacks   []*Stack
	strings  []string
	byFrames map[string]StackID
	byText   map[string]StringID
	frames   map[callstack.Frame]*frame
	byPC     map[rawFrame]*frame // of the generation at hand

	limits    Limits
	numFrames int
	key       []byte
	raw       []rawFrame
	scratch   []*callstack.Frame
}

type frame struct {
	id uint32
	callstack.Frame
}

func newNames(limits Limits) *names {
	return &names{
		stacks: make([]*Stack, 1), strings: make([]string, 1),
		byFrames: make(map[string]StackID), byText: map[string]StringID{"": 0},
		frames: make(map[callstack.Frame]*frame), byPC: make(map[rawFrame]*frame),
		limits: limits,
	}
}

// nextGeneration forgets what numbers meant in the generation before.
func (n *names) nextGeneration() { clear(n.byPC) }

func (n *names) stackOf(t *texts, id StackID) (StackID, error) {
	if id == 0 {
		return 0, nil
	}
	if int(id) < len(t.stackIDs) && t.stackIDs[id] != 0 {
		return StackID(t.stackIDs[id] - 1), nil
	}
	n.raw = t.stack(uint64(id), n.raw)
	n.key, n.scratch = n.key[:0], n.scratch[:0]
	for _, r := range n.raw {
		f, ok := n.byPC[r]
		if !ok {
			f = n.frame(callstack.Frame{Function: string(t.string(r.function)), File: string(t.string(r.file)), Line: int(min(r.line, 1<<31-1))})
			n.byPC[r] = f
		}
		n.key = binary.LittleEndian.AppendUint32(n.key, f.id)
		n.scratch = append(n.scratch, &f.Frame)
	}
	own, err := n.stack()
	if int(id) < len(t.stackIDs) {
		t.stackIDs[id] = uint32(own) + 1
	}
	return own, err
}

// stack returns the number of the stack in scratch, whose key is in key.
func (n *names) stack() (StackID, error) {
	if len(n.scratch) == 0 {
		return 0, nil
	}
	id, ok := n.byFrames[string(n.key)]
	if !ok {
		if n.numFrames += len(n.scratch); n.numFrames > n.limits.MaxFrames {
			return 0, fmt.Errorf("its stacks have more than the limit of %d frames", n.limits.MaxFrames)
		}
		id = StackID(len(n.stacks))
		n.stacks = append(n.stacks, &Stack{Frames: append([]*callstack.Frame(nil), n.scratch...)})
		n.byFrames[string(n.key)] = id
	}
	return id, nil
}

func (n *names) frame(f callstack.Frame) *frame {
	fr, ok := n.frames[f]
	if !ok {
		fr = &frame{id: uint32(len(n.frames)), Frame: f}
		n.frames[f] = fr
	}
	return fr
}

func (n *names) stringOf(t *texts, id StringID) (StringID, error) {
	if id == 0 {
		return 0, nil
	}
	if int(id) < len(t.stringIDs) && t.stringIDs[id] != 0 {
		return StringID(t.stringIDs[id] - 1), nil
	}
	own, err := n.text(t.string(uint64(id)))
	if int(id) < len(t.stringIDs) {
		t.stringIDs[id] = uint32(own) + 1
	}
	return own, err
}

func (n *names) text(text []byte) (StringID, error) {
	id, ok := n.byText[string(text)]
	if !ok {
		if len(n.strings) > n.limits.MaxStrings {
			return 0, fmt.Errorf("it names more than the limit of %d reasons, tasks, regions and labels", n.limits.MaxStrings)
		}
		id = StringID(len(n.strings))
		n.strings = append(n.strings, string(text))
		n.byText[string(text)] = id
	}
	return id, nil
}
