// Command after measures what whet tune costs once the measuring is over: the
// sources, the compiler's answers, the findings and the page.
//
// It runs two builds of whet in turns on packages of the casebook, and sees
// from outside when measuring ends: by the first file that is stored then. It
// answers what whet itself uses from there to its end, in CPU time; the
// compiler's processes stand in a column of their own. It needs Linux's /proc.
//
// It misleads where the machine is so busy that the file is seen late: the part
// before is then missing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// Sample is what one run used after it had measured.
type Sample struct {
	CPUNs       int64 `json:"cpu_ns"`       // of whet itself
	ProcessesNs int64 `json:"processes_ns"` // CPU time of what it started
	WallNs      int64 `json:"wall_ns"`      // to its end
}

// Case is a target, measured by both.
type Case struct {
	Name string   `json:"name"`
	Old  []Sample `json:"old"`
	New  []Sample `json:"new"`
}

// target is what whet tune is told, and the file by which measuring is over.
type target struct {
	name, mark string
	args       []string
}

var targets = []target{
	{"benchmarks of visits/original", "bench/new.txt", []string{"-bench", "Reused", "-run", "^$", "-budget", "6s", "./casebook/visits/original"}},
	{"havlak/original as a program", "profiles/cpu.pb.gz", []string{"-count", "2", "-budget", "6s", "./casebook/cmd/casebook", "--", "-case", "havlak", "-stage", "original"}},
}

func main() { ledger.Main("after", run) }

func run(ctx context.Context) error {
	before := flag.String("old", "", "whet before, a `program`")
	after := flag.String("new", "", "whet after")
	turns := flag.Int("turns", 6, "runs of each")
	out := ledger.Flags("after")
	flag.Parse()
	return out.Tabulate(func() error {
		if *before == "" || *after == "" {
			return errors.New("name the two builds of whet with -old and -new")
		}
		e := ledger.Begin[[]Case]("bench/after")
		for _, t := range targets {
			c := Case{Name: t.name}
			for range *turns {
				for _, side := range []struct {
					whet string
					to   *[]Sample
				}{{*before, &c.Old}, {*after, &c.New}} {
					s, err := t.measure(ctx, side.whet)
					if err != nil {
						return fmt.Errorf("%s: %w", t.name, err)
					}
					*side.to = append(*side.to, s)
				}
			}
			e.Samples = append(e.Samples, c)
		}
		return e.Save(out.Dir, "after")
	}, render)
}

// measure runs whet tune once.
func (t *target) measure(ctx context.Context, whet string) (s Sample, err error) {
	tmp, err := os.MkdirTemp("", "whet-after-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.CommandContext(ctx, whet, append([]string{"tune", "-json", "-no-binary", "-o", filepath.Join(tmp, "x.whet")}, t.args...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return s, err
	}
	defer cmd.Wait()
	var marked time.Time
	var at usage
	for {
		now, err := readUsage(cmd.Process.Pid)
		if err != nil {
			return s, err
		}
		switch {
		case now.ended && marked.IsZero():
			return s, errors.New("it ended without having measured")
		case now.ended:
			return Sample{int64(now.own - at.own), int64(now.started - at.started), int64(time.Since(marked))}, nil
		case marked.IsZero():
			if found, _ := filepath.Glob(filepath.Join(tmp, ".x.whet.tmp-*", filepath.FromSlash(t.mark))); len(found) > 0 {
				marked, at = time.Now(), now
			}
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// usage is what the system says of a process.
type usage struct {
	ended        bool // and nobody has waited for it
	own, started time.Duration
}

func readUsage(pid int) (u usage, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, err
	}
	_, rest, _ := strings.Cut(string(data), ") ") // its name is before that
	f := strings.Fields(rest)
	if len(f) < 15 {
		return u, errors.New("/proc: the line of the process is too short")
	}
	const tick = time.Second / 100
	u.ended = f[0] == "Z"
	for i, to := range []*time.Duration{&u.own, &u.own, &u.started, &u.started} {
		n, err := strconv.ParseInt(f[11+i], 10, 64)
		if err != nil {
			return u, err
		}
		*to += time.Duration(n) * tick
	}
	return u, nil
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Case](dir, "after")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"whet tune, after measuring", "CPU before", "CPU after", "before/after", "95 % interval", "CPU of processes", "time before", "time after", "runs"}}
	for _, c := range e.Samples {
		of := func(samples []Sample, f func(Sample) int64) []float64 {
			var out []float64
			for _, s := range samples {
				out = append(out, float64(f(s)))
			}
			return out
		}
		cpu := func(s Sample) int64 { return s.CPUNs }
		processes := func(s Sample) int64 { return s.ProcessesNs }
		wall := func(s Sample) int64 { return s.WallNs }
		iv := stat.RatioInterval(of(c.Old, cpu), of(c.New, cpu), 0.95)
		t.Rows = append(t.Rows, []string{c.Name, quantity.Nanoseconds(stat.Median(of(c.Old, cpu))), quantity.Nanoseconds(stat.Median(of(c.New, cpu))),
			quantity.Ratio(iv.Center), quantity.Ratio(iv.Low) + " to " + quantity.Ratio(iv.High),
			quantity.Nanoseconds(stat.Median(of(c.Old, processes))) + " and " + quantity.Nanoseconds(stat.Median(of(c.New, processes))),
			quantity.Nanoseconds(stat.Median(of(c.Old, wall))), quantity.Nanoseconds(stat.Median(of(c.New, wall))), fmt.Sprint(len(c.New))})
	}
	return t.Markdown() + "\n" + e.Caption() + ".", nil
}
