package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/finding"
	"whet/internal/recording"
	"whet/internal/symbolname"
)

// measurer holds what the packages share.
type measurer struct {
	tmp  string
	whet string
}

func (m *measurer) prepare(ctx context.Context) error {
	var err error
	if m.tmp, err = os.MkdirTemp("", "whet-strangers-"); err != nil {
		return err
	}
	m.whet = filepath.Join(m.tmp, "whet")
	return ledger.Build(ctx, "./cmd/whet", m.whet)
}

// command runs one command; its standard output goes to out where that is not
// nil. A failure carries the last line it printed.
func command(ctx context.Context, dir string, out *bytes.Buffer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out != nil {
		cmd.Stdout = out
	}
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return fmt.Errorf("%s: %w: %s", filepath.Base(name), err, lines[len(lines)-1])
	}
	return nil
}

// checkout copies the module out of the module cache: whet's user works in a
// tree that can be written to.
func (m *measurer) checkout(ctx context.Context, s *Project) (string, error) {
	dir := filepath.Join(m.tmp, strings.NewReplacer("/", "_").Replace(s.Module))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	var out bytes.Buffer
	if err := command(ctx, m.tmp, &out, "go", "mod", "download", "-json", s.Module+"@"+s.Version); err != nil {
		return "", err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		return "", err
	}
	return dir, command(ctx, dir, nil, "go", "mod", "download")
}

// document is what is read of whet tune -json.
type document struct {
	Warnings []string `json:"warnings"`
	Verdict  struct{ Text, Outcome string }
	Findings []finding.Finding `json:"findings"`
	Module   string            `json:"module"`
	Profiles []struct {
		Kind      string `json:"kind"`
		Benchmark string `json:"benchmark"`
		Classes   []struct {
			Class   string `json:"class"`
			Samples int64  `json:"samples"`
			ValueNs int64  `json:"value_ns"`
		} `json:"classes"`
		TopCum []struct {
			Function string  `json:"function"`
			CumNs    int64   `json:"cum_ns"`
			CumRatio float64 `json:"cum_ratio"`
		} `json:"top_cum"`
	} `json:"profiles"`
}

func (m *measurer) measure(ctx context.Context, s *Project) error {
	dir, err := m.checkout(ctx, s)
	if err != nil {
		return err
	}
	began := time.Now()
	if s.Args == nil {
		err = command(ctx, dir, nil, "go", "test", "-c", "-o", os.DevNull, s.Package)
	} else {
		err = command(ctx, dir, nil, "go", "build", "-o", os.DevNull, s.Package)
	}
	if err != nil {
		return err
	}
	s.BuildNs = int64(time.Since(began))
	args := []string{"tune", s.Package}
	switch {
	case s.URL != "":
		args = append([]string{"tune", s.URL, "--", s.Package}, s.Args...)
	case s.Args != nil:
		args = append(append(args, "--"), s.Args...)
	}
	var text, out bytes.Buffer
	began = time.Now()
	// A benchmark that fails is an error at the end, after the result of the others.
	if err := command(ctx, dir, &text, m.whet, args...); err != nil && !strings.Contains(text.String(), "\nVerdict") {
		return err
	}
	s.TookNs = int64(time.Since(began))
	before, _, found := strings.Cut(text.String(), "\nVerdict")
	if !found {
		return errors.New("there is no verdict in the text")
	}
	s.Lines, s.LinesBefore = strings.Count(text.String(), "\n"), strings.Count(before, "\n")+1
	i := strings.LastIndex(text.String(), "\nrecording  ")
	if i < 0 {
		return errors.New("there is no recording in the text")
	}
	name, _, _ := strings.Cut(text.String()[i+len("\nrecording  "):], "\n")
	rec := filepath.Join(dir, name)
	if s.Bytes, err = size(rec); err != nil {
		return err
	}
	if err := command(ctx, dir, &out, m.whet, "diagnose", "-json", "@"); err != nil {
		return err
	}
	var d document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		return err
	}
	s.Verdict, s.Outcome, s.Findings, s.Warnings, s.BudgetNs = d.Verdict.Text, d.Verdict.Outcome, d.Findings, d.Warnings, budgetOf(rec)
	for _, p := range d.Profiles {
		if p.Kind != "cpu" {
			continue
		}
		s.Profiled = p.Benchmark
		for _, c := range p.Classes {
			if c.Class == "base" {
				s.Samples = c.Samples
			}
		}
		file, err := profileOf(rec, p.Benchmark)
		if err != nil {
			return err
		}
		same, _, err := pprofCum(ctx, rec, file)
		if err != nil {
			return err
		}
		if s.Args != nil { // a program's second run is another one
			return nil
		}
		second, total, err := m.secondProfile(ctx, dir, s)
		if err != nil {
			return err
		}
		s.SecondSamples = total / 1e7 // 10 ms a sample
		benchmark := second[benchmarkFunction(second, s.Profiled)]
		for _, f := range p.TopCum {
			if !strings.HasPrefix(f.Function, d.Module) || strings.Contains(f.Function, ".Benchmark") {
				continue
			}
			s.Same = append(s.Same, Pair{f.Function, f.CumNs, same[f.Function]})
			if benchmark > 0 {
				s.Second = append(s.Second, Share{f.Function, f.CumRatio, float64(second[f.Function]) / float64(benchmark)})
			}
		}
		return nil
	}
	return errors.New("no CPU profile in the document")
}

