package callstack

import (
	"fmt"
	"regexp"
	"strings"
)

// Pruned returns the profile without the frames its recorder asked to drop
// (DropFrames, KeepFrames), by pprof's rule: seen from the root, the first
// location that matches goes, with everything it calls; a location at the root
// is spared, so that a stack never vanishes. Values and samples stay. Without
// DropFrames it is p itself.
func (p *Profile) Pruned() (*Profile, error) {
	if p.DropFrames == "" {
		return p, nil
	}
	drop, err := regexp.Compile("^(" + p.DropFrames + ")$")
	if err != nil {
		return nil, fmt.Errorf("compile the profile's drop_frames: %w", err)
	}
	var keep *regexp.Regexp
	if p.KeepFrames != "" {
		if keep, err = regexp.Compile("^(" + p.KeepFrames + ")$"); err != nil {
			return nil, fmt.Errorf("compile the profile's keep_frames: %w", err)
		}
	}
	dropped := make([]bool, len(p.frames))
	for i := range p.frames {
		name := PlainName(p.frames[i].Function)
		dropped[i] = name != "" && drop.MatchString(name) && (keep == nil || !keep.MatchString(name))
	}

	q := *p
	q.DropFrames, q.KeepFrames = "", ""
	q.stackStart, q.stackFrame = []uint32{0}, nil
	q.stack = make([]StackID, len(p.stack))
	b := &Builder{p: &q, stackID: make(map[string]StackID)}
	remap := make([]StackID, p.NumStacks())
	var scratch []FrameID
	for s := range remap {
		scratch = pruneStack(scratch[:0], p, p.stackFrame[p.stackStart[s]:p.stackStart[s+1]], dropped)
		remap[s] = b.Stack(scratch)
	}
	for i, s := range p.stack {
		q.stack[i] = remap[s]
	}
	return &q, nil
}

// pruneStack appends what is left of stack, leaf first. A location is a run of
// inlined frames and the frame they are inlined into. As in pprof, a location
// whose inner frames match loses them wherever it stands.
func pruneStack(out []FrameID, p *Profile, stack []FrameID, dropped []bool) []FrameID {
	begin := len(out)
	spared := false // a location nearer to the root has nothing to drop
	for end := len(stack); end > 0; {
		start := end - 1
		for start > 0 && p.frames[stack[start-1]].Inlined {
			start--
		}
		cut := end - 1 // the match nearest to the root
		for cut >= start && !dropped[stack[cut]] {
			cut--
		}
		// Frames are collected root first and turned round at the end.
		switch {
		case cut < start:
			spared = true
			out = appendReversed(out, stack[start:end])
		case cut == end-1 && spared:
			end = 0
			continue
		case cut == end-1:
			out = appendReversed(out, stack[start:end])
		default:
			out = appendReversed(out, stack[cut+1:end])
			if spared {
				end = 0
				continue
			}
		}
		end = start
	}
	for i, j := begin, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func appendReversed(out, frames []FrameID) []FrameID {
	for i := len(frames) - 1; i >= 0; i-- {
		out = append(out, frames[i])
	}
	return out
}

// PlainName cuts a name at its argument list, as pprof does before it decides
// whether the name is to be dropped: "(anonymous namespace)" and "operator()"
// are no argument lists.
func PlainName(name string) string {
	name = strings.TrimPrefix(name, ".")
	for i := 0; i < len(name); {
		switch rest := name[i:]; {
		case strings.HasPrefix(rest, "(anonymous namespace)"):
			i += len("(anonymous namespace)")
		case strings.HasPrefix(rest, "operator()"):
			i += len("operator()")
		case rest[0] == '(':
			return name[:i]
		default:
			i++
		}
	}
	return name
}
