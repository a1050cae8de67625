package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"whet/internal/analyze/tables"
	"whet/internal/cli"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/report/page"
	proofreport "whet/internal/report/proof"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		ReadsOnly: true,
		Operands:  "[NAME=]FILE...",
		Short:     "compare benchmark results in files, as benchstat does",
		Long: `
Compare reads the output of go test -bench and prints, for each benchmark, the median with its
interval and the difference of the other files from the first, with benchstat's figures and flags.
Holm's method adjusts p over all comparisons of one run, and the adjusted p decides the
"~" (-adjust none turns this off, as in benchstat). NAME= gives a file a heading; - is the
standard input. Compare fails on a file that it cannot read to the last line.

Projections (-table, -row, -col, -ignore) are lists of keys: .name, .fullname, .file, .config,
/key of a sub-benchmark, or a key of the files' own lines; key@alpha, key@num and
key@(b a) order and choose their values. Filters are key:value terms with AND, OR, - and ().

Exit code 0: done; 1: -fail-on found something; 3: a file cannot be read, or nothing can be
compared.`,
		Examples: []string{
			"whet compare old.txt new.txt",
			"whet compare -filter '.unit:sec/op /size:(1k OR 1M)' before=old.txt after=new.txt",
			"whet compare -col /format -row .name -ignore .file new.txt",
			"whet compare -fail-on slower:5% -margin 2% -format markdown old.txt new.txt",
			"go test -bench . -count 10 | whet compare old.txt -",
			"whet compare -benchcmp -changed -mag old.txt new.txt",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			v := compareFlags{options: tables.DefaultOptions()}
			v.declare(fs)
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				return v.run(e, fs, operands)
			}
		},
	}
}

// compareFlags are what a command line asks for.
type compareFlags struct {
	options  tables.Options
	sort     string
	adjust   string
	format   string
	asJSON   bool
	failOn   gate
	benchcmp bool
	pairs    tables.BenchcmpOptions
}

func (v *compareFlags) declare(fs *flag.FlagSet) {
	o := &v.options
	fs.StringVar(&o.Filter, "filter", o.Filter, "use only results that match this `expression`")
	fs.StringVar(&o.Table, "table", o.Table, "one table for each value of these `keys`")
	fs.StringVar(&o.Row, "row", o.Row, "one row for each value of these `keys`")
	fs.StringVar(&o.Col, "col", o.Col, "one column for each value of these `keys`; the first is the base")
	fs.StringVar(&o.Ignore, "ignore", o.Ignore, "ignore differences in these `keys`")
	fs.StringVar(&v.sort, "sort", string(o.Sort), "`order` of the rows: delta (the worst first), name or none; -delta and -name reverse")
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "report a difference when p is at most this `probability`")
	fs.Float64Var(&o.Confidence, "confidence", o.Confidence, "confidence level of the medians' intervals, a `probability`")
	fs.StringVar(&v.adjust, "adjust", string(o.Adjust), "`method` for many comparisons: holm or none")
	fs.Var(cli.PercentFlag{Share: &o.Margin}, "margin", "mark differences below this `share` of the first column: 2% or 0.02")
	fs.Var(&v.failOn, "fail-on", "exit with code 1 on `slower`, or slower:5% for at least 5 % (time, allocations, and units with better= in a file)")
	fs.StringVar(&v.format, "format", "text", "print `text`, csv, markdown or json")
	fs.BoolVar(&v.asJSON, "json", false, "print one JSON document, like -format json")
	fs.BoolVar(&v.benchcmp, "benchcmp", false, "benchcmp's layout of two files: runs in pairs, no statistics")
	fs.BoolVar(&v.pairs.Best, "best", false, "with -benchcmp, compare the fastest run of each benchmark")
	fs.BoolVar(&v.pairs.Changed, "changed", false, "with -benchcmp, print only what changed")
	fs.BoolVar(&v.pairs.Magnitude, "mag", false, "with -benchcmp, sort by the size of the change")
}

// gate is -fail-on: what a build is to fail on.
type gate struct {
	slower bool
	least  float64 // share from which a difference counts
}

func (g *gate) String() string {
	switch {
	case g == nil || !g.slower:
		return ""
	case g.least == 0:
		return "slower"
	}
	return "slower:" + cli.PercentFlag{Share: &g.least}.String()
}

func (g *gate) Set(s string) error {
	what, share, limited := strings.Cut(s, ":")
	if what != "slower" {
		return fmt.Errorf("%q is neither slower nor slower:5%%", s)
	}
	least := 0.0
	if limited {
		if err := (cli.PercentFlag{Share: &least}).Set(share); err != nil {
			return err
		}
	}
	if !(least >= 0) {
		return fmt.Errorf("%q is not a share: want one such as 5%%", share)
	}
	*g = gate{true, least}
	return nil
}

