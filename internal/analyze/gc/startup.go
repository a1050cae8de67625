package gc

import (
	"cmp"
	"slices"

	"whet/internal/format/gctrace"
	"whet/internal/symbolname"
)

// Costly returns the initializations that take milliseconds or allocate megabytes, the
// longest first, without those of whet's agent.
func Costly(inits []gctrace.Init) []gctrace.Init {
	out := slices.DeleteFunc(slices.Clone(inits), func(i gctrace.Init) bool {
		return i.Wall < initNs && i.Bytes < initBytes || symbolname.Agent(i.Package)
	})
	slices.SortStableFunc(out, ByCost)
	return out
}

// ByCost orders initializations, the longest first.
func ByCost(a, b gctrace.Init) int {
	return cmp.Or(cmp.Compare(b.Wall, a.Wall), cmp.Compare(b.Bytes, a.Bytes))
}
