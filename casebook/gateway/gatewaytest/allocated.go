package gatewaytest

import "runtime"

// Allocated returns the bytes that f allocates: the least of a few calls, for
// the runtime and other tests allocate now and then.
func Allocated(f func()) int64 {
	least := int64(-1)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if n := int64(after.TotalAlloc - before.TotalAlloc); least < 0 || n < least {
			least = n
		}
	}
	return least
}
