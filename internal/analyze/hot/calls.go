package hot

import "whet/internal/callstack"

// Calls returns the number of calls of a benchmark's loop in a run with -benchtime
// nx, of which p is a profile. Package testing first calls the benchmark
// function with b.N at 1, in run1, and then with n, in launch: n + 1 calls.
// Where n is 1 it is content with the first, and b.Loop makes all n of them
// there.
func Calls(n int64, p *callstack.Frames) int64 {
	if n == 1 {
		return 1
	}
	for s := p.Stacks(nil); s.Next(); {
		for j := 1; j < len(s.Stack); j++ {
			if p.Frame(s.Stack[j]).Function == "testing.(*B).launch" && p.Frame(s.Stack[j-1]).Function == "testing.(*B).runN" {
				return n + 1
			}
		}
	}
	return n
}
