// Held serves requests that take a lock for a moment, but for one in some hundreds,
// which sleeps with it.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"
)

var (
	mu       sync.Mutex
	requests atomic.Int64
)

func work() (sum int) {
	for i := range 20_000 {
		sum += i * i
	}
	return sum
}

func want() int {
	mu.Lock()
	defer mu.Unlock()
	return 1
}

func hold(d time.Duration) {
	mu.Lock()
	time.Sleep(d) // holds it
	mu.Unlock()   // lets go
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address")
	every := flag.Int64("every", 1500, "which request holds the lock")
	held := flag.Duration("for", 100*time.Millisecond, "for how long")
	dies := flag.Bool("dies", false, "exit as soon as it is traced")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if *dies && trace.IsEnabled() {
			os.Exit(7)
		}
		n := work()
		if requests.Add(1)%*every == 0 {
			hold(*held)
		}
		fmt.Fprintln(w, n+want())
	})
	log.Fatal(http.Serve(l, nil))
}
