// Command knowledge measures what the remedies of whet's rows of knowledge gain.
//
// It answers, of each row, how long its example takes before and after and what it
// allocates: it writes both as functions of a package, checks that they return the
// same, and benchmarks one after the other in turns. What it finds goes to
// internal/diagnose/knowledge/gains.jsonl, from where findings and docs/rules.md have
// it; rows that gain too little are listed at the end, to be deleted.
//
//	go run ./bench/knowledge
//	go run ./bench/knowledge -row strings
//
// It misleads about programs whose arguments are much larger or smaller than the
// example's.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/diagnose/knowledge"
	"whet/internal/diagnose/rules"
	"whet/internal/format/benchmark"
	"whet/internal/stat"
)

const gains = "internal/diagnose/knowledge/gains.jsonl"

// Samples are what one row's benchmarks said, turn by turn.
type Samples struct {
	Row    string `json:"row"`
	Before Side   `json:"before"`
	After  Side   `json:"after"`
}

// Side is one of the two.
type Side struct {
	Ns     []float64 `json:"ns"` // of a call
	Bytes  float64   `json:"bytes"`
	Allocs float64   `json:"allocs"`
}

func main() { ledger.Main("knowledge", run) }

func run(ctx context.Context) error {
	turns := flag.Int("turns", 9, "how often each is measured")
	long := flag.String("benchtime", "20ms", "how long, each time")
	match := flag.String("row", "", "only the rows whose id matches this `pattern`; the others keep their figures")
	keep := flag.String("keep", "", "write the benchmarks to this directory, and leave them there")
	flag.Parse()
	only, err := regexp.Compile(*match)
	if err != nil {
		return fmt.Errorf("-row: %w", err)
	}
	if *turns < 6 {
		return fmt.Errorf("-turns %d: 6 are the fewest with a 95 %% interval", *turns)
	}
	rows := slices.DeleteFunc(rules.Rows(), func(r knowledge.Row) bool { return !only.MatchString(r.ID) })
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "whet-knowledge-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	program, err := build(ctx, dir, rows)
	if err != nil {
		return err
	}
	e := ledger.Begin[[]Samples]("bench/knowledge")
	measured := make(map[string]*Samples)
	for turn := range *turns {
		fmt.Fprintf(os.Stderr, "\rturn %d of %d", turn+1, *turns)
		if err := measure(ctx, program, *long, measured); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr)
	for _, r := range rows {
		s := measured[r.ID]
		if s == nil || len(s.Before.Ns) != *turns || len(s.After.Ns) != *turns {
			return fmt.Errorf("%s: it has no figures of all %d turns", r.ID, *turns)
		}
		e.Samples = append(e.Samples, *s)
	}
	return publish(e, rows)
}

// build writes a package for each row and a test program of all of them, and
// compiles it.
func build(ctx context.Context, dir string, rows []knowledge.Row) (program string, err error) {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("bench/knowledge/modules", name))
		if err != nil {
			return "", fmt.Errorf("%w: run it in whet's directory", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return "", err
		}
	}
	var imports, list strings.Builder
	for i, r := range rows {
		src, err := source(&r)
		if err != nil {
			return "", fmt.Errorf("%s: %w", r.ID, err)
		}
		pkg := filepath.Join(dir, "rows", strings.ReplaceAll(r.ID, "-", "_"))
		if err := os.MkdirAll(pkg, 0o755); err != nil {
			return "", err
		}
		for name, text := range src {
			if err := os.WriteFile(filepath.Join(pkg, name), []byte(text), 0o644); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(&imports, "import r%d \"rows/rows/%s\"\n", i, filepath.Base(pkg))
		fmt.Fprintf(&list, "\t{%q, r%d.Bench, r%d.Same},\n", r.ID, i, i)
	}
	test := fmt.Sprintf(`package rows

import "testing"
%s
var rows = []struct {
	id    string
	bench func(*testing.B)
	same  func() (before, after any, same bool)
}{
%s}

func TestSame(t *testing.T) {
	for _, r := range rows {
		if before, after, same := r.same(); !same {
			t.Errorf("%%s: %%#v before, %%#v after", r.id, before, after)
		}
	}
}

func BenchmarkRow(b *testing.B) {
	for _, r := range rows {
		b.Run(r.id, r.bench)
	}
}
`, &imports, &list)
	if err := os.WriteFile(filepath.Join(dir, "rows_test.go"), []byte(test), 0o644); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "rows.test")
	for _, args := range [][]string{{"go", "test", "-c", "-o", program, "."}, {program, "-test.run", "TestSame"}} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w:\n%s", err, out)
		}
	}
	return program, nil
}

