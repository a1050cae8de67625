package diagnose

import (
	"whet/internal/analyze/hot"
	"whet/internal/callstack"
)

// Spent are the samples that pass through a source line, by the function that the line
// calls; those of "" are its own instructions.
type Spent map[string]*Sets

// Costs are the samples that pass through each line of the user's own, by file and line;
// benchmarks' functions are left out. A sample is of each of the own lines on its stack.
func (s *Subject) Costs() map[string]map[int]Spent {
	type key struct{}
	return Once(s, key{}, (*Subject).costs)
}

func (s *Subject) costs() map[string]map[int]Spent {
	files := make(map[string]map[int]Spent)
	s.EachSample(func(c *hot.Classified, sample *callstack.Stacks, stack []callstack.FrameID) {
		by := ""
		for _, id := range stack {
			f := c.Frame(id)
			if s.Own(f) && !s.Loops.InBenchmark(f.File, f.Line) {
				if files[f.File] == nil {
					files[f.File] = make(map[int]Spent)
				}
				at := files[f.File][f.Line]
				if at == nil {
					at = make(Spent)
					files[f.File][f.Line] = at
				}
				if at[by] == nil {
					at[by] = new(Sets)
				}
				at[by].Of(s, c).Add(sample.Index())
			}
			by = f.Function
		}
	})
	return files
}
