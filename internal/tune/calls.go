package tune

import (
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/gobench"
)

// calls returns how often a run called the benchmark's loop. It is unknown, 0,
// where testing looked for b.N by shorter runs that the profile covers too.
func (r *recorder) calls(res *gobench.Result, name string, p *callstack.Frames) int64 {
	if r.o.BenchTime != "" && !strings.HasSuffix(r.o.BenchTime, "x") {
		return 0
	}
	for _, l := range res.Lines {
		if l.Name == name {
			return hot.Calls(l.N, p)
		}
	}
	return 0
}
