package conformance

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// SoakTime names the environment's variable that says how long Soak takes, as
// "90s". Without it that is five seconds, and ten minutes in tests built with the
// tag soak.
const SoakTime = "WHET_SOAK"

// Soak drives loads against servers that reset, stall, trickle and lie at
// random. Meanwhile descriptors, goroutines and memory stay within bounds that
// do not grow, after it nothing is left, and what was recorded is what the
// server gave.
func Soak(t *testing.T, open func() engine.Engine, f Features) {
	length := soakTime
	if text := os.Getenv(SoakTime); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < soakLeast {
			t.Fatalf("%s=%q: give a duration of %v or more, such as 90s", SoakTime, text, soakLeast)
		}
		length = d
	}
	const seed = 20261121
	s := &runner{open: open, features: f}
	// net/http says to the log what came unasked: in a long soak, a hundred times a
	// second.
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	loads := []struct {
		name string
		run  func(t *testing.T, length, timeout time.Duration) bool // what soak does
	}{
		{"closed loop", func(t *testing.T, length, timeout time.Duration) bool {
			server := listen(t, hostile(seed))
			return s.soak(t, server.to(0), length, timeout, server)
		}},
		{"open loop", func(t *testing.T, length, timeout time.Duration) bool {
			server := listen(t, hostile(seed+1))
			j := server.to(0)
			j.Arrivals = schedule.Constant(500).Poisson(seed)
			return s.soak(t, j, length, timeout, server)
		}},
		{"TLS", func(t *testing.T, length, timeout time.Duration) bool {
			ca := newAuthority(t)
			server := secure(t, serverConfig(ca), hostile(seed+2))
			return s.soak(t, server.toSecure(0, ca.trusted()), length, timeout, server)
		}},
		{"h2c", func(t *testing.T, length, timeout time.Duration) bool {
			m := multiplex(t, nil, hostileStreams(seed+3))
			j := job(t, "tcp", m.address, 0, message.Target{URL: "http://" + m.address + "/"})
			j.Protocol, j.Streams = engine.H2C, 4
			return s.soak(t, j, length, timeout)
		}},
	}
	if !f.HTTP2 {
		loads = loads[:3]
	}
	for _, load := range loads {
		t.Run(load.name, func(t *testing.T) {
			timeout, length := 200*time.Millisecond, length/time.Duration(len(loads))
			for ; !load.run(t, length, timeout); timeout, length = 4*timeout, 4*length {
				if timeout > patience {
					t.Fatalf("no answer within %v", timeout)
				}
			}
		})
	}
}

// soakLeast is so long that every kind of mischief comes up in each load.
const soakLeast = 4 * time.Second

// state is what a process holds at a moment.
type state struct {
	files, goroutines int
	memory            uint64 // that a collection left
}

// look collects. What is allocated while the collector sweeps is not counted: on a
// busy machine that takes long, and with a megabyte of garbage in each millisecond
// it would be most of the figure.
func look(t testing.TB) state {
	runtime.GC()
	memory := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(memory)
	return state{descriptors(t), runtime.NumGoroutine(), memory[0].Value.Uint64() + memory[1].Value.Uint64()}
}

// looks is how often soak looks at the process.
const looks = 16

// soak drives a load for a time. It is false where nothing was answered as it
// should be: then the machine may have been too busy for time and timeout.
func (s *runner) soak(t *testing.T, j *engine.Job, length, timeout time.Duration, servers ...*server) (answered bool) {
	j.Connections, j.Duration, j.Timeout = 12, length, timeout
	before := look(t)
	var states []state
	var watching sync.WaitGroup
	over := make(chan struct{})
	watching.Go(func() {
		tick := time.NewTicker(length / looks)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				states = append(states, look(t))
			case <-over:
				return
			}
		}
	})
	got := s.drive(t, t.Context(), j, servers...)
	close(over)
	watching.Wait()
	t.Logf("%d requests, status %v, errors %v", got.Requests, got.Status, got.Errors)
	for kind, example := range got.Examples {
		t.Logf("%s: %s", kind, example)
	}
	// Of few requests there need not be one of each kind.
	few := got.Requests < 300
	answered = got.Status[http.StatusOK] > 0
	if got.Errors[loadresult.Other] > 0 || !few && (got.Errors[loadresult.Reset] == 0 || got.Errors[loadresult.TimedOut] == 0) {
		t.Errorf("status %v, errors %v %q", got.Status, got.Errors, got.Examples)
	}
	if want := due(j.Arrivals, 0, j.Duration); j.Open() && got.Requests != want {
		t.Errorf("%d requests were due, %d are recorded", want, got.Requests)
	}
	for _, server := range servers {
		// A whole answer that came after the timeout or the load's end is none.
		given := server.answers.Load()
		if late := got.Errors[loadresult.TimedOut] + int64(j.Connections); got.Answered() > given || got.Answered() < given-late {
			t.Errorf("the server gave %d answers; %d were recorded, and %d may have been late", given, got.Answered(), late)
		}
	}

	// Both sides of each connection are in this process.
	streams := j.Connections * j.Streams
	for i, now := range states {
		if now.files > before.files+4*j.Connections+32 || now.goroutines > before.goroutines+6*j.Connections+4*streams+64 {
			t.Fatalf("look %d: %d descriptors and %d goroutines, before the load %d and %d", i, now.files, now.goroutines, before.files, before.goroutines)
		}
	}
	if len(states) < 8 && length < time.Minute {
		t.Logf("%d looks on a machine this busy say nothing about growth", len(states))
		return answered
	}
	quarter := len(states) / 4
	early, late := median(states[quarter:2*quarter]), median(states[len(states)-quarter:])
	if late > early+max(early/4, 8<<20) {
		t.Errorf("%d bytes in use in the second quarter of the load, %d in the last", early, late)
	}
	return answered
}

