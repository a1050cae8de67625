// Package old joins words in three allocations.
package old

// Sink keeps what is made.
var Sink [3]*int

// Make allocates three times.
func Make(n int) int {
	for i := range Sink {
		v := n + i
		Sink[i] = &v
	}
	return *Sink[0] + *Sink[1] + *Sink[2]
}
