package rounds

import "whet/internal/analyze/compare"

// What runners and readers of rows need of package compare, for those that may
// use whet's proofs and nothing below them.
type (
	Slice  = compare.Slice
	Metric = compare.Metric
	Row    = compare.Row
	Series = compare.Series
	Round  = compare.Round
)

// The sides of a request, the kinds of metrics, the verdict of a row that has
// none, and the bound of its ratio then.
const (
	Old = compare.Old
	New = compare.New

	Time  = compare.Time
	Count = compare.Count
	Other = compare.Other

	CannotTell = compare.CannotTell
	MaxRatio   = compare.MaxRatio
)