// median of the memory in use.
func median(states []state) uint64 {
	var memory []uint64
	for _, s := range states {
		memory = append(memory, s.memory)
	}
	slices.Sort(memory)
	return memory[len(memory)/2]
}

// hostile returns a server that does what it is asked half of the time. What it does
// to request n, of those that it reads, is a function of the seed and n.
func hostile(seed uint64) func(*conn) {
	long := strings.Repeat("0123456789abcdef", 64<<10/16)
	sizes := rand.New(rand.NewPCG(seed, 0))
	var whole [64][]byte // made once: each anew would be most of the process's garbage
	for i := range whole {
		whole[i] = []byte(sized(long[:sizes.IntN(len(long))]))
	}
	return func(c *conn) {
		switch rand.New(rand.NewPCG(seed, ^uint64(c.nth))).IntN(40) {
		case 0:
			c.reset()
			return
		case 1:
			c.stall()
			return
		}
		for {
			q := c.read()
			if q == nil {
				return
			}
			rng := rand.New(rand.NewPCG(seed, uint64(q.nth)))
			if !mischief(c, rng, long, whole[rng.IntN(len(whole))]) {
				return
			}
		}
	}
}

// mischief answers one request, and reports whether the connection goes on.
func mischief(c *conn, rng *rand.Rand, long string, whole []byte) bool {
	switch rng.IntN(32) {
	case 0:
		c.reset()
	case 1:
		c.stall()
	case 2: // trickle, and end before the end
		text := sized("hello, world")
		for i := range len(text) - 1 {
			if !c.send(text[i : i+1]) {
				return false
			}
			runtime.Gosched()
		}
		return c.end("")
	case 3: // trickle all of it
		text := sized("hello, world")
		cuts := make([]int, len(text)-1)
		for i := range cuts {
			cuts[i] = i + 1
		}
		return c.pieces(text, cuts...)
	case 4:
		body := long[:rng.IntN(len(long))]
		c.send(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body)+1+rng.IntN(1000), body))
		return c.end("")
	case 5:
		junk := make([]byte, 1+rng.IntN(2000))
		for i := range junk {
			junk[i] = byte(rng.Uint32())
		}
		c.send("\x00" + string(junk))
		c.last()
	case 6:
		c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nno size\r\n")
		c.last()
	case 7: // an answer that nobody asked for
		c.give(sized("hello") + sized("and more"))
		c.last()
	case 8: // an end that was not announced
		c.giveBytes(whole)
		return c.end("")
	case 9:
		return c.end("")
	case 10: // a head without end
		for c.send("HTTP/1.1 200 OK\r\n"); c.send("X-Field: " + long[:1000] + "\r\n"); {
		}
	case 11: // a long body whose end does not come
		c.send("HTTP/1.1 200 OK\r\n\r\n")
		for range 32 {
			c.send(long)
		}
		c.stall()
	case 12: // lengths that lie
		c.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nhello")
		c.last()
	case 13:
		return c.give("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")
	case 14:
		for range 3 {
			c.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
		}
		return c.giveBytes(whole)
	default:
		return c.giveBytes(whole)
	}
	return false
}

// hostileStreams returns the same with HTTP/2, as far as net/http's server goes.
func hostileStreams(seed uint64) http.HandlerFunc {
	var mu sync.Mutex
	source := rand.New(rand.NewPCG(seed, 0))
	long := strings.Repeat("0123456789abcdef", 64<<10/16)
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		what, size := source.IntN(20), source.IntN(len(long))
		mu.Unlock()
		switch what {
		case 0:
			panic(http.ErrAbortHandler)
		case 1:
			<-r.Context().Done()
		case 2:
			io.WriteString(w, long[:size])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case 3:
			for range 8 {
				io.WriteString(w, long)
			}
			<-r.Context().Done()
		case 4:
			w.WriteHeader(http.StatusInternalServerError)
		case 5:
			w.Header().Set("Connection", "close") // GOAWAY
			io.WriteString(w, long[:size])
		default:
			io.WriteString(w, long[:size])
		}
	}
}
