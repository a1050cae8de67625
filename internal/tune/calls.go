package tune

import (
	"fmt"
	"os"
	"strings"

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
			return calls(l.N, p)
		}
	}
	return 0
}

// calls is how often a benchmark's loop was called in a run with -benchtime
// nx. Package testing first calls the benchmark function with b.N at 1, in
// run1, and then with n, in launch: n + 1 calls. Where n is 1 it is content
// with the first, and b.Loop makes all n of them there.
func calls(n int64, p *callstack.Profile) int64 {
	if n == 1 {
		return 1
	}
	for i := range p.Len() {
		stack := p.Stack(i)
		for j := 1; j < len(stack); j++ {
			if p.Frame(stack[j]).Function == "testing.(*B).launch" && p.Frame(stack[j-1]).Function == "testing.(*B).runN" {
				return n + 1
			}
		}
	}
	return n
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
