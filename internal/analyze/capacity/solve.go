package capacity

import "math"

// problem is least squares of x[i] ≈ n[i]/d[i] with weights w[i], where
// d = offset + Σ c[j]·columns[j] and all c[j] ≥ 0. The law and every one of its
// profiles are of this form.
type problem struct {
	n, x, w []float64
	offset  []float64
	columns [][]float64
}

// solve returns the best c and the weighted sum of squares that it leaves.
// Infinity: no c gives every level a positive denominator.
func (p *problem) solve() (c []float64, sum float64) {
	k := len(p.columns)
	sum = math.Inf(1)
	// A further coefficient has to gain more than rounding does.
	all := 0.0
	for i := range p.x {
		all += p.w[i] * p.x[i] * p.x[i]
	}
	for set := range 1 << k {
		var free []int
		for j := range k {
			if set>>j&1 == 1 {
				free = append(free, j)
			}
		}
		if got, s := p.within(free); s < sum-1e-16*all {
			c, sum = got, s
		}
	}
	return c, sum
}

// within solves with the coefficients outside of free held at 0. A solution with
// a negative coefficient is none: it lies beyond a bound, and the set without that
// coefficient has the best one on it.
func (p *problem) within(free []int) (c []float64, sum float64) {
	c = make([]float64, len(p.columns))
	if len(free) == 0 {
		return c, p.sum(c)
	}
	start := p.linear(free)
	for i, j := range free {
		c[j] = start[i]
	}
	sum = p.sum(c)
	if math.IsInf(sum, 1) {
		// The linear start has a denominator of 0 or less somewhere. A small
		// positive one everywhere is a start too.
		for _, j := range free {
			c[j] = p.even() / float64(len(free)) / p.largest(j)
		}
		if sum = p.sum(c); math.IsInf(sum, 1) {
			return c, sum
		}
	}
	damping := 1e-3
	for range 200 {
		a, g := p.normal(free, c)
		improved := false
		for range 40 {
			m := make([][]float64, len(free))
			for i := range m {
				m[i] = append([]float64(nil), a[i]...)
				m[i][i] *= 1 + damping
			}
			step, ok := gauss(m, append([]float64(nil), g...))
			if ok {
				next := append([]float64(nil), c...)
				for i, j := range free {
					next[j] += step[i]
				}
				if s := p.sum(next); s <= sum {
					improved = sum-s > 1e-12*sum
					c, sum = next, s
					damping = max(damping/10, 1e-12)
					break
				}
			}
			damping *= 10
		}
		if !improved {
			break
		}
	}
	for _, j := range free {
		if c[j] < 0 {
			return c, math.Inf(1)
		}
	}
	return c, sum
}

// denominator is d at level i.
func (p *problem) denominator(c []float64, i int) float64 {
	d := 0.0
	if p.offset != nil {
		d = p.offset[i]
	}
	for j := range c {
		d += c[j] * p.columns[j][i]
	}
	return d
}

// sum returns the weighted sum of squares, infinite where a denominator is not
// positive.
func (p *problem) sum(c []float64) float64 {
	total := 0.0
	for i := range p.n {
		d := p.denominator(c, i)
		if !(d > 0) {
			return math.Inf(1)
		}
		r := p.x[i] - p.n[i]/d
		total += p.w[i] * r * r
	}
	return total
}

// linear solves n/x ≈ d instead, which is linear in c, with the weights that make
// its residuals nearly those of the problem: a residual of n/x is x²/n times
// smaller than one of x.
func (p *problem) linear(free []int) []float64 {
	a, g := square(len(free)), make([]float64, len(free))
	for i := range p.n {
		w := p.w[i] * math.Pow(p.x[i], 4) / (p.n[i] * p.n[i])
		y := p.n[i] / p.x[i]
		if p.offset != nil {
			y -= p.offset[i]
		}
		for u, j := range free {
			for v, k := range free {
				a[u][v] += w * p.columns[j][i] * p.columns[k][i]
			}
			g[u] += w * p.columns[j][i] * y
		}
	}
	c, ok := gauss(a, g)
	if !ok {
		return make([]float64, len(free))
	}
	return c
}

// normal are Gauss and Newton's equations at c: the derivative of n/d by c[j] is
// −n·column[j]/d².
func (p *problem) normal(free []int, c []float64) (a [][]float64, g []float64) {
	a, g = square(len(free)), make([]float64, len(free))
	slope := make([]float64, len(free))
	for i := range p.n {
		d := p.denominator(c, i)
		r := p.x[i] - p.n[i]/d
		for u, j := range free {
			slope[u] = -p.n[i] * p.columns[j][i] / (d * d)
		}
		for u := range free {
			for v := range free {
				a[u][v] += p.w[i] * slope[u] * slope[v]
			}
			g[u] += p.w[i] * slope[u] * r
		}
	}
	return a, g
}

// even returns a denominator that fits the first level.
func (p *problem) even() float64 { return p.n[0] / p.x[0] }

func (p *problem) largest(j int) float64 {
	most := math.SmallestNonzeroFloat64
	for _, v := range p.columns[j] {
		most = max(most, math.Abs(v))
	}
	return most
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// gauss solves a·x = b by elimination, on rows and columns that are scaled to
// diagonals of 1: those of the law differ by the square of the concurrency.
func gauss(a [][]float64, b []float64) (x []float64, ok bool) {
	n := len(b)
	scale := make([]float64, n)
	for i := range n {
		if !(a[i][i] > 0) || math.IsInf(a[i][i], 1) {
			return nil, false
		}
		scale[i] = 1 / math.Sqrt(a[i][i])
	}
	for i := range n {
		for j := range n {
			a[i][j] *= scale[i] * scale[j]
		}
		b[i] *= scale[i]
	}
	for i := range n {
		pivot := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[pivot][i]) {
				pivot = r
			}
		}
		a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
		if math.Abs(a[i][i]) < 1e-14 {
			return nil, false
		}
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for k := i; k < n; k++ {
				a[r][k] -= f * a[i][k]
			}
			b[r] -= f * b[i]
		}
	}
	x = make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		s := b[i]
		for k := i + 1; k < n; k++ {
			s -= a[i][k] * x[k]
		}
		x[i] = s / a[i][i]
	}
	for i := range x {
		x[i] *= scale[i]
	}
	return x, true
}
