// main starts goroutines in several states, writes their profile with debug=2
// and with debug=0, and panics.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type worker struct{ in chan int }

func (w *worker) run() { w.wait() } // inlined

//go:noinline
func (w *worker) wait() { <-w.in }

func generic[T any](c chan T) { <-c }

//go:noinline
func deep(n int, c chan int) {
	if n == 0 {
		<-c
	}
	deep(n-1, c)
}

func main() {
	c := make(chan int)
	var mu sync.Mutex
	mu.Lock()
	for range 3 {
		go (&worker{c}).run()
	}
	go generic(make(chan struct{ A, B int }))
	go deep(150, c)
	go mu.Lock()
	go func() {
		runtime.LockOSThread()
		select {}
	}()
	go pprof.Do(context.Background(), pprof.Labels("user", "a \"b\", c", "tier", "2"), func(context.Context) { <-c })
	var nilChan chan int
	go func() { <-nilChan }()
	time.Sleep(50 * time.Millisecond)
	f, _ := os.Create(os.Args[1] + "/states.debug2.txt")
	pprof.Lookup("goroutine").WriteTo(f, 2)
	f.Close()
	g, _ := os.Create(os.Args[1] + "/states.pb.gz")
	pprof.Lookup("goroutine").WriteTo(g, 0)
	g.Close()
	var m map[string]int
	m["x"] = 1
}
