package attacked

//go:noinline
func unreached(x int) int { return x + 12 }
