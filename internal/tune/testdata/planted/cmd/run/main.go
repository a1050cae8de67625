// Run works for a while, and ends with an exit status of its own.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"example.com/planted/work"
)

func main() {
	d := flag.Duration("for", 8*time.Second, "how long to work")
	code := flag.Int("exit", 0, "exit status")
	flag.Parse()
	fmt.Println("working")
	p := work.Begin(os.Stderr, 3*time.Second, 5*time.Second)
	var sum uint64
	for start := time.Now(); time.Since(start) < *d; {
		p.Gate.Lock()
		p.Gate.Unlock()
		sum += work.Step()
	}
	fmt.Println("sum", sum)
	os.Exit(*code)
}
