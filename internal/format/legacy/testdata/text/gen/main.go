package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var sink [][]byte
var mu sync.Mutex

//go:noinline
func alloc(n int) []byte { return make([]byte, n) }

func keep(n int) { sink = append(sink, alloc(n)) } // inlined into its callers

func fill(depth int) {
	if depth == 0 {
		for i := range 200 {
			keep(64 << (i % 12))
		}
		return
	}
	keep(4096)
	fill(depth - 1)
}

// main writes each kind of profile twice, with debug=1 and with debug=0.
func main() {
	runtime.MemProfileRate = 512
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	fill(3)
	sink = sink[len(sink)/2:]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				mu.Lock()
				time.Sleep(100 * time.Microsecond)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	runtime.GC()
	for _, k := range []string{"heap", "mutex", "block", "threadcreate"} {
		f, _ := os.Create(os.Args[1] + "/" + k + ".debug1.txt")
		pprof.Lookup(k).WriteTo(f, 1)
		f.Close()
		g, _ := os.Create(os.Args[1] + "/" + k + ".pb.gz")
		pprof.Lookup(k).WriteTo(g, 0)
		g.Close()
	}
}
