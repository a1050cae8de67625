package view

import "whet/internal/analyze/selection"

// sum is what belongs to a node or a group of them.
type sum struct {
	flat, flatDivisor int64
	cum, cumDivisor   int64
}

func (s *sum) add(t sum) {
	s.flat += t.flat
	s.flatDivisor += t.flatDivisor
	s.cum += t.cum
	s.cumDivisor += t.cumDivisor
}

// values are flat and cum, or their means.
func (s sum) values() (flat, cum int64) {
	flat, cum = s.flat, s.cum
	if s.flatDivisor != 0 {
		flat /= s.flatDivisor
	}
	if s.cumDivisor != 0 {
		cum /= s.cumDivisor
	}
	return flat, cum
}

// shown reports whether a view has the node: not where its values cancel, and
// by request not where they are negative.
func (s sum) shown(dropNegative bool) bool {
	if s.flat == 0 && s.cum == 0 {
		return false
	}
	return !dropNegative || s.flat > 0 || s.flat == 0 && s.cum >= 0
}

const noGroup = -1

// sums adds up a selection by groups of nodes; nil makes every node a group of
// its own. A group counts a sample once. A value is handed from step to step
// when neighbouring samples part, as callgraph does it.
func sums(s *selection.Selection, group []int32, groups int) []sum {
	out := make([]sum, groups)
	on := make([]bool, groups)
	type place struct {
		value, divisor int64
		group          int32 // of which this is the first step on the path
	}
	var path []place
	leave := func(n int) {
		for i := len(path) - 1; i >= n; i-- {
			p := path[i]
			if p.group != noGroup {
				on[p.group] = false
				out[p.group].cum += p.value
				out[p.group].cumDivisor += p.divisor
			}
			if i > 0 {
				path[i-1].value += p.value
				path[i-1].divisor += p.divisor
			}
		}
		path = path[:n]
	}
	of := func(n selection.NodeID) int32 {
		if group == nil {
			return int32(n)
		}
		return group[n]
	}
	for w := s.Walk(); ; {
		if !w.Next() {
			leave(0)
			return out
		}
		leave(w.Shared)
		for _, step := range w.Path[w.Shared:] {
			p := place{group: noGroup}
			if g := of(step.Node); g != noGroup && !on[g] {
				on[g] = true
				p.group = g
			}
			path = append(path, p)
		}
		if len(path) == 0 {
			continue
		}
		leaf := &path[len(path)-1]
		leaf.value += w.Value
		leaf.divisor += w.Divisor
		if g := of(w.Path[len(w.Path)-1].Node); g != noGroup {
			out[g].flat += w.Value
			out[g].flatDivisor += w.Divisor
		}
	}
}
