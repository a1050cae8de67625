package tune

import (
	"fmt"
	"strings"
	"time"

	"whet/internal/cli"
	"whet/internal/printable"
	"whet/internal/quantity"
)

// Show tells the user where a recording stands.
func (p Progress) Show(s *cli.StatusLine) {
	if p.Plan != "" {
		s.Line("plan: %s", printable.Message(p.Plan))
		return
	}
	parts := []string{p.Stage}
	if p.Benchmark != "" {
		parts = append(parts, strings.TrimPrefix(p.Benchmark, "Benchmark"))
	}
	if p.Wanted > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s samples", quantity.Count(float64(p.Samples)), quantity.Count(float64(p.Wanted))))
	}
	if p.Requests > 0 {
		parts = append(parts, quantity.Plural(int(p.Requests), "request"))
	}
	if p.Errors > 0 {
		parts = append(parts, fmt.Sprintf("%s failed", quantity.Count(float64(p.Errors))))
	}
	if p.Left > 0 {
		parts = append(parts, fmt.Sprintf("at most %v left", p.Left.Round(time.Second)))
	}
	s.Set("%s", strings.Join(parts, " · "))
}
