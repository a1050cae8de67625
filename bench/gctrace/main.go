// Command gctrace measures whet gc on a long log of the collector beside awk.
//
// It answers how long a log of a million cycles takes, and how much memory, as text and
// as JSON with every cycle, from start to exit. The log is made first, in the form of
// today's Go, with numbers drawn from a fixed seed; whet's sums are held against those of
// the numbers drawn, and awk's, too:
//
//	go run ./bench/gctrace -turns 7 -lines 1000000
//
// There is no peer that reads such a log: gcvis, the last release of which is of 2015 and
// the last change of 2019, expects the number of processors right after the goal, where
// Go has the sizes of stacks and globals since 1.19, and so takes no line for a cycle.
// What awk does is the least that an answer takes: count the cycles, and find the largest
// heap and the sum of the pauses.
//
// It misleads about logs with much else in them, and about cycles of real programs only
// in so far as their numbers have other lengths.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"whet/bench/ledger"
	"whet/internal/quantity"
)

// LogRuns is a log and what each way to read it took, turn by turn.
type LogRuns struct {
	Lines int         `json:"lines"`
	Bytes int64       `json:"bytes"`
	Text  ledger.Runs `json:"whet_text"`
	JSON  ledger.Runs `json:"whet_json"`
	Awk   ledger.Runs `json:"awk"`
}

func main() { ledger.Main("gctrace", run) }

func run(ctx context.Context) error {
	turns := flag.Int("turns", 7, "how often each reads the log")
	lines := flag.Int("lines", 1_000_000, "cycles of the log")
	out := ledger.Flags("gctrace")
	flag.Parse()
	return out.Tabulate(func() error {
		if *turns < 6 {
			return fmt.Errorf("-turns %d: 6 are the fewest with a 95 %% interval", *turns)
		}
		e := ledger.Begin[LogRuns]("bench/gctrace")
		s, err := measure(ctx, *lines, *turns)
		if err != nil {
			return err
		}
		e.Samples = s
		return e.Save(out.Dir, "gctrace")
	}, render)
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[LogRuns](dir, "gctrace")
	if err != nil {
		return "", err
	}
	s := &e.Samples
	t := ledger.Table{Head: []string{"log of " + quantity.Count(float64(s.Lines)) + " cycles, " + quantity.Bytes(float64(s.Bytes)), "time", "CPU", "memory", "its/awk's, CPU", "95 % interval"}}
	for _, r := range []struct {
		name string
		runs ledger.Runs
	}{{"`whet gc`", s.Text}, {"`whet gc -json`, every cycle", s.JSON}, {"`awk`, three sums", s.Awk}} {
		ratio, interval := r.runs.CPUTimes(s.Awk)
		t.Rows = append(t.Rows, []string{r.name, r.runs.Wall(), r.runs.CPU(), r.runs.Memory(), ratio, interval})
	}
	return fmt.Sprintf("%s\n%s; %d turns.\n", t.Markdown(), e.Caption(), len(s.Awk)), nil
}

func measure(ctx context.Context, lines, turns int) (s LogRuns, err error) {
	awk, err := exec.LookPath("awk")
	if err != nil {
		return s, err
	}
	tmp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(tmp)
	whet, _, err := ledger.Programs(ctx, tmp)
	if err != nil {
		return s, err
	}
	log, document := filepath.Join(tmp, "gc.log"), filepath.Join(tmp, "gc.json")
	drawn, err := write(log, lines)
	if err != nil {
		return s, err
	}
	info, err := os.Stat(log)
	if err != nil {
		return s, err
	}
	s.Lines, s.Bytes = lines, info.Size()
	err = ledger.Turns(ctx, turns,
		ledger.Tool{Path: whet, Args: []string{"gc", log}, Runs: &s.Text, Check: func(out []byte) error { return drawn.isText(out) }},
		ledger.Tool{Path: whet, Args: []string{"gc", "-json", "-o", document, log}, Runs: &s.JSON, Check: func([]byte) error { return drawn.isDocument(document) }},
		ledger.Tool{Path: awk, Args: []string{program, log}, Runs: &s.Awk, Check: drawn.isSums})
	return s, err
}

// sums are the sums of a log.
type sums struct {
	cycles   int
	peakMiB  int64
	pausedNs int64
}

