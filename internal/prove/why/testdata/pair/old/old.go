// Package old is what there was.
package old

func fill(n int) int {
	var buf [256]byte
	for i := range buf {
		buf[i] = byte(n + i)
	}
	return sum(buf[:])
}

func sum(b []byte) int {
	total := 0
	for _, c := range b {
		total += int(c)
	}
	return total
}

func step(x uint32) uint32 { return x*1664525 + 1013904223 }

func walk(x uint32, n int) uint32 {
	for range n {
		x = step(x)
	}
	return x
}

func mix(data []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range data {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// Sum adds up what f makes of the numbers below n.
func Sum(n int) int {
	total := 0
	each(n, func(i int) { total += spin(i) })
	return total
}

//go:noinline
func each(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

func spin(i int) int {
	for range 20 {
		i = i*31 + 7
	}
	return i
}
