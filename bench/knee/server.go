package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// server is one with a known capacity.
type server struct {
	name     string
	at       float64 // the clients that reach it
	capacity float64 // requests per second
	open     bool    // its highest rate is looked for too
	workers  func() *workers
}

var servers = []*server{
	{name: "8 workers, 50 ms each", at: 8, capacity: 160, open: true, workers: func() *workers {
		return &workers{free: make([]time.Time, 8), work: 50 * time.Millisecond}
	}},
	// Ten clients keep the lock busy: each has it for 5 of its 50 ms.
	{name: "a lock held for 5 ms, 45 ms beside it", at: 10, capacity: 200, open: true, workers: func() *workers {
		return &workers{free: make([]time.Time, 1), work: 5 * time.Millisecond, beside: 45 * time.Millisecond}
	}},
	{name: "12 workers, 50 ms each, 3 % slower for each further request", at: 12, capacity: 240, workers: func() *workers {
		return &workers{free: make([]time.Time, 12), work: 50 * time.Millisecond, slower: 0.03}
	}},
}

// workers take requests in the order they come, each as soon as one is free.
type workers struct {
	mu     sync.Mutex
	free   []time.Time // when each is
	work   time.Duration
	beside time.Duration // before the queue, for all at the same time
	slower float64       // for each request under way beyond the workers
	under  []time.Time   // when those under way are through
}

func (w *workers) through(now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.under = slices.DeleteFunc(w.under, func(t time.Time) bool { return !t.After(now) })
	next := 0
	for i := range w.free {
		if w.free[i].Before(w.free[next]) {
			next = i
		}
	}
	start := now.Add(w.beside)
	if w.free[next].After(start) {
		start = w.free[next]
	}
	excess := max(len(w.under)+1-len(w.free), 0)
	if w.slower == 0 {
		excess = 0
	}
	end := start.Add(time.Duration(float64(w.work) * (1 + w.slower*float64(excess))))
	w.free[next] = end
	w.under = append(w.under, end)
	return end
}

func (w *workers) ServeHTTP(rw http.ResponseWriter, _ *http.Request) {
	if err := wait(w.through(time.Now())); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	io.WriteString(rw, "done\n")
}

// named returns the server of a name.
func named(name string) (*server, error) {
	i := slices.IndexFunc(servers, func(s *server) bool { return s.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no server %q", name)
	}
	return servers[i], nil
}

// serve serves one of the servers until its input ends, and prints its address.
func serve(ctx context.Context, name string, out io.Writer) error {
	server, err := named(name)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &http.Server{Handler: server.workers()}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, os.Stdin)
	}()
	select {
	case err := <-done:
		return err
	case <-ended:
	case <-ctx.Done():
	}
	if err := s.Close(); err != nil {
		return err
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// start runs the server in a process of its own.
func (s *server) start(ctx context.Context) (address string, stop func(), err error) {
	cmd, err := again(ctx, "-serve", s.name)
	if err != nil {
		return "", nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("start %s: %w", s.name, err)
	}
	return strings.TrimSpace(line), stop, nil
}
