// Package new does the same without an allocation.
package new

// Make allocates nothing.
func Make(n int) int { return 3*n + 3 }
