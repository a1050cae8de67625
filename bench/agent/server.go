package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"whet/agent"
)

const (
	off        = "off"
	recordName = "run.whet"
)

// modes are the ways to use the agent.
var modes = []struct {
	name, title string
	config      agent.Config
}{
	{"handler", "its handler on the program's mux, nothing asked for", agent.Config{}},
	{"record", "a recording, with its defaults", agent.Config{Record: recordName}},
	{"flight", "a flight recorder, and a bound on response time", agent.Config{Bounds: agent.Bounds{ResponseTime: time.Minute}}},
}

func title(name string) string {
	for _, m := range modes {
		if m.name == name {
			return m.title
		}
	}
	return name
}

// serve answers until stdin ends, and prints its address.
func serve(mode string, stdin io.Reader, stdout io.Writer) error {
	mux := http.NewServeMux()
	var handler http.Handler = new(counter)
	for _, m := range modes {
		if m.name == mode {
			a := agent.Start(m.config)
			defer a.Stop()
			mux.Handle("/debug/whet/", a.Handler())
			handler = a.Wrap(handler)
		}
	}
	mux.Handle("/", handler)
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, cpuNs()) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux}
	defer server.Close()
	go server.Serve(l)
	fmt.Fprintf(stdout, "http://%s\n", l.Addr())
	_, err = io.Copy(io.Discard, stdin)
	return err
}

// counter does what many small handlers do: it looks something up under a lock
// that all requests share and answers JSON.
type counter struct {
	mu    sync.Mutex
	visit map[string]int
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	if c.visit == nil {
		c.visit = make(map[string]int)
	}
	c.visit[r.URL.Path]++
	n := c.visit[r.URL.Path]
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"path": r.URL.Path, "visits": n, "agent": r.UserAgent(), "tags": []string{"one", "two", "three"},
	})
}
