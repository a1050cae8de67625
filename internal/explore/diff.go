package explore

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"whet/internal/analyze/callgraph"
	"whet/internal/analyze/selection"
	"whet/internal/cli"
	"whet/internal/diagnose"
	"whet/internal/format/profile"
	"whet/internal/printable"
	"whet/internal/profiles"
	"whet/internal/read"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/report/view"
)

func diffCommand() *cli.Command {
	return &cli.Command{
		Name:       "diff",
		ReadsOnly:  true,
		Operands:   "[BINARY] BEFORE AFTER",
		Recordings: 1,
		Short:      "show changes in cost between two profiles or recordings",
		Long: `
Diff compares two profiles, or two recordings: gone, new and changed findings, and then the
profiles by kind: for each the totals and the function that changed most, with -tables (or
-nodecount) all functions. Findings are the same if rule and function are; diff marks a change
within the sampling error of the shares (95 %) as noise. For a profile it shows the change of each
function's flat and cum, and its cum before and after. Percentages are of the profile before. The
changes are those of go tool pprof -top -diff_base BEFORE AFTER; -normalize scales AFTER to the
total of BEFORE first, which compares shares when the amount of work differs. -html draws both as
one flame graph for each of their values. BEFORE and AFTER are pprof files, URLs of
net/http/pprof, or recordings.`,
		Examples: []string{
			"whet diff @2 @",
			"whet diff before.pb.gz after.pb.gz",
			"whet diff -cum -nodecount 20 -normalize before.whet after.whet",
			"whet diff -o changed.html before.whet after.whet",
			"whet diff -alloc_space -focus json http://localhost:6060/debug/pprof/heap heap.pb.gz",
		},
		Setup: func(fs *flag.FlagSet) cli.RunFunc {
			s, f := defaultSettings(), profiles.Options{}
			s.declare(fs, ofColumn|ofSamples|ofFrames|ofOrder|ofNodes|ofSources|ofOutput)
			f.Declare(fs)
			tables := fs.Bool("tables", false, "for two recordings, also print the functions of each kind and the unchanged findings")
			fs.BoolFunc(formatHTML, "draw both sides as flame graphs in one HTML file; as -o with a name that ends in .html does", func(text string) error {
				on, err := cli.ParseSwitch(text)
				if err == nil && on {
					s.format = formatHTML
				}
				return err
			})
			return func(ctx context.Context, e *cli.Env, operands []string) error {
				return runDiff(ctx, e, s, f, *tables || s.nodeCount != chosenByView, operands)
			}
		},
	}
}

// comparison is of two profiles of one kind.
type comparison struct {
	kind string // of recordings
	*viewRequest
	before *profiles.Set
}

func (p *comparison) close() {
	p.viewRequest.Close()
	p.before.Close()
}

