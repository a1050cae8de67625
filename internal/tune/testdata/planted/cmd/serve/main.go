// Serve does a step of work for each request.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/planted/work"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address")
	gc := flag.Duration("gc", 4*time.Second, "when to collect")
	stall := flag.Duration("stall", 6*time.Second, "when to stall")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	p := work.Begin(os.Stderr, *gc, *stall)
	http.HandleFunc("/step", func(w http.ResponseWriter, r *http.Request) {
		p.Gate.Lock()
		p.Gate.Unlock()
		fmt.Fprintln(w, work.Step())
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &http.Server{}
	go s.Serve(l)
	<-ctx.Done()
	s.Shutdown(context.Background())
	fmt.Println("stopped")
}
