// Command visits measures how far the casebook's visit counter came: whet
// prove of its first stage against each later one, in one run.
//
// It answers whether the best stage keeps the ratio it promises, by the same
// procedure that a user of whet prove gets. It misleads where the machine is
// busy: the interval is then wide, and its noise column says so.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/quantity"
)

var stages = []string{"fprintf", "pool", "logbuf", "zerolog", "appended", "final", "best"}

// Proof is what whet prove said of the first stage against one other.
type Proof struct {
	Stage  string          `json:"stage"`
	Result json.RawMessage `json:"result"` // whet prove -json, whole
}

// row is what the table shows of a benchmark.
type row struct {
	Name      string   `json:"name"`
	Metric    string   `json:"metric"`
	Verdict   string   `json:"verdict"`
	Ratio     float64  `json:"ratio"`
	Low       float64  `json:"ratio_low"`
	High      float64  `json:"ratio_high"`
	Noise     *float64 `json:"noise_ratio"`
	Rounds    int      `json:"rounds"`
	AllocsOld float64  `json:"allocs_old"`
	AllocsNew float64  `json:"allocs_new"`
}

func main() { ledger.Main("visits", run) }

func run(ctx context.Context) error {
	budget := flag.Duration("budget", time.Minute, "whet prove's budget for each stage")
	out := ledger.Flags("visits")
	flag.Parse()
	return out.Tabulate(func() error {
		e := ledger.Begin[[]Proof]("bench/visits")
		proofs, err := measure(ctx, *budget)
		if err != nil {
			return err
		}
		e.Samples = proofs
		return e.Save(out.Dir, "visits")
	}, render)
}

func measure(ctx context.Context, budget time.Duration) ([]Proof, error) {
	tmp, err := os.MkdirTemp("", "whet-visits-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	whet := filepath.Join(tmp, "whet")
	if err := ledger.Build(ctx, "./cmd/whet", whet); err != nil {
		return nil, err
	}
	var proofs []Proof
	for _, stage := range stages {
		fmt.Fprintln(os.Stderr, stage)
		cmd := exec.CommandContext(ctx, whet, "prove", "-json", "-budget", budget.String(), "./casebook/visits/original", "./casebook/visits/"+stage)
		out, err := cmd.Output()
		// 1 and 4 are verdicts: the fprintf stage is slower in some years.
		if code := cmd.ProcessState.ExitCode(); err != nil && code != 1 && code != 4 {
			return nil, fmt.Errorf("whet prove of %s: %w", stage, err)
		}
		proofs = append(proofs, Proof{stage, out})
	}
	return proofs, nil
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Proof](dir, "visits")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"original against", "benchmark", "original/stage, time", "interval", "noise (95 %)", "verdict", "rounds", "allocations"}}
	for _, p := range e.Samples {
		var result struct {
			Benchmarks []row `json:"benchmarks"`
		}
		if err := json.Unmarshal(p.Result, &result); err != nil {
			return "", fmt.Errorf("%s: %w", p.Stage, err)
		}
		for _, r := range result.Benchmarks {
			if r.Metric != "ns/op" {
				continue
			}
			noise := "–"
			if r.Noise != nil {
				noise = "±" + quantity.Percent(*r.Noise)
			}
			t.Rows = append(t.Rows, []string{p.Stage, strings.TrimPrefix(r.Name, "Benchmark"), quantity.Ratio(r.Ratio),
				quantity.Ratio(r.Low) + " to " + quantity.Ratio(r.High), noise, r.Verdict, fmt.Sprint(r.Rounds), fmt.Sprintf("%g → %g", r.AllocsOld, r.AllocsNew)})
		}
	}
	return t.Markdown() + "\n" + e.Caption() + ".", nil
}
