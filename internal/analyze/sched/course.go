package sched

// maxSteps is in how many steps of the span at most a course tells the time.
const maxSteps = 64

// courses follow how long each processor runs in each step of the time. How long the
// trace is shows at its end only: where the steps do not reach any more, two become one.
type courses struct {
	fromNs, stepNs int64
	of             map[int32]*[maxSteps]int64
}

func newCourses(fromNs int64) *courses {
	return &courses{fromNs: fromNs, stepNs: 1 << 10, of: make(map[int32]*[maxSteps]int64)}
}

// ran books that a processor ran.
func (c *courses) ran(proc int32, from, to int64) {
	from, to = max(from-c.fromNs, 0), to-c.fromNs
	for (to-1)/maxSteps >= c.stepNs { // not to > c.stepNs*maxSteps, which a damaged trace takes beyond int64
		c.stepNs *= 2
		for _, steps := range c.of {
			for i := range maxSteps / 2 {
				steps[i] = steps[2*i] + steps[2*i+1]
			}
			clear(steps[maxSteps/2:])
		}
	}
	steps := c.of[proc]
	if steps == nil {
		steps = new([maxSteps]int64)
		c.of[proc] = steps
	}
	for from < to {
		i := from / c.stepNs
		end := to
		if i < maxSteps-1 {
			end = min((i+1)*c.stepNs, to)
		}
		steps[i] += end - from
		from = end
	}
}

// course returns the course of a processor up to the end of the span.
func (c *courses) course(proc int32, spanNs int64) []int64 {
	steps := c.of[proc]
	if steps == nil {
		steps = new([maxSteps]int64)
	}
	n := spanNs / c.stepNs
	if spanNs%c.stepNs > 0 {
		n++
	}
	return steps[:min(n, maxSteps)]
}
