// Command steady asks whether whet names the same place first each time it
// looks at the same program.
//
// It lets whet tune record the first stages of five of the casebook's programs
// again and again, each with all its benchmarks, and counts how often the first of hot_places is the one that
// is first most often. A place is the same if function and file are, and the
// line is among the lines of either. A recording with fewer than 200 samples is
// made again, with twice the budget.
//
// It misleads where the machine is so busy with something else that this does
// not help either: the column of the fewest samples says so. And what a place is
// worth in several benchmarks together depends on how long each was recorded.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"whet/bench/ledger"
	"whet/internal/finding"
	"whet/internal/quantity"
)

var programs = []string{"visits", "stats", "havlak", "gateway", "avatar"}

// enough is the fewest samples of a recording that counts.
const enough = 200

// Recording is what whet said of one recording.
type Recording struct {
	Program string     `json:"program"`
	Samples int64      `json:"samples"` // of the base's CPU time
	Places  []HotPlace `json:"places"`  // the first two
}

// HotPlace is what is compared of a hot place.
type HotPlace struct {
	Function   string  `json:"function"`
	File       string  `json:"file"`
	Line       int     `json:"line"`
	Lines      []int   `json:"lines"`
	WorthRatio float64 `json:"worth_ratio"`
}

func (p *HotPlace) same(q *HotPlace) bool {
	return p.Function == q.Function && p.File == q.File && (slices.Contains(p.Lines, q.Line) || slices.Contains(q.Lines, p.Line))
}

func main() { ledger.Main("steady", run) }

func run(ctx context.Context) error {
	budget := flag.Duration("budget", 20*time.Second, "whet tune's budget for each recording")
	repeat := flag.Int("repeat", 10, "recordings of each program")
	out := ledger.Flags("steady")
	flag.Parse()
	return out.Tabulate(func() error { return measure(ctx, out.Dir, *budget, *repeat) }, render)
}

// measure takes the programs in turns, and keeps what it has after each.
func measure(ctx context.Context, dir string, budget time.Duration, repeat int) error {
	tmp, err := os.MkdirTemp("", "whet-steady-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	whet := filepath.Join(tmp, "whet")
	if err := ledger.Build(ctx, "./cmd/whet", whet); err != nil {
		return err
	}
	e := ledger.Begin[[]Recording]("bench/steady")
	for n := range repeat {
		for _, program := range programs {
			fmt.Fprintln(os.Stderr, n+1, program)
			var r Recording
			var err error
			for try := range 3 {
				r, err = record(ctx, whet, tmp, program, budget<<try)
				if ctx.Err() != nil || err == nil && r.Samples >= enough {
					break
				}
				fmt.Fprintln(os.Stderr, program, r.Samples, err)
			}
			if err != nil {
				return err
			}
			e.Samples = append(e.Samples, r)
			if err := e.Save(dir, "steady"); err != nil {
				return err
			}
		}
	}
	return nil
}

// record lets whet tune measure a program, and reads what it says.
func record(ctx context.Context, whet, tmp, program string, budget time.Duration) (Recording, error) {
	cmd := exec.CommandContext(ctx, whet, "tune", "-json", "-o", filepath.Join(tmp, "one.whet"), "-budget", budget.String(), "./casebook/"+program+"/original")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		lines := bytes.Split(bytes.TrimSpace(errs.Bytes()), []byte("\n"))
		return Recording{}, fmt.Errorf("whet tune of %s: %w: %s", program, err, lines[len(lines)-1])
	}
	return read(program, out)
}

func read(program string, document []byte) (Recording, error) {
	var d struct {
		HotPlaces []finding.HotPlace `json:"hot_places"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return Recording{}, fmt.Errorf("whet tune -json of %s: %w", program, err)
	}
	r := Recording{Program: program}
	for _, p := range d.HotPlaces[:min(len(d.HotPlaces), 2)] {
		r.Samples = p.CPUSamples
		r.Places = append(r.Places, HotPlace{p.Function, p.File, p.Line, p.Lines, p.WorthRatio})
	}
	return r, nil
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Recording](dir, "steady")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"program", "same place first", "it is", "its worth", "worth of the second", "fewest samples"}}
	for _, program := range programs {
		var of []Recording
		for _, r := range e.Samples {
			if r.Program == program {
				of = append(of, r)
			}
		}
		if len(of) > 0 {
			t.Rows = append(t.Rows, row(program, of))
		}
	}
	return t.Markdown() + "\n" + e.Caption() + ".", nil
}

func row(program string, of []Recording) []string {
	var most []Recording // that have one place first
	for i := range of {
		var alike []Recording
		for j := range of {
			if len(of[i].Places) > 0 && len(of[j].Places) > 0 && of[i].Places[0].same(&of[j].Places[0]) {
				alike = append(alike, of[j])
			}
		}
		if len(alike) > len(most) {
			most = alike
		}
	}
	at := "–"
	if len(most) > 0 {
		at = fmt.Sprintf("%s:%d", most[0].Places[0].File, most[0].Places[0].Line)
	}
	fewest := slices.MinFunc(of, func(a, b Recording) int { return cmp.Compare(a.Samples, b.Samples) })
	return []string{program, fmt.Sprintf("%d of %d", len(most), len(of)), at, worth(most, 0), worth(most, 1), quantity.Count(float64(fewest.Samples))}
}

// worth returns the range of what the first or the second place is worth.
func worth(of []Recording, rank int) string {
	var all []float64
	for _, r := range of {
		if rank < len(r.Places) {
			all = append(all, r.Places[rank].WorthRatio)
		}
	}
	if len(all) == 0 {
		return "–"
	}
	return quantity.Percent(slices.Min(all)) + " to " + quantity.Percent(slices.Max(all))
}
