// Command serve makes an execution trace of a given size: of an HTTP server with tasks,
// regions and logs, and of the clients in the same process that load it.
//
//	go run ./bench/traces/serve -mb 188 -o 188.trace
//
// How long that takes depends on the machine: two processors of 2026 write some 9 MB a
// second.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/trace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/traces/serve:", err)
		os.Exit(1)
	}
}

// counted is a file and how much of it was written.
type counted struct {
	io.Writer
	n atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n.Add(int64(n))
	return n, err
}

func run() (err error) {
	name := flag.String("o", "server.trace", "write the trace to this `file`")
	size := flag.Int64("mb", 45, "end when the trace has so many `megabytes`")
	clients := flag.Int("clients", 32, "how many `clients` ask at once")
	limit := flag.Duration("timeout", 5*time.Minute, "end after this long in any case")
	flag.Parse()
	f, err := os.Create(*name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var mu sync.Mutex
	counts := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, task := trace.NewTask(r.Context(), "request "+r.URL.Path)
		defer task.End()
		var in struct{ Numbers []int }
		trace.WithRegion(ctx, "decode", func() { json.NewDecoder(r.Body).Decode(&in) })
		trace.WithRegion(ctx, "count", func() {
			mu.Lock()
			counts[r.URL.Path]++
			mu.Unlock()
		})
		trace.Log(ctx, "path", r.URL.Path)
		trace.WithRegion(ctx, "render", func() { json.NewEncoder(w).Encode(in) })
	}))
	defer server.Close()
	out := &counted{Writer: f}
	if err := trace.Start(out); err != nil {
		return err
	}
	end := time.Now().Add(*limit)
	body, err := json.Marshal(map[string][]int{"Numbers": make([]int, 20)})
	if err != nil {
		return err
	}
	client := server.Client()
	client.Transport.(*http.Transport).MaxIdleConnsPerHost = *clients
	var all sync.WaitGroup
	failed := make([]error, *clients)
	for c := range *clients {
		all.Go(func() {
			for i := c; out.n.Load() < *size<<20 && time.Now().Before(end); i++ {
				if failed[c] = ask(client, server.URL+"/api/"+strconv.Itoa(i%17), body); failed[c] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	trace.Stop()
	return errors.Join(failed...)
}

func ask(client *http.Client, url string, body []byte) error {
	resp, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}
