package diagnose

import (
	"cmp"
	"maps"
	"slices"

	"whet/internal/analyze/places"
	"whet/internal/finding"
)

// account adds one measure up.
type account struct {
	total, tests int64
	packages     map[string]int64
}

func (a *account) add(c *places.Charges) {
	a.total += c.Total
	a.tests += c.Tests
	if a.packages == nil {
		a.packages = make(map[string]int64)
	}
	for pkg, v := range c.Packages {
		a.packages[pkg] += v
	}
}

// smallPackage is the share below which packages are added up.
const smallPackage = 0.005

func (a *account) split(kind string, listed int64) finding.Account {
	out := finding.Account{Kind: kind, HotPlacesRatio: ratio(listed, a.total), TestsRatio: ratio(a.tests, a.total), Packages: []finding.PackageShare{}}
	rest := a.total - listed - a.tests
	small := int64(0)
	for _, pkg := range slices.Sorted(maps.Keys(a.packages)) {
		v := a.packages[pkg]
		rest -= v
		if ratio(v, a.total) < smallPackage {
			small += v
			continue
		}
		out.Packages = append(out.Packages, finding.PackageShare{Package: pkg, Ratio: ratio(v, a.total)})
	}
	slices.SortStableFunc(out.Packages, func(x, y finding.PackageShare) int { return cmp.Compare(y.Ratio, x.Ratio) })
	if small > 0 {
		out.Packages = append(out.Packages, finding.PackageShare{Ratio: ratio(small, a.total)})
	}
	out.OtherPlacesRatio = ratio(rest, a.total)
	return out
}
