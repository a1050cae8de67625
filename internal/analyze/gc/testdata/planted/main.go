// Planted does to the collector what its argument names.
package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

var (
	kept []any
	sink any
)

// word has a large expression to compile, if the program is to be slow to start.
var word = func() *regexp.Regexp {
	if len(os.Args) < 2 || os.Args[1] != "startup" {
		return nil
	}
	return regexp.MustCompile("(" + strings.Repeat("(a|b|c)*[d-z]{1,200}", 20) + ")")
}()

func main() {
	end := time.Now().Add(time.Second)
	switch os.Args[1] {
	case "small": // garbage beside a small heap
		for time.Now().Before(end) {
			sink = make([]byte, 4096)
		}
	case "assist": // several goroutines allocate what takes long to mark
		type node struct{ left, right *node }
		var tree func(n int) *node
		tree = func(n int) *node {
			if n == 0 {
				return nil
			}
			return &node{tree(n - 1), tree(n - 1)}
		}
		kept = append(kept, tree(18))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for time.Now().Before(end) {
					tree(10)
				}
			})
		}
		wg.Wait()
	case "limit": // more and more lives, and there is a limit
		type list struct {
			next *list
			data [500]byte
		}
		var head *list
		for i := range 125_000 {
			head = &list{next: head}
			if i%16 == 0 {
				sink = make([]byte, 32<<10)
			}
		}
		runtime.KeepAlive(head)
	case "leak": // a little more lives after each round
		end = end.Add(6 * time.Second)
		for time.Now().Before(end) {
			kept = append(kept, make([]byte, 64<<10))
			for range 40 {
				sink = make([]byte, 16<<10)
			}
			time.Sleep(3 * time.Millisecond)
		}
	case "cache": // that fills, and is full
		end = end.Add(6 * time.Second)
		for time.Now().Before(end) {
			if len(kept) < 300 {
				kept = append(kept, make([]byte, 64<<10))
			}
			for range 60 {
				sink = make([]byte, 16<<10)
			}
			time.Sleep(3 * time.Millisecond)
		}
	case "forced":
		for range 20 {
			sink = make([]byte, 1<<20)
			runtime.GC()
			time.Sleep(5 * time.Millisecond)
		}
	case "startup":
		println("compiled", word != nil)
	}
	_, _ = sink, kept
}
