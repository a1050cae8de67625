package explore

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/analyze/flamegraph"
	"whet/internal/analyze/selection"
	"whet/internal/callstack"
	"whet/internal/profiles"
	"whet/internal/quantity"
	"whet/internal/report/flame"
)

// about says in a line what a profile is of: kind, total, samples, duration,
// date, binary.
func about(s *selection.Selection) string {
	m := &s.Meta
	samples := s.Profile().Len()
	parts := []string{s.Type.Type, quantity.Value(float64(s.Total)*s.Ratio, s.Type.Unit), quantity.Plural(samples, "distinct sample")}
	if g := grain(s); g > 0 {
		parts[2] = quantity.Plural(int(math.Round(float64(s.Total)/g)), "sample")
	}
	if m.Duration > 0 {
		parts = append(parts, "over "+quantity.Nanoseconds(float64(m.Duration)))
	}
	if m.TimeNanos != 0 {
		parts = append(parts, time.Unix(0, m.TimeNanos).UTC().Format("2006-01-02 15:04 UTC"))
	}
	// The first mapping is the program's; the kernel or [vdso] is no program.
	if i := slices.IndexFunc(m.Mappings, func(m callstack.Mapping) bool { return m.File != "" && !strings.HasPrefix(m.File, "[") }); i >= 0 {
		parts = append(parts, filepath.Base(m.Mappings[i].File))
	}
	return strings.Join(parts, " · ")
}

// grain returns what one sample of a CPU profile stands for in the unit of its values;
// 0 of other kinds, whose values are scaled up from samples of many sizes.
func grain(s *selection.Selection) float64 {
	m := &s.Meta
	switch {
	case m.PeriodType.Type != "cpu" || m.Period <= 0:
		return 0
	case s.Type.Type == "cpu" && s.Type.Unit == m.PeriodType.Unit:
		return float64(m.Period)
	case s.Type.Type == "samples":
		return 1
	}
	return 0
}

// alike is by how much the totals of two sides may differ for a page to compare
// them as they are.
const alike = 0.05

// compared returns the graph of a difference. On a page sides whose totals differ are
// scaled to each other, as shares are what can be compared then.
func (q *viewRequest) compared(before, after *selection.Selection, o flamegraph.Options) (flame.View, error) {
	v := flame.View{Grain: grain(after), BaseGrain: grain(before)}
	v.About = []string{
		"before: " + shownName(q.base) + about(before),
		"after: " + shownName(q.Name) + about(after),
	}
	differ := before.Total > 0 && math.Abs(float64(after.Total-before.Total)) > alike*float64(before.Total)
	if differ && !q.s.asJSON && q.s.picture(formatHTML) == formatHTML {
		o.Normalize = true
	}
	if o.Normalize && before.Total > 0 {
		v.About = append(v.About, fmt.Sprintf("Normalised, as the totals differ by %s: before is multiplied by %s.",
			quantity.Percent(math.Abs(float64(after.Total)/float64(before.Total)-1)), quantity.Count(float64(after.Total)/float64(before.Total))))
	}
	var err error
	v.Graph, err = flamegraph.Diff(before, after, o)
	return v, err
}

func shownName(operand string) string {
	if operand == "" {
		return ""
	}
	return filepath.Base(profiles.Shown(operand)) + " · "
}
