// Planted is a program whose waits are known: a lock that is held for 5 ms 20
// times while another goroutine wants it, ten tasks with a region that sleeps
// for a millisecond, a task that never ends, and three forced collections; then what
// more.go says. It traces itself, and the trace goes to standard output.
package main

import (
	"context"
	"log"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

const (
	rounds = 20
	held   = 5 * time.Millisecond
)

var mu sync.Mutex

func want() {
	mu.Lock()
	defer mu.Unlock()
}

func hold(ready, done chan int) {
	for range rounds {
		mu.Lock()
		ready <- 1
		time.Sleep(held)
		mu.Unlock()
		<-done
	}
}

func handle() {
	ctx, task := trace.NewTask(context.Background(), "request")
	defer task.End()
	os.Stat(".")
	trace.Log(ctx, "stat", "it is there")
	trace.WithRegion(ctx, "sleep", func() { time.Sleep(time.Millisecond) })
}

func main() {
	if err := trace.Start(os.Stdout); err != nil {
		log.Fatal(err)
	}
	ready, done := make(chan int), make(chan int)
	go hold(ready, done)
	for range rounds {
		<-ready
		want()
		done <- 1
	}
	var all sync.WaitGroup
	for range 10 {
		all.Add(1)
		go func() {
			defer all.Done()
			handle()
		}()
	}
	trace.NewTask(context.Background(), "request") // never ends
	for range 3 {
		runtime.GC()
	}
	all.Wait()
	more()
	trace.Stop()
}
