// Command strangers runs whet tune, as a newcomer would, on packages of
// modules that are not ours, and holds what it says against go tool pprof.
//
// For each package it fetches the module at its pinned version, works on a
// copy, runs whet tune with nothing but the package (a program has its arguments),
// notes what a newcomer meets, and then asks pprof twice about the costliest: about the
// very profile that whet recorded, where the figures of the package's own
// functions have to be equal, and about a second profile that go test records
// by itself, where the shares have to agree within the sampling error.
//
// It misleads where the machine is busy: the two profiles are then of
// different circumstances. Whether a finding is right is a reader's judgement,
// kept beside the samples in judgements.json; a row without one says so.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/finding"
	"whet/internal/quantity"
)

// packages are what is tried: ten packages with five benchmarks at least, two programs
// and two services. The SHA-256 of each module's path begins with a digit from 0 to 7.
var packages = []Project{
	{Module: "github.com/go-chi/chi/v5", Version: "v5.5.0", Package: "."},
	{Module: "github.com/bits-and-blooms/bitset", Version: "v1.8.0", Package: "."},
	{Module: "github.com/rs/zerolog", Version: "v1.35.1", Package: "."},
	{Module: "github.com/PuerkitoBio/goquery", Version: "v1.9.0", Package: "."},
	{Module: "github.com/klauspost/compress", Version: "v1.20.3", Package: "./zstd"},
	{Module: "github.com/google/uuid", Version: "v1.1.3", Package: "."},
	{Module: "github.com/holiman/uint256", Version: "v1.3.2", Package: "."},
	{Module: "github.com/expr-lang/expr", Version: "v1.17.8", Package: "."},
	{Module: "go.uber.org/zap", Version: "v1.28.0", Package: "."},
	{Module: "golang.org/x/text", Version: "v0.43.0", Package: "./language"},
	{Module: "github.com/itchyny/gojq", Version: "v0.12.7", Package: "./cmd/gojq", Args: []string{"-n", "[range(200000)] | map(. * 2) | add"}},
	{Module: "github.com/pelletier/go-toml/v2", Version: "v2.2.4", Package: "./cmd/tomljson", Args: []string{"benchmark/benchmark.toml"}},
	{Module: "github.com/mccutchen/go-httpbin/v2", Version: "v2.26.0", Package: "./cmd/go-httpbin", Args: []string{"-host", "127.0.0.1", "-port", "18371"}, URL: "http://127.0.0.1:18371/json"},
	{Module: "github.com/prometheus/node_exporter", Version: "v1.12.1", Package: ".", Args: []string{"--web.listen-address=127.0.0.1:18372"}, URL: "http://127.0.0.1:18372/metrics"},
}

// Project is a package and what both tools said of it.
type Project struct {
	Module  string   `json:"module"`
	Version string   `json:"version"`
	Package string   `json:"package"`
	Args    []string `json:"args,omitempty"` // of a program; nil: benchmarks
	URL     string   `json:"url,omitempty"`  // of a service

	Failure string `json:"failure,omitempty"`
	// What a newcomer meets: how long building takes when it is done before, how long
	// whet took in all, lines of text in all and before the verdict, and the size of
	// the recording.
	BuildNs     int64  `json:"build_ns"`
	TookNs      int64  `json:"took_ns"`
	BudgetNs    int64  `json:"budget_ns"`
	Lines       int    `json:"lines"`
	LinesBefore int    `json:"lines_before"`
	Bytes       int64  `json:"recording_bytes"`
	Outcome     string `json:"outcome"`

	Profiled string            `json:"profiled"` // the benchmark compared
	Samples  int64             `json:"samples"`  // of the base
	Verdict  string            `json:"verdict"`
	Warnings []string          `json:"warnings"`
	Findings []finding.Finding `json:"findings"`
	Below    int               `json:"below"` // findings under the threshold
	// Same are the package's own functions in the recorded profile, as whet
	// and as pprof add them up.
	Same []Pair `json:"same"`
	// Second are the shares of the same functions in whet's base and in the
	// profile that go test recorded.
	Second        []Share `json:"second"`
	SecondSamples int64   `json:"second_samples"`
}

// Pair is a function's cum by both tools.
type Pair struct {
	Function string `json:"function"`
	WhetNs   int64  `json:"whet_ns"`
	PprofNs  int64  `json:"pprof_ns"`
}

