// Package new does the same without an allocation.
package new

// Sink keeps what is added up.
var Sink int

// Make allocates nothing, and takes about as long.
func Make(n int) int {
	for range 60 {
		Sink += n
	}
	return 3*n + 3
}
