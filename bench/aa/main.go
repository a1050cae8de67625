// Command aa compares code with itself by whet prove, many times.
//
// It answers how often equal code is called faster or slower, which is what
// alpha promises a bound on, and how much two builds of the same source
// differ. Its input is the package bench/aa/work, once as it is and once
// copied to another import path; -for bounds its time.
//
// It misleads about other kinds of code: four small benchmarks on one machine
// bound the method's error there, not everywhere.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/analyze/compare"
	"whet/internal/prove/benchmarks"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// Proof is a run of whet prove.
type Proof struct {
	Mode   string        `json:"mode"` // "same" or "copy"
	Seed   uint64        `json:"seed"`
	Rounds int           `json:"rounds"`
	Load   *float64      `json:"load"` // before the run; null: unknown
	Rows   []compare.Row `json:"rows"` // of time
}

const (
	same   = "same"
	copied = "copy"
)

var modes = []struct{ name, title string }{
	{same, "the same package"},
	{copied, "a copy of the package"},
}

func main() { ledger.Main("aa", run) }

func run(ctx context.Context) error {
	total := flag.Duration("for", 10*time.Minute, "measure as often as fits into this `time`")
	budget := flag.Duration("budget", 20*time.Second, "budget of one proof")
	out := ledger.Flags("aa")
	flag.Parse()
	return out.Tabulate(func() error {
		e := ledger.Begin[[]Proof]("bench/aa")
		proofs, err := measure(ctx, filepath.Join(out.Dir, "aa", "work"), *total, *budget)
		if err != nil {
			return err
		}
		e.Samples = proofs
		return e.Save(out.Dir, "aa")
	}, render)
}

// measure proves in turns of the modes until the time is over. What was
// measured before an interrupt counts; an interrupted proof does not.
func measure(ctx context.Context, work string, total, budget time.Duration) ([]Proof, error) {
	tmp, err := os.MkdirTemp("", "whet-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if err := module(tmp, work); err != nil {
		return nil, err
	}
	var proofs []Proof
	end := time.Now().Add(total)
	for ctx.Err() == nil && time.Now().Add(budget).Before(end) {
		for _, m := range modes {
			o := benchmarks.DefaultOptions()
			o.Dir, o.Old, o.New, o.Budget = tmp, "./first", "./first", budget
			o.AA = true
			if m.name == copied {
				o.New = "./other"
			}
			res, err := benchmarks.Run(ctx, o)
			if err != nil {
				return nil, err
			}
			if res.Interrupted {
				break
			}
			p := Proof{Mode: m.name, Seed: res.Seed, Rounds: res.RoundsPlanned, Load: res.Host.LoadStart}
			for _, r := range res.Benchmarks {
				if r.Metric == compare.NsPerOp {
					p.Rows = append(p.Rows, r)
				}
			}
			proofs = append(proofs, p)
			fmt.Fprintf(os.Stderr, "%3d %s: %s\n", len(proofs), m.name, res.Verdict.Text)
		}
	}
	if len(proofs) == 0 {
		return nil, errors.New("no proof ended in time: give more with -for")
	}
	return proofs, nil
}

// module writes a module with the package twice, under paths of one length.
func module(dir, work string) error {
	files, err := filepath.Glob(filepath.Join(work, "*.go"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("there is no package in %s: run from the repository's root", work)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/aa\n\ngo 1.26\n"), 0o644); err != nil {
		return err
	}
	for _, pkg := range []string{"first", "other"} {
		if err := os.Mkdir(filepath.Join(dir, pkg), 0o755); err != nil {
			return err
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, pkg, filepath.Base(f)), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Proof](dir, "aa")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"new is", "proofs", "with a false verdict", "at most (95 %)", "benchmarks compared", "called different", "no change", "cannot tell", "largest difference of the medians", "median noise"}}
	for _, m := range modes {
		c := count(e.Samples, m.name)
		if c.proofs == 0 {
			continue
		}
		t.Rows = append(t.Rows, []string{
			m.title, quantity.Count(float64(c.proofs)), quantity.Count(float64(c.wrong)), quantity.Percent(stat.ShareUpper(c.wrong, c.proofs, 0.95)),
			quantity.Count(float64(c.rows)), quantity.Count(float64(c.different)), quantity.Count(float64(c.noChange)), quantity.Count(float64(c.cannotTell)),
			quantity.Percent(c.largest), "±" + quantity.Percent(stat.Median(c.noise)),
		})
	}
	return t.Markdown() + "\n" + e.Caption() + "." + details(e.Samples) + "\n", nil
}

type counts struct {
	proofs, wrong, rows, different, noChange, cannotTell int
	largest                                              float64
	noise                                                []float64
}

func count(proofs []Proof, mode string) counts {
	var c counts
	for _, p := range proofs {
		if p.Mode != mode {
			continue
		}
		c.proofs++
		before := c.different
		for _, r := range p.Rows {
			c.rows++
			switch r.Verdict {
			case compare.Faster, compare.Slower:
				c.different++
			case compare.NoChange:
				c.noChange++
			default:
				c.cannotTell++
			}
			c.largest = max(c.largest, math.Abs(math.Log(r.Ratio)))
			if r.NoiseRatio != nil {
				c.noise = append(c.noise, *r.NoiseRatio)
			}
		}
		if c.different > before {
			c.wrong++
		}
	}
	c.largest = math.Expm1(c.largest)
	return c
}

// details names every benchmark that was called different.
func details(proofs []Proof) string {
	var out []string
	for _, p := range proofs {
		for _, r := range p.Rows {
			if r.Verdict == compare.Faster || r.Verdict == compare.Slower {
				out = append(out, fmt.Sprintf("%s (%s, seed %d): %s, %s to %s", r.Name, p.Mode, p.Seed, r.Verdict, compare.PrintRatio(r.RatioLow), compare.PrintRatio(r.RatioHigh)))
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "\n\nCalled different:\n\n- " + strings.Join(out, "\n- ")
}
