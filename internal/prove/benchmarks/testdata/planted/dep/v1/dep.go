package dep

// Sum is called by a benchmark.
func Sum(xs []int) int {
	n := 0
	for _, x := range xs {
		n += x
	}
	return n
}

// Other is called by nothing.
func Other() int { return 1 }
