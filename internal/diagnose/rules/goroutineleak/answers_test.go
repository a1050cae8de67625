package goroutineleak_test

// The goroutines that these start wait for ever.

// unread leaves a goroutine that sends to nobody.
func unread(int) {
	ch := make(chan int)
	go func() { // want goroutine-leak: sending on a channel
		ch <- 1
	}()
}

// named is the same of a function with a name.
func named(int) {
	go serve(make(chan int)) // want goroutine-leak: receiving from a channel
}

func serve(jobs chan int) {
	for range jobs {
	}
}

// second leaves two for each iteration.
func second(int) {
	quit, done := make(chan struct{}), make(chan struct{})
	for range 2 {
		go func() { // want goroutine-leak: in a select
			select {
			case <-quit:
			case <-done:
			}
		}()
	}
}
