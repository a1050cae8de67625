package diagnose

import (
	"cmp"
	"slices"
)

// quarter is the part of a loop's heaviest line from which another line of
// it is as much of the same place.
const quarter = 0.25

// clusters joins lines that are one place: those of one loop of a function, or
// of the function outside its loops. A loop that does not matter by itself goes
// to the heaviest one, so that a function of many small loops is still seen. And
// a line that matters by itself and is much lighter than the heaviest of its
// loop is a place of its own: it has another cause.
func (l *ledger) clusters() []entry {
	type function struct{ name, file string }
	type loop struct {
		of   function
		line int
	}
	byLoop := make(map[loop][]entry)
	for _, e := range l.lines {
		key := loop{of: function{e.at.Function, e.at.File}}
		s := l.lead(e)
		if st := s.Statement(e.at.File, e.at.Line); st.Loop != nil {
			key.line = s.LineAt(st.Loop.Pos())
		}
		byLoop[key] = append(byLoop[key], *e)
	}
	byFunction := make(map[function][][]entry)
	for key, lines := range byLoop {
		byFunction[key.of] = append(byFunction[key.of], lines)
	}
	var out []entry
	for _, loops := range byFunction {
		for _, lines := range loops {
			slices.SortFunc(lines, func(a, b entry) int {
				return cmp.Or(cmp.Compare(b.worth, a.worth), compareLines(a.at, b.at))
			})
		}
		slices.SortFunc(loops, func(a, b []entry) int {
			return cmp.Or(cmp.Compare(sumOfWorth(b), sumOfWorth(a)), compareLines(a[0].at, b[0].at))
		})
		for i, lines := range slices.Backward(loops) {
			if i > 0 && sumOfWorth(lines) < Threshold {
				loops[0] = append(loops[0], lines...)
				loops = slices.Delete(loops, i, i+1)
			}
		}
		for _, lines := range loops {
			heaviest := slices.MaxFunc(lines, func(a, b entry) int { return cmp.Or(cmp.Compare(a.worth, b.worth), compareLines(b.at, a.at)) })
			joined := []entry{heaviest}
			for _, e := range lines {
				switch {
				case e.at == heaviest.at:
				case e.worth < Threshold || e.worth >= quarter*heaviest.worth:
					joined = append(joined, e)
				default:
					out = append(out, l.join([]entry{e}))
				}
			}
			out = append(out, l.join(joined))
		}
	}
	return out
}

func sumOfWorth(lines []entry) (sum float64) {
	for i := range lines {
		sum += lines[i].worth
	}
	return sum
}

// join adds lines up, the heaviest first.
func (l *ledger) join(lines []entry) entry {
	sum := l.newEntry(lines[0].at, lines)
	for _, e := range lines {
		for i, p := range e.by {
			sum.by[i].spent.add(p.spent)
			sum.by[i].counts.add(p.counts)
		}
		sum.sum.add(e.sum)
		addAll(sum.callees, e.callees)
		addAll(sum.kinds, e.kinds)
	}
	sum.worth = l.worthOf(sum)
	return *sum
}

func addAll[K comparable](to, from map[K]amounts) {
	for key, v := range from {
		v.add(to[key])
		to[key] = v
	}
}