// runDiff compares two profiles, or of two recordings all they both hold: that in
// brief unless tables are wanted.
func runDiff(ctx context.Context, e *cli.Env, s settings, f profiles.Options, tables bool, operands []string) error {
	var binary []string
	if len(operands) == 3 && profiles.IsExecutable(operands[0]) {
		binary, operands = operands[:1], operands[1:]
	}
	if len(operands) != 2 {
		return cli.UsageError("diff: name two profiles or two recordings, before and after")
	}
	if s.sel.Mean {
		return cli.UsageError("diff: a difference of means is not a mean: omit -mean")
	}
	kinds, err := kindsToCompare(&f, operands)
	if err != nil {
		return err
	}
	if !s.asJSON {
		switch form := s.picture(""); form {
		case formatHTML:
			return diffPage(ctx, e, s, &f, kinds, binary, operands)
		case formatSVG, formatDOT:
			return cli.UsageError("diff: it writes HTML only; whet flame -svg or whet graph -dot with -diff_base write %s", form)
		}
	}
	if s.sel.AllSamples() && !s.sel.Normalize && profiles.IsFile(operands[0]) && profiles.IsFile(operands[1]) {
		f.Want = profile.Want{Only: profile.Stacks, Column: s.sel.SampleIndex}
	}
	tuneCollector(operands)
	var diffs []view.KindDiff
	for _, kind := range kinds {
		p, err := compareKind(ctx, e, s, &f, kind, binary, operands)
		if err != nil {
			return err
		}
		defer p.close()
		if err := errors.Join(p.Spare(s.output), p.before.Spare(s.output)); err != nil {
			return err
		}
		sel, err := p.selected("diff", s.sel)
		if err != nil {
			return err
		}
		suited := callgraph.ForTop()
		if len(kinds) > 1 {
			suited.NodeCount = promptTop
		}
		base := slices.IndexFunc(p.Sources, func(s selection.Source) bool { return s.Role == selection.DiffBase })
		diffs = append(diffs, view.KindDiff{Kind: kind, Diff: view.NewDiff(sel, base, s.graph(suited), p.common())})
	}
	findings, warnings := diffFindings(f.Kind, operands)
	if !s.sel.Normalize && !slices.ContainsFunc(operands, func(path string) bool { return !ofBenchmarks(path) }) && slices.ContainsFunc(diffs, func(d view.KindDiff) bool {
		return math.Abs(float64(d.After-d.Before)) > alike*math.Abs(float64(d.Before))
	}) {
		warnings = append(warnings, "the totals cover all runs, and the number of a benchmark's operations depends on its time: -normalize compares shares, whet prove the cost of an operation")
	}
	return e.Emit(ctx, s.output, func(w io.Writer) error {
		if s.asJSON {
			return view.WriteDiffJSON(w, profiles.Shown(operands[0]), profiles.Shown(operands[1]), findings, diffs, warnings...)
		}
		if !tables && len(kinds) > 1 {
			return view.WriteDiffBrief(w, findings, diffs, warnings...)
		}
		for _, text := range warnings {
			fmt.Fprintf(w, "%s\n", printable.Message("Warning: "+text))
		}
		if findings != nil {
			if err := findings.Write(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		return writeDiffs(w, diffs)
	})
}

// diffFindings compares what the rules say of two recordings, unless they hold
// something else or one kind of profile was asked for.
func diffFindings(kind string, operands []string) (*view.FindingsDiff, []string) {
	if kind != "" || !recording.Is(operands[0]) || !recording.Is(operands[1]) {
		return nil, nil
	}
	var sides [2]struct {
		result   *diagnose.Result
		of       string
		measured map[string]bool   // benchmarks; nil: it is of none
		load     *view.ServiceLoad // nil: it is of no service
	}
	for i, path := range operands {
		rec, err := read.Open(path)
		if err == nil {
			defer rec.Close()
			if !slices.Contains([]string{recording.TargetBenchmark, recording.TargetProgram, recording.TargetService}, rec.Kind) {
				return nil, nil
			}
			side := &sides[i]
			side.of = fmt.Sprintf("%s  %s, recorded %s", profiles.Shown(path), cmp.Or(rec.Build.Package, rec.Target), rec.Origin.UTC().Format("2006-01-02 15:04 MST"))
			benchmarks, benchErr := record.Benchmarks.Of(&rec.Manifest)
			if err = benchErr; benchmarks != nil && rec.Kind == recording.TargetBenchmark {
				side.measured = make(map[string]bool)
				for _, b := range *benchmarks {
					side.measured[b.Name] = b.Profiled
				}
			}
			if err == nil {
				reading := read.Recording(rec, read.ParsedParts{})
				if side.result, err = reading.Diagnose(); err == nil {
					side.load = loadOf(reading)
				}
			}
		}
		if err != nil {
			return nil, []string{fmt.Sprintf("the findings were not compared: %v", err)}
		}
	}
	before, after := &sides[0], &sides[1]
	d := view.DiffFindings(diagnose.Threshold, before.result.Findings, before.result.Below, after.result.Findings, after.result.Below)
	d.Before, d.After = before.of, after.of
	d.Unmeasured(before.measured, after.measured)
	if before.load != nil && after.load != nil {
		d.Service = &view.ServiceDiff{Before: *before.load, After: *after.load}
	}
	return d, nil
}

// loadOf returns what the load of a service showed; nil: the recording is of none.
func loadOf(r *read.Reading) *view.ServiceLoad {
	s := r.Service()
	if s == nil {
		return nil
	}
	return &view.ServiceLoad{ThroughputPerS: s.ThroughputPerS, P50Ns: s.P50Ns, P99Ns: s.P99Ns, CPUPerRequestNs: s.CPUPerRequestNs}
}

// ofBenchmarks reports whether an operand is a recording of benchmarks.
func ofBenchmarks(path string) bool {
	rec, err := recording.Open(path)
	if err != nil {
		return false
	}
	defer rec.Close()
	return rec.Kind == recording.TargetBenchmark
}

func writeDiffs(w io.Writer, diffs []view.KindDiff) error {
	for i, d := range diffs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if d.Kind != "" {
			fmt.Fprintf(w, "Profile: %s\n", printable.Message(d.Kind))
		}
		if err := d.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// kindsToCompare returns the kinds of profiles that both recordings hold, unless
// one was asked for; "" where an operand is no recording.
func kindsToCompare(f *profiles.Options, operands []string) ([]string, error) {
	if f.Kind != "" || !recording.Is(operands[0]) || !recording.Is(operands[1]) {
		return []string{f.Kind}, nil
	}
	var held [2][]string
	for i, path := range operands {
		rec, err := recording.Open(path)
		if err != nil {
			return nil, err
		}
		for _, a := range rec.Artifacts {
			if strings.HasSuffix(a.Path, ".pb.gz") && a.Part == "" && !slices.Contains(held[i], a.Kind) {
				held[i] = append(held[i], a.Kind)
			}
		}
		rec.Close()
	}
	both := slices.DeleteFunc(held[0], func(kind string) bool { return !slices.Contains(held[1], kind) })
	if len(both) == 0 {
		return nil, cli.UsageError("diff: %s and %s have no profiles of the same kind", operands[0], operands[1])
	}
	// What people ask for first comes first.
	slices.SortStableFunc(both, func(a, b string) int { return firstKind(a) - firstKind(b) })
	return both, nil
}

func firstKind(kind string) int {
	if kind == recording.KindCPU {
		return 0
	}
	return 1
}

// compareKind opens both sides.
func compareKind(ctx context.Context, e *cli.Env, s settings, f *profiles.Options, kind string, binary, operands []string) (*comparison, error) {
	var sides [2]*profiles.Set
	for i, operand := range operands {
		one := *f
		if one.Kind = kind; !recording.Is(operand) {
			one.Kind, one.Benchmark = "", ""
		}
		var err error
		if sides[i], err = one.Open(ctx, append(slices.Clone(binary), operand), e.Stdin, e.Status().Show); err != nil {
			if i > 0 {
				sides[0].Close()
			}
			return nil, err
		}
	}
	before, after := sides[0], sides[1]
	for _, source := range before.Sources {
		after.Sources = append(after.Sources, selection.Source{Profile: source.Profile, Role: selection.DiffBase})
	}
	if f.Want.Only != profile.Everything && !selection.ShareColumn(after.Sources, f.Want.Column) {
		after.Close()
		before.Close()
		whole := *f
		whole.Want = profile.Want{}
		return compareKind(ctx, e, s, &whole, kind, binary, operands)
	}
	after.Warnings = append(after.Warnings, before.Warnings...)
	return &comparison{kind, &viewRequest{Set: after, s: s, base: profiles.Shown(before.Name)}, before}, nil
}
