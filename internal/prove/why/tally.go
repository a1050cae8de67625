package why

import (
	"math"

	"whet/internal/analyze/hot"
)

// key is a function's identity on both sides.
type key string

// sum adds up samples: their value, and its variance if their number is Poisson.
type sum struct {
	count    int64
	value    float64
	variance float64
}

func (s *sum) add(count, value int64) {
	s.count += count
	s.value += float64(value)
	// count samples of value/count each.
	s.variance += float64(value) * float64(value) / float64(max(count, 1))
}

// cost is the cost of one function.
type cost struct{ flat, cum sum }

// tally adds up one kind of profile of one side over its turns.
type tally struct {
	calls     int64 // operations that the profiles cover
	classes   [hot.NumClasses]sum
	functions map[key]*cost // of the measured code
	turns     []int64       // samples of the measured code in each turn
}

// frameKeys says of each frame of a profile which function it is.
type frameKeys struct {
	of []key
	// harness frames at the root of a stack are the benchmark function itself and its
	// callers: their cum is that of the whole and means nothing.
	harness []bool
	// interrupts are the runtime's frames above the interrupted code of a preempted
	// goroutine. The profiling signal often arrives together with the preempting one,
	// so these samples belong to the interrupted code.
	interrupts []bool
}

// add adds a turn. Samples are counted in one column and valued in another,
// which may be the same.
func (t *tally) add(c *hot.Classified, count, values int, calls int64, keys frameKeys) {
	if t.functions == nil {
		t.functions = make(map[key]*cost)
	}
	t.calls += calls
	before := t.classes[hot.Base].count
	seen := make(map[key]int)
	for s := c.Stacks(nil); s.Next(); {
		i, n, v := s.Index(), s.Value(count), s.Value(values)
		class := c.Class[i]
		t.classes[class].add(n, v)
		if class != hot.Base {
			continue
		}
		stack := s.Stack
		for j, f := range stack {
			if keys.interrupts[f] {
				stack = stack[j+1:]
				break
			}
		}
		if len(stack) == 0 {
			t.function("").flat.add(n, v)
			continue
		}
		t.function(keys.of[stack[0]]).flat.add(n, v)
		for len(stack) > 0 && keys.harness[stack[len(stack)-1]] {
			stack = stack[:len(stack)-1]
		}
		for _, f := range stack {
			if k := keys.of[f]; seen[k] != i+1 {
				seen[k] = i + 1
				t.function(k).cum.add(n, v)
			}
		}
	}
	t.turns = append(t.turns, t.classes[hot.Base].count-before)
}

func (t *tally) function(k key) *cost {
	c := t.functions[k]
	if c == nil {
		c = &cost{}
		t.functions[k] = c
	}
	return c
}

// scatter is τ², the variance of a turn's samples relative to their square,
// beyond that of counting: (s² − m)/m² for turns with mean m and variance s²,
// the mean over both sides, 0 where they scatter by less.
func scatter(old, new *tally) float64 {
	var sum, sides float64
	for _, t := range []*tally{old, new} {
		n := float64(len(t.turns))
		if n < 2 {
			continue
		}
		mean, squares := 0.0, 0.0
		for _, x := range t.turns {
			mean += float64(x) / n
		}
		if mean == 0 {
			continue
		}
		for _, x := range t.turns {
			squares += (float64(x) - mean) * (float64(x) - mean) / (n - 1)
		}
		sum += (squares - mean) / (mean * mean)
		sides++
	}
	if sides == 0 {
		return 0
	}
	return max(sum/sides, 0)
}

// variance of a sum over the turns of a side.
func (t *tally) variance(s sum, scatter float64) float64 {
	return s.variance + scatter*s.value*s.value/float64(max(len(t.turns), 1))
}

// quantile is z for m values looked at: a normal variable leaves ±z with
// probability alpha/m.
func quantile(alpha float64, m int) float64 {
	return math.Sqrt2 * math.Erfinv(1-alpha/float64(max(m, 1)))
}
