// Command agent measures what package agent costs the program it runs in.
//
// It answers how much CPU time a request of a small HTTP server takes with the
// agent and without. The server is this program, started anew for each
// measurement; one without the agent and one with it take turns, in an order
// drawn by lot, under the same closed loop over the loopback. The server
// itself says what the system has charged it, after the warm-up and at the
// end.
//
// It misleads about other programs: its requests are small, so that what the
// agent does for each weighs more than in most, and it has few goroutines, so
// that what the agent does for each of those weighs less. A recording's traces
// are frequent in its first minutes and rare later: a short measurement has
// more of them than a long run.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/load"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// Side is a server's measurement.
type Side struct {
	CPUNs    int64 `json:"cpu_ns"`
	Requests int64 `json:"requests"`
}

// Mode is one way to use the agent, and its turns.
type Mode struct {
	Name string `json:"name"`
	Off  []Side `json:"off"`
	On   []Side `json:"on"`
}

// Samples are all modes under one load.
type Samples struct {
	Concurrency int           `json:"concurrency"`
	For         time.Duration `json:"for_ns"` // each side
	Apart       bool          `json:"apart"`  // generator and server had one processor each
	Modes       []Mode        `json:"modes"`
}

func main() { ledger.Main("agent", run) }

func run(ctx context.Context) error {
	turns := flag.Int("turns", 12, "how often each mode is measured")
	length := flag.Duration("for", 20*time.Second, "measure each server for this `time`")
	out := ledger.Flags("agent")
	serving := flag.String("serve", "", "be the server, in this `mode`")
	flag.Parse()
	if *serving != "" {
		return serve(*serving, os.Stdin, os.Stdout)
	}
	return out.Tabulate(func() error {
		if least := stat.MedianValues(0.95); *turns < least {
			return fmt.Errorf("-turns %d: %d are the fewest with a 95 %% interval", *turns, least)
		}
		e := ledger.Begin[Samples]("bench/agent")
		var err error
		if e.Samples, err = measure(ctx, *turns, *length); err != nil {
			return err
		}
		return e.Save(out.Dir, "agent")
	}, render)
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[Samples](dir, "agent")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"the agent", "CPU per request, off", "on", "cost", "95 % interval", "requests, off", "on"}}
	for _, m := range e.Samples.Modes {
		off, on := perRequest(m.Off), perRequest(m.On)
		ratio := stat.RatioInterval(on, off, 0.95)
		t.Rows = append(t.Rows, []string{
			title(m.Name), quantity.Nanoseconds(stat.Median(off)), quantity.Nanoseconds(stat.Median(on)),
			cost(ratio.Center), cost(ratio.Low) + " to " + cost(ratio.High),
			quantity.Count(requests(m.Off)), quantity.Count(requests(m.On)),
		})
	}
	turns := 0
	if len(e.Samples.Modes) > 0 {
		turns = len(e.Samples.Modes[0].Off)
	}
	apart := ""
	if e.Samples.Apart {
		apart = ", generator and server with one processor each"
	}
	return fmt.Sprintf("%s\n%s; %d turns of %v a side, %d connections%s.\n", t.Markdown(), e.Caption(), turns, e.Samples.For, e.Samples.Concurrency, apart), nil
}

func cost(ratio float64) string { return fmt.Sprintf("%+.1f %%", (ratio-1)*100) }

func perRequest(sides []Side) []float64 {
	out := make([]float64, len(sides))
	for i, s := range sides {
		out[i] = float64(s.CPUNs) / float64(s.Requests)
	}
	return out
}

func requests(sides []Side) float64 {
	sum := int64(0)
	for _, s := range sides {
		sum += s.Requests
	}
	return float64(sum)
}

const concurrency = 4

func measure(ctx context.Context, turns int, length time.Duration) (Samples, error) {
	s := Samples{Concurrency: concurrency, For: length, Apart: true}
	// One processor for the generator, one for the server: on two cores they
	// would take more from each other than the agent takes.
	runtime.GOMAXPROCS(1)
	for _, m := range modes {
		s.Modes = append(s.Modes, Mode{Name: m.name})
	}
	for turn := range turns {
		for i := range s.Modes {
			m := &s.Modes[i]
			for _, on := range rand.Perm(2) {
				name, sides := off, &m.Off
				if on == 1 {
					name, sides = m.Name, &m.On
				}
				side, err := once(ctx, name, length)
				if err != nil {
					return s, fmt.Errorf("measure %s: %w", name, err)
				}
				*sides = append(*sides, side)
			}
		}
		fmt.Fprintf(os.Stderr, "turn %d of %d\n", turn+1, turns)
	}
	return s, nil
}

// once starts a server, drives it, and returns what it used.
func once(ctx context.Context, mode string, length time.Duration) (side Side, err error) {
	self, err := os.Executable()
	if err != nil {
		return side, err
	}
	dir, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return side, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, self, "-serve", mode)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return side, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return side, err
	}
	if err := cmd.Start(); err != nil {
		return side, err
	}
	// The server ends when its input does.
	defer func() {
		stdin.Close()
		if ended := cmd.Wait(); err == nil {
			err = ended
		}
		if err == nil && mode == "record" {
			_, err = os.Stat(filepath.Join(dir, recordName)) // else this is the cost of nothing
		}
	}()
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return side, fmt.Errorf("the server says no address: %w", err)
	}
	url = strings.TrimSpace(url)
	o := load.DefaultOptions()
	o.URL, o.Concurrency, o.Warmup, o.Duration = url+"/", concurrency, 2*time.Second, length
	running, err := load.Start(ctx, o)
	if err != nil {
		return side, err
	}
	<-running.Started()
	before, err := cpuOf(ctx, url)
	if err != nil {
		return side, err
	}
	result := running.Wait()
	after, err := cpuOf(ctx, url)
	if err != nil {
		return side, err
	}
	if result.Interrupted || len(result.Errors) > 0 || result.Requests == 0 {
		return side, errors.Join(ctx.Err(), fmt.Errorf("%d requests, errors %v", result.Requests, result.Errors))
	}
	return Side{CPUNs: after - before, Requests: result.Requests}, nil
}

func cpuOf(ctx context.Context, url string) (int64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/cpu", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 100))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}
