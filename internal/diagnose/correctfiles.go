package diagnose

import (
	"whet/internal/analyze/hot"
	"whet/internal/callstack"
)

// correctFiles sets the file of frames of the user's own declared functions to the
// file that declares them.
//
// At a few instructions of an inlined call the runtime gives the file and line
// of the inlined body together with the name of the function around it (found
// with runtime.CallersFrames in go1.26: in a function that returns buf.String()
// of a bytes.Buffer one instruction has the position buffer.go:77). A profile
// keeps one file for each function's name, that of the first frame seen; where
// that is such an instruction, all of the function's lines seem to lie in another
// package's file. A line outside of its function is such an instruction's own:
// it counts for the function's first line, as the right one is not known.
func (s *Subject) correctFiles() {
	profiles := []*hot.Classified{s.CPU, s.Allocs, s.Mutex, s.Block}
	if s.Processors != nil {
		profiles = append(profiles, s.Processors.One)
	}
	for _, c := range profiles {
		if c == nil {
			continue
		}
		for id := range c.NumFrames() {
			f := c.Frame(callstack.FrameID(id))
			fn := s.FunctionOf(f.Function)
			if fn == nil || fn.Decl.Recv == nil && fn.Decl.Name.Name == "init" { // package variables are set in any file
				continue
			}
			f.File = fn.File
			if first, last := s.LineAt(fn.Decl.Pos()), s.LineAt(fn.Decl.End()); f.Line < first || last < f.Line {
				f.Line = first
			}
		}
	}
}
