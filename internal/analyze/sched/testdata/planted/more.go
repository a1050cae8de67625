package main

import (
	"context"
	"runtime/trace"
	"time"
)

// more hands 20 items over an unbuffered channel, each a millisecond after the one
// before, spins for 30 ms in a task, and leaves 12 goroutines behind.
func more() {
	items := make(chan int)
	go produce(items)
	for consume(items) {
	}
	_, task := trace.NewTask(context.Background(), "spin")
	done := make(chan int)
	go spin(done)
	<-done
	task.End()
	for range 12 {
		go leak(make(chan int))
	}
	time.Sleep(time.Millisecond) // they get there
}

func produce(items chan int) {
	for i := range 20 {
		time.Sleep(time.Millisecond)
		items <- i
	}
	close(items)
}

func consume(items chan int) bool {
	_, ok := <-items
	return ok
}

func spin(done chan int) {
	for began := time.Now(); time.Since(began) < 30*time.Millisecond; {
	}
	done <- 1
}

func leak(never chan int) {
	<-never
}