// Share is a function's cum share in two profiles.
type Share struct {
	Function   string  `json:"function"`
	WhetRatio  float64 `json:"whet_ratio"`
	PprofRatio float64 `json:"pprof_ratio"`
}

func main() { ledger.Main("strangers", run) }

func run(ctx context.Context) error {
	only := flag.String("only", "", "only the modules whose path holds this")
	out := ledger.Flags("strangers")
	flag.Parse()
	return out.Tabulate(func() error {
		e := ledger.Begin[[]Project]("bench/strangers")
		m := measurer{}
		if err := m.prepare(ctx); err != nil {
			return err
		}
		defer os.RemoveAll(m.tmp)
		before, err := ledger.Load[[]Project](out.Dir, "strangers")
		if err != nil && *only != "" {
			return err
		}
		for _, s := range packages {
			if !strings.Contains(s.Module, *only) {
				for _, b := range before.Samples { // as they were measured before
					if b.Module == s.Module && b.Package == s.Package {
						e.Samples = append(e.Samples, b)
					}
				}
				continue
			}
			fmt.Fprintf(os.Stderr, "%s %s\n", s.Module, s.Package)
			if err := m.measure(ctx, &s); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				s.Failure = strings.ReplaceAll(err.Error(), m.tmp, "…")
			}
			e.Samples = append(e.Samples, s)
		}
		return e.Save(out.Dir, "strangers")
	}, render)
}

// render makes the text of the README from the kept samples and judgements.
func render(dir string) (string, error) {
	e, err := ledger.Load[[]Project](dir, "strangers")
	if err != nil {
		return "", err
	}
	judgements := make(map[string]string)
	data, err := os.ReadFile(filepath.Join(dir, "strangers", "judgements.json"))
	if err == nil {
		err = json.Unmarshal(data, &judgements)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	t := ledger.Table{Head: []string{"package", "time over budget and build", "samples", "lines, before the verdict", "recording", "outcome", "whet says", "pprof, same file", "pprof, its own run", "judgement"}}
	late, few, large := 0, 0, 0
	for _, s := range e.Samples {
		name := strings.TrimSuffix(s.Module+strings.TrimPrefix(s.Package, "."), "/") + " " + s.Version
		judgement := judgements[name]
		if judgement == "" {
			judgement = "not judged yet"
		}
		if s.Failure != "" {
			t.Rows = append(t.Rows, []string{name, "", "", "", "", "", "failed: " + s.Failure, "", "", judgement})
			continue
		}
		over := time.Duration(s.TookNs - s.BudgetNs - s.BuildNs)
		if over > 20*time.Second {
			late++
		}
		if s.Outcome == "too-few-samples" {
			few++
		}
		if s.Bytes > 10<<20 {
			large++
		}
		t.Rows = append(t.Rows, []string{name, fmt.Sprintf("%.1f s", over.Seconds()), quantity.Count(float64(s.Samples)), fmt.Sprintf("%d, %d", s.Lines, s.LinesBefore), quantity.Bytes(float64(s.Bytes)),
			s.Outcome, said(&s), agreement(s.Same), shares(&s), judgement})
	}
	sum := fmt.Sprintf("Of %d: %d with too few samples, %d more than 20 s over build and budget, %d recordings of more than 10 MiB.\n\n", len(e.Samples), few, late, large)
	return sum + t.Markdown() + "\n" + e.Caption() + ".", nil
}

// said is whet's verdict and findings in a cell.
func said(s *Project) string {
	out := []string{s.Verdict}
	for _, f := range s.Findings {
		out = append(out, fmt.Sprintf("`%s` at %s:%d (%s of CPU, %s of bytes)", f.Rule, f.File, f.Line, quantity.Percent(f.CPURatio), quantity.Percent(f.AllocBytesRatio)))
	}
	return strings.Join(out, "; ")
}

func agreement(same []Pair) string {
	equal := 0
	for _, p := range same {
		if p.WhetNs == p.PprofNs {
			equal++
		}
	}
	return fmt.Sprintf("%d of %d functions equal", equal, len(same))
}

// shares lists the heaviest functions in both profiles.
func shares(s *Project) string {
	var out []string
	for _, f := range s.Second[:min(len(s.Second), 2)] {
		out = append(out, fmt.Sprintf("%s %s, whet %s", f.Function[strings.LastIndex(f.Function, "/")+1:], quantity.Percent(f.PprofRatio), quantity.Percent(f.WhetRatio)))
	}
	return strings.Join(out, "; ")
}
