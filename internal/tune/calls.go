package tune

import (
	"fmt"
	"os"
	"strings"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/format/profile"
	"whet/internal/gobench"
)

// calls is how often a run called the benchmark's loop. It is unknown, 0,
// where testing looked for b.N by shorter runs that the profile covers too.
func (r *recorder) calls(res *gobench.Result, name string, p *callstack.Profile) int64 {
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

// readProfile reads a profile that a run has just written.
func readProfile(name, rel string) ([]byte, *callstack.Profile, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", rel, err)
	}
	p, err := profile.Read(data, profile.DefaultLimits())
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", rel, err)
	}
	return data, p, nil
}
