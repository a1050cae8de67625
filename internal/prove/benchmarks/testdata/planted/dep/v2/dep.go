package dep

// Other is called by nothing.
func Other() int { return 2 }

// Sum is called by a benchmark.
func Sum(xs []int) int {
	n := 0
	for i := range xs {
		n += xs[len(xs)-1-i]
	}
	return n
}
