package tune

import (
	"fmt"
	"strings"

	"whet/internal/cli"
	"whet/internal/quantity"
)

// Show shows the progress of a recording to the user.
func (p Progress) Show(s *cli.StatusLine) {
	parts := []string{p.Stage, strings.TrimPrefix(p.Benchmark, "Benchmark")}
	if p.Wanted > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s samples", quantity.Count(float64(p.Samples)), quantity.Count(float64(p.Wanted))))
	}
	if p.Requests > 0 {
		parts = append(parts, quantity.Plural(int(p.Requests), "request"))
	}
	if p.Errors > 0 {
		parts = append(parts, fmt.Sprintf("%s failed", quantity.Count(float64(p.Errors))))
	}
	s.Step(p.Plan, p.Left, parts...)
}