// size returns what the files of a recording take.
func size(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info os.FileInfo
			if info, err = d.Info(); err == nil {
				total += info.Size()
			}
		}
		return err
	})
	return total, err
}

// budgetOf returns the budget that a recording was planned with.
func budgetOf(rec string) int64 {
	r, err := recording.Open(rec)
	if err != nil {
		return 0
	}
	defer r.Close()
	return r.Plan.BudgetNs
}

// profileOf returns the file of a benchmark's CPU profile in a recording.
func profileOf(rec, benchmark string) (string, error) {
	r, err := recording.Open(rec)
	if err != nil {
		return "", err
	}
	defer r.Close()
	for _, a := range r.Find(recording.KindCPU, benchmark) {
		return filepath.FromSlash(a.Path), nil
	}
	return "", fmt.Errorf("no CPU profile of %s", benchmark)
}

// benchmarkFunction returns the benchmark's own function among those of a profile:
// the deepest literal of it that holds samples, so that set-up around a
// sub-benchmark does not count.
func benchmarkFunction(cum map[string]int64, name string) string {
	top, _, _ := strings.Cut(name, "/")
	best := ""
	for f, v := range cum {
		at := strings.Index(f, "."+top)
		if at < 0 {
			continue
		}
		if rest := f[at+1+len(top):]; rest != "" && rest[0] != '.' {
			continue
		}
		if best == "" || v > cum[best] || v == cum[best] && f < best {
			best = f
		}
	}
	return best
}

// secondProfile lets go test record the benchmark by itself.
func (m *measurer) secondProfile(ctx context.Context, dir string, s *Project) (map[string]int64, int64, error) {
	file := filepath.Join(m.tmp, "second.cpu.pb.gz")
	parts := strings.Split(s.Profiled, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	err := command(ctx, dir, nil, "go", "test", "-run", "^$", "-bench", strings.Join(parts, "/"), "-benchtime", "4s", "-cpuprofile", file, "-o", filepath.Join(m.tmp, "second.test"), s.Package)
	if err != nil {
		return nil, 0, err
	}
	return pprofCum(ctx, m.tmp, "second.cpu.pb.gz")
}

// pprofCum asks go tool pprof for every function's cum in a profile, by the name
// without type arguments. Instantiations have a row each there and are added up, which
// is too much only where one of them calls another.
func pprofCum(ctx context.Context, dir, file string) (cum map[string]int64, total int64, err error) {
	var out bytes.Buffer
	if err := command(ctx, dir, &out, "go", "tool", "pprof", "-top", "-cum", "-unit=ns", "-nodefraction=0", "-nodecount=100000", file); err != nil {
		return nil, 0, err
	}
	cum = make(map[string]int64)
	for line := range strings.Lines(out.String()) {
		// flat flat% sum% cum cum% function [(inline)]
		f := strings.Fields(line)
		if len(f) < 6 {
			continue
		}
		v, err := strconv.ParseInt(strings.TrimSuffix(f[3], "ns"), 10, 64)
		if err != nil {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(strings.Join(f[5:], " "), " (inline)"), " (partial-inline)")
		cum[symbolname.Elide(name)] += v
		total = max(total, v)
	}
	return cum, total, nil
}
