package rounds

import (
	"strings"

	"whet/internal/analyze/compare"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// What runners and readers of rows need of package compare, for those that may
// use whet's proofs and not what these stand on.
type (
	Slice  = compare.Slice
	Metric = compare.Metric
	Row    = compare.Row
	Series = compare.Series
	Round  = compare.Round
)

// The sides of a request, the verdict of a row that has none, the bound of its
// ratio then, and units.
const (
	Old = compare.Old
	New = compare.New

	CannotTell = compare.CannotTell
	MaxRatio   = compare.MaxRatio

	NsPerOp           = compare.NsPerOp
	BytesPerOp        = compare.BytesPerOp
	AllocsPerOp       = compare.AllocsPerOp
	WallNs            = compare.WallNs
	CPUNs             = compare.CPUNs
	PeakBytes         = compare.PeakBytes
	RequestsPerSecond = compare.RequestsPerSecond
)

// Wanted is how a unit is judged by whoever wants the ratio itself, and not
// only that there is one: no verdict ends the measuring.
func Wanted(unit string) Metric {
	m := compare.MetricOf(unit)
	m.Gates = false
	return m
}

// Fewest is the number of rounds below which no interval of what varies has
// bounds.
func Fewest(hypotheses int, alpha float64) int { return compare.FewestRounds(hypotheses, alpha) }

// Median is the middle of some values, NaN where there are none.
func Median(values []float64) float64 { return stat.Median(values) }

// PrintRatio and PrintInterval print a row's ratio and its bounds.
func PrintRatio(x float64) string            { return compare.PrintRatio(x) }
func PrintInterval(low, high float64) string { return compare.PrintInterval(low, high) }

// PrintFigure prints a figure of a slice in its unit.
func PrintFigure(x float64, unit string) string {
	switch {
	case unit == NsPerOp, strings.HasSuffix(unit, "-ns"):
		return quantity.Nanoseconds(x)
	case unit == BytesPerOp, unit == PeakBytes:
		return quantity.Bytes(x)
	case strings.HasSuffix(unit, "/s"):
		return quantity.Count(x) + "/s"
	}
	return quantity.Count(x)
}