// source returns the package of a row, by files.
func source(r *knowledge.Row) (map[string]string, error) {
	e := &r.Example
	files := make(map[string]string)
	for _, side := range []struct{ name, body string }{{"Before", e.Before}, {"After", e.After}} {
		decls := *e
		if side.name == "After" {
			decls.Decls = "" // they are in the other file
		}
		src, err := decls.Source("row", side.name, side.body)
		if err != nil {
			return nil, err
		}
		files[strings.ToLower(side.name)+".go"] = strings.Replace(src, "\nfunc "+side.name+"(", "\n//go:noinline\nfunc "+side.name+"(", 1)
	}
	var names []string
	for param := range strings.SplitSeq(e.Params, ",") {
		if fields := strings.Fields(param); len(fields) > 0 {
			names = append(names, fields[0])
		}
	}
	same := "return nil, nil, true"
	if e.Result != "" && !e.Differs {
		same = fmt.Sprintf("before, after = Before(%s), After(%s)\n\treturn before, after, reflect.DeepEqual(before, after)", e.Args, e.Args)
	}
	args := *e
	args.Decls, args.Params, args.Result = fmt.Sprintf(`
func bench(bench_ *testing.B, call_ func(%[1]s) %[2]s) {
	bench_.ReportAllocs()
	func(%[1]s) {
		for bench_.Loop() {
			call_(%[3]s)
		}
	}(%[4]s)
}

func Bench(b *testing.B) {
	b.Run("before", func(b *testing.B) { bench(b, Before) })
	b.Run("after", func(b *testing.B) { bench(b, After) })
}
`, e.Params, e.Result, strings.Join(names, ", "), e.Args), "", "(before, after any, same bool)"
	args.Imports = append(slices.Clone(e.Imports), "testing")
	src, err := args.Source("row", "Same", same)
	files["bench.go"] = src
	return files, err
}

// measure runs all benchmarks once.
func measure(ctx context.Context, program, long string, into map[string]*Samples) error {
	cmd := exec.CommandContext(ctx, program, "-test.run", "^$", "-test.bench", ".", "-test.benchtime", long)
	cmd.Dir = filepath.Dir(program)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("the benchmarks: %w\n%s", err, out)
	}
	for _, l := range benchmark.Parse(out) {
		parts := strings.Split(l.Name, "/")
		if len(parts) != 3 {
			return fmt.Errorf("the benchmarks printed %q", l.Name)
		}
		s := into[parts[1]]
		if s == nil {
			s = &Samples{Row: parts[1]}
			into[parts[1]] = s
		}
		side := &s.Before
		if strings.HasPrefix(parts[2], "after") {
			side = &s.After
		}
		side.Ns = append(side.Ns, l.NsPerOp)
		if l.BytesPerOp != nil && l.AllocsPerOp != nil {
			side.Bytes, side.Allocs = *l.BytesPerOp, *l.AllocsPerOp
		}
	}
	return nil
}

// publish writes the gains of rows, beside those that are known of others.
func publish(e *ledger.Entry[[]Samples], rows []knowledge.Row) error {
	var all []knowledge.Gain
	for _, r := range rules.Rows() {
		if g := knowledge.GainOf(r.ID); g != nil && !slices.ContainsFunc(rows, func(m knowledge.Row) bool { return m.ID == r.ID }) {
			all = append(all, *g)
		}
	}
	on := fmt.Sprintf("%s, %s %s/%s, %s", e.Date.Format(time.DateOnly), e.GoVersion, e.Host.OS, e.Host.Arch, cmp.Or(e.Host.CPU, "unknown processor"))
	var poor []string
	for _, s := range e.Samples {
		iv := stat.RatioInterval(s.Before.Ns, s.After.Ns, 0.95)
		g := knowledge.Gain{
			Row: s.Row, BeforeNs: digits(stat.Median(s.Before.Ns)), AfterNs: digits(stat.Median(s.After.Ns)),
			Ratio: digits(iv.Center), Low: digits(iv.Low), High: digits(iv.High),
			BeforeBytes: int64(s.Before.Bytes), AfterBytes: int64(s.After.Bytes), Before: int64(s.Before.Allocs), After: int64(s.After.Allocs), On: on,
		}
		all = append(all, g)
		fmt.Printf("%-40s %9.4g ns %9.4g ns %6.2fx (%.2f to %.2f) %5d to %d allocations\n", g.Row, g.BeforeNs, g.AfterNs, g.Ratio, g.Low, g.High, g.Before, g.After)
		if !g.Worth() {
			poor = append(poor, g.Row)
		}
	}
	slices.SortFunc(all, func(a, b knowledge.Gain) int { return cmp.Compare(a.Row, b.Row) })
	if len(rows) == len(rules.Rows()) {
		if err := e.Save("bench", "knowledge"); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	for _, g := range all {
		line, err := json.Marshal(g)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	if err := os.WriteFile(gains, text.Bytes(), 0o644); err != nil {
		return err
	}
	if len(poor) > 0 {
		return errors.New("these gain too little: " + strings.Join(poor, ", "))
	}
	return nil
}

// digits keeps four of a figure.
func digits(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return v
}
