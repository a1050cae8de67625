// Command escape measures what whet escape costs beside a plain build of the same
// packages, with what they import from the build cache:
//
//	go run ./bench/escape
//
// It also asks the go command alone for what whet escape asks it for, -m=2 and the
// compiler's JSON, and for -m and JSON: what the compiler takes for saying it, and what
// could be had for less. All compile the same packages anew, in turns, in an order drawn
// by lot, from start to exit: each turn of each has a compiler flag of its own that
// changes nothing, so that nothing comes from the cache.
//
// It misleads about time where a machine has processors to spare: with -m of either kind
// the compiler compiles one function at a time, without it as many as there are
// processors. CPU time does not depend on that. Each turn of each leaves a compiled copy
// of the packages in the build cache, which the go command drops after days.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"whet/bench/ledger"
)

// Work is what was compiled, turn by turn.
type Work struct {
	Packages []string    `json:"packages"`
	Plain    ledger.Runs `json:"plain"`
	Escape   ledger.Runs `json:"escape"`
	M2JSON   ledger.Runs `json:"m2_json"` // the go command with -m=2 and JSON
	MJSON    ledger.Runs `json:"m_json"`  // with -m and JSON
}

var works = [][]string{
	{"encoding/json"},
	{"net/http"},
	{"whet/internal/app", "whet/internal/capture/compiler", "whet/internal/diagnose", "whet/internal/load", "whet/internal/tune"},
}

func main() { ledger.Main("escape", run) }

func run(ctx context.Context) error {
	turns := flag.Int("turns", 5, "how often each compiles the packages")
	out := ledger.Flags("escape")
	flag.Parse()
	return out.Tabulate(func() error {
		if *turns < 1 {
			return fmt.Errorf("-turns %d: one is the fewest", *turns)
		}
		e := ledger.Begin[[]Work]("bench/escape")
		tmp, err := os.MkdirTemp("", "whet-bench-escape-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		whet, _, err := ledger.Programs(ctx, tmp)
		if err != nil {
			return err
		}
		for _, packages := range works {
			w := Work{Packages: packages}
			if err := w.measure(ctx, *turns, whet, tmp); err != nil {
				return err
			}
			// What was measured is kept, whatever becomes of the rest.
			e.Samples = append(e.Samples, w)
			if err := e.Save(out.Dir, "escape"); err != nil {
				return err
			}
		}
		return nil
	}, render)
}

func (w *Work) measure(ctx context.Context, turns int, whet, tmp string) error {
	n := 0
	// ask compiles the packages with the go command and flags for the compiler, in which
	// LOG is a new directory.
	ask := func(command []string, flags string) func() []string {
		return func() []string {
			n++
			log := filepath.Join(tmp, fmt.Sprint(n))
			args := append([]string(nil), command...)
			for _, p := range w.Packages {
				args = append(args, "-gcflags="+p+"="+strings.ReplaceAll(flags, "LOG", log))
			}
			return append(args, w.Packages...)
		}
	}
	list := []string{"list", "-export", "-f", ""}
	nothing := func(stdout []byte) error { return nil }
	says := func(stdout []byte) error {
		if !strings.Contains(string(stdout), "escape") {
			return errors.New("it says of no value that it escapes")
		}
		return nil
	}
	return ledger.Turns(ctx, turns,
		// The compiler looks at the suffix of directories only where it is told of none.
		ledger.Tool{Path: "go", Fresh: ask([]string{"build"}, "-installsuffix=LOG"), Check: nothing, Runs: &w.Plain},
		ledger.Tool{Path: whet, Args: append([]string{"escape"}, w.Packages...), Check: says, Runs: &w.Escape},
		ledger.Tool{Path: "go", Fresh: ask(list, "-m=2 -json=0,LOG"), Check: nothing, Runs: &w.M2JSON},
		ledger.Tool{Path: "go", Fresh: ask(list, "-m -json=0,LOG"), Check: nothing, Runs: &w.MJSON})
}

// render makes the text of the README from the kept samples.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Work](dir, "escape")
	if err != nil {
		return "", err
	}
	t := ledger.Table{Head: []string{"packages", "build", "CPU", "whet escape", "CPU", "escape/build, time", "its interval", "CPU", "its interval", "-m=2 and JSON/build, CPU", "-m and JSON/build, CPU", "turns"}}
	for _, w := range e.Samples {
		time, interval := w.Escape.Times(w.Plain)
		cpu, cpuInterval := w.Escape.CPUTimes(w.Plain)
		m2, _ := w.M2JSON.CPUTimes(w.Plain)
		m, _ := w.MJSON.CPUTimes(w.Plain)
		t.Rows = append(t.Rows, []string{strings.Join(w.Packages, " "), w.Plain.Wall(), w.Plain.CPU(), w.Escape.Wall(), w.Escape.CPU(),
			time, interval, cpu, cpuInterval, m2, m, fmt.Sprint(len(w.Plain))})
	}
	return t.Markdown() + "\n" + e.Caption() + ".", nil
}