func (v *compareFlags) run(e *cli.Env, set *flag.FlagSet, args []string) error {
	var given []string
	set.Visit(func(f *flag.Flag) { given = append(given, f.Name) })
	if i := slices.Index(args, "--"); i >= 0 { // what follows is no flag
		args = slices.Delete(args, i, i+1)
	}
	operands, err := tables.Operands(args)
	if err != nil {
		return cli.UsageError("compare: %v", err)
	}
	if v.benchcmp {
		return v.runBenchcmp(e, given, operands)
	}
	for _, name := range []string{"best", "changed", "mag"} {
		if slices.Contains(given, name) {
			return cli.UsageError("compare: -%s needs -benchcmp", name)
		}
	}
	if len(operands) == 0 {
		return cli.UsageError("compare: name a file with benchmark results, or - for standard input: whet help compare has examples")
	}
	if v.asJSON {
		if slices.Contains(given, "format") && v.format != "json" {
			return cli.UsageError("compare: choose -json or -format %s", v.format)
		}
		v.format = "json"
	}
	if !slices.Contains([]string{"text", "csv", "markdown", "json"}, v.format) {
		return cli.UsageError("compare: -format %q: want text, csv, markdown or json", v.format)
	}
	v.options.SetSort(v.sort)
	v.options.Adjust = tables.Adjust(v.adjust)
	c, err := tables.NewCollector(v.options)
	if err != nil {
		return cli.UsageError("compare: %v", err)
	}
	for _, o := range operands {
		if err := withBenchmarks(e, o, func(r io.Reader) error { return c.Add(o, r) }); err != nil {
			return err
		}
	}
	result, err := c.Result()
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	if err := v.write(e, result); err != nil {
		return err
	}
	return v.failOn.check(e, result)
}

func (v *compareFlags) write(e *cli.Env, r *tables.Result) error {
	switch v.format {
	case "csv":
		return proofreport.WriteCompareCSV(e.Stdout, e.Stderr, r)
	case "markdown":
		return proofreport.WriteCompareMarkdown(e.Stdout, r)
	case "json":
		return proofreport.WriteCompareJSON(e.Stdout, r)
	}
	return proofreport.WriteCompareText(e.Stdout, r, page.TextOptions{Color: e.Color})
}

// check ends with code 1 where something became slower. A gate that nothing
// could stop at is no gate: that it stays open proves nothing, so it fails.
func (g *gate) check(e *cli.Env, r *tables.Result) error {
	if !g.slower {
		return nil
	}
	slower, checked := r.Gate(g.least)
	if len(slower) == 0 {
		if checked == 0 {
			return errors.New("compare: -fail-on slower has nothing to test: no benchmark with a time, allocations or a unit with better= has enough runs in two columns")
		}
		return nil
	}
	for _, s := range slower {
		delta := "from 0 to " + strconv.FormatFloat(s.Center, 'g', 4, 64)
		if s.Base != 0 {
			delta = s.Test.FormatDelta(s.Base, s.Center)
		}
		fmt.Fprintf(e.Stderr, "whet: slower: %s %s %s\n", printable.Message(s.Row.Name), printable.Message(s.Table.Unit), delta)
	}
	return &cli.ExitError{Code: cli.ExitFound, Err: fmt.Errorf("compare: %s of %d slower", quantity.Plural(len(slower), "comparison"), checked)}
}

// runBenchcmp compares two files in the old layout.
func (v *compareFlags) runBenchcmp(e *cli.Env, given []string, operands []tables.Operand) error {
	for _, name := range given {
		if !slices.Contains([]string{"benchcmp", "best", "changed", "mag"}, name) {
			return cli.UsageError("compare: -benchcmp can be combined only with -best, -changed and -mag, not with -%s", name)
		}
	}
	if len(operands) != 2 {
		return cli.UsageError("compare: -benchcmp takes two files, OLD and NEW, not %d", len(operands))
	}
	var sides [2]*tables.Runs
	for i, o := range operands {
		err := withBenchmarks(e, o, func(r io.Reader) (err error) {
			sides[i], err = tables.ReadRuns(o, r)
			return err
		})
		if err != nil {
			return err
		}
	}
	result, err := tables.CompareRuns(sides[0], sides[1], v.pairs)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	for _, w := range result.Warnings {
		fmt.Fprintln(e.Stderr, printable.Message(w))
	}
	return proofreport.WriteBenchcmp(e.Stdout, result)
}

// withBenchmarks opens one operand for reading.
func withBenchmarks(e *cli.Env, o tables.Operand, read func(io.Reader) error) error {
	if o.Path == tables.Stdin {
		return read(e.Stdin)
	}
	f, err := os.Open(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.UsageError("compare: no file %s", o.Path)
	}
	if err != nil {
		return fmt.Errorf("read benchmarks: %w", err)
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return cli.UsageError("compare: %s is a directory: name the files in it (of a recording, those under bench)", o.Path)
	}
	return read(f)
}