// write makes a log: each cycle begins 20 ms after the one before it, which is over by then.
func write(file string, lines int) (s sums, err error) {
	f, err := os.Create(file)
	if err != nil {
		return s, err
	}
	w := bufio.NewWriter(f)
	random := rand.New(rand.NewPCG(1, 2))
	// As the runtime prints times: milliseconds with two significant digits.
	short := []string{"0.004", "0.019", "0.037", "0.12", "0.68", "1.3"}
	long := []string{"0.29", "1.3", "2.5", "7.6", "13"}
	one := func(list []string) string { return list[random.IntN(len(list))] }
	live := int64(20)
	for i := range lines {
		sweep, mark := one(short), one(short)
		for _, pause := range []string{sweep, mark} {
			ms, err := strconv.ParseFloat(pause, 64)
			if err != nil {
				return s, err
			}
			s.pausedNs += int64(math.Round(ms * 1e6))
		}
		// What is alive wanders between 20 and 200 MiB; a cycle begins below its goal, which
		// is twice what was alive.
		goal := 2 * live
		start := goal - random.Int64N(3)
		end := start + random.Int64N(5)
		live = min(max(live+random.Int64N(7)-3, 20), 200)
		s.cycles, s.peakMiB = s.cycles+1, max(s.peakMiB, end)
		fmt.Fprintf(w, "gc %d @%.3fs %d%%: %s+%s+%s ms clock, %s+%s/%s/%s+%s ms cpu, %d->%d->%d MB, %d MB goal, 0 MB stacks, 0 MB globals, 8 P\n",
			i+1, float64(i+1)/50, random.IntN(20), sweep, one(long), mark, one(short), one(short), one(long), one(long), one(short),
			start, end, live, goal)
	}
	return s, errors.Join(w.Flush(), f.Close())
}

// program is awk's.
const program = `/^gc [0-9]+ @/ {
	n++
	split($5, clock, "+"); paused += clock[1] + clock[3]
	split($11, heap, "->"); if (heap[2] + 0 > peak) peak = heap[2] + 0
}
END { printf "%d %d %.3f\n", n, peak, paused }`

func (s *sums) isSums(out []byte) error {
	var n int
	var peak int64
	var ms float64
	if _, err := fmt.Sscan(string(out), &n, &peak, &ms); err != nil {
		return err
	}
	return s.compare(n, peak<<20, int64(math.Round(ms*1e6)))
}

func (s *sums) compare(cycles int, peak, paused int64) error {
	if cycles != s.cycles || peak != s.peakMiB<<20 || paused/1e6 != s.pausedNs/1e6 {
		return fmt.Errorf("%d cycles, at most %d bytes, %d ns of pauses: the log has %d, %d and %d", cycles, peak, paused, s.cycles, s.peakMiB<<20, s.pausedNs)
	}
	return nil
}

func (s *sums) isText(out []byte) error {
	if want := "gctrace log, " + quantity.Plural(s.cycles, "cycle") + " in "; !bytes.Contains(out, []byte(want)) {
		return fmt.Errorf("the text does not have %q", want)
	}
	return nil
}

// isDocument reads the JSON that whet wrote, cycle by cycle: this process is to stay small.
func (s *sums) isDocument(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	var summary struct {
		Cycles int
		Peak   int64 `json:"peak_bytes"`
		Pauses struct {
			Total int64 `json:"total_ns"`
		}
	}
	cycles := 0
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "summary":
			err = d.Decode(&summary)
		case "cycles":
			_, err = d.Token()
			for err == nil && d.More() {
				var c struct{ N int }
				if err = d.Decode(&c); err == nil {
					if cycles++; c.N != cycles {
						return fmt.Errorf("cycle %d has the number %d", cycles, c.N)
					}
				}
			}
			if err == nil {
				_, err = d.Token()
			}
		default:
			var other json.RawMessage
			err = d.Decode(&other)
		}
		if err != nil {
			return err
		}
	}
	if cycles != summary.Cycles {
		return fmt.Errorf("%d cycles are listed, %d counted", cycles, summary.Cycles)
	}
	return s.compare(cycles, summary.Peak, summary.Pauses.Total)
}
