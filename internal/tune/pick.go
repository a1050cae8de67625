package tune

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/dotwhet"
	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/quantity"
)

// ranked is a package with the costliest of its benchmarks.
type ranked struct {
	target *gobench.Target
	most   benchmark.Line
}

// resolvePattern finds the packages with benchmarks that match a pattern. Until one of
// them is picked the first represents all: it determines the module.
func (r *recorder) resolvePattern(ctx context.Context) (err error) {
	r.progress(Progress{Stage: "looking at the packages"})
	var broken []gobench.Broken
	r.candidates, broken, err = gobench.Benchmarked(ctx, r.o.Dir, r.o.Operand, r.build)
	switch {
	case err != nil:
		return err
	case len(r.candidates) == 1:
		operand := r.candidates[0].ImportPath
		r.candidates = nil
		return r.resolve(ctx, operand)
	case len(r.candidates) > 1:
		r.target = r.candidates[0]
		return nil
	case len(broken) > 0:
		return broken[0].Err
	}
	return &gobench.Error{Kind: gobench.KindNoBenchmarks, Text: fmt.Sprintf("no package that %s matches has benchmarks: write a func BenchmarkX(b *testing.B) in a file x_test.go", r.o.Operand)}
}

// pick ranks the benchmarks of all candidates by a quick pass over each and goes
// on with the package of the costliest. Together the passes take a fifth of the
// budget; builds are no part of it.
func (r *recorder) pick(ctx context.Context) error {
	var found []ranked
	var lost []string
	var spent time.Duration
	for i, t := range r.candidates {
		r.progress(Progress{Stage: fmt.Sprintf("ranking package %d of %d", i+1, len(r.candidates)), Benchmark: t.ImportPath})
		lines, took, err := r.quickLook(ctx, t, (r.o.Budget/5-spent)/time.Duration(len(r.candidates)-i))
		spent += took
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(lines) > 0 {
			found = append(found, ranked{t, rank(lines)[0]})
		} else if err != nil && !gobench.KindNoBenchmarks.Of(err) {
			lost = append(lost, t.ImportPath)
			r.w.Warn("%s was not ranked: %v", t.ImportPath, err)
		}
	}
	if len(found) == 0 {
		return &gobench.Error{Kind: gobench.KindNoResult, Text: fmt.Sprintf("no result from %s that %s matches: name one of them", quantity.Plural(len(r.candidates), "package"), r.o.Operand)}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return costlier(a.most, b.most) })
	r.spent = spent
	if len(found)+len(lost) > 1 {
		var others []string
		for _, f := range found[1:] {
			others = append(others, fmt.Sprintf("%s (%s a call)", r.fromHere(f.target), quantity.Nanoseconds(f.most.NsPerOp)))
		}
		r.w.Warn("only the costliest of %d packages was measured, not %s: name a package to tune it", len(found)+len(lost), quantity.Some(append(others, lost...), 5))
	}
	if err := r.resolve(ctx, found[0].target.ImportPath); err != nil {
		return err
	}
	if m := &r.w.Manifest; m.DefaultName != "" {
		m.DefaultName = dotwhet.Name(r.target.Family(), r.target.ImportPath)
	}
	return nil
}

// quickLook builds a package's test binary and runs its benchmarks for a moment,
// within a limit. It leaves nothing of it in the recording.
func (r *recorder) quickLook(ctx context.Context, t *gobench.Target, limit time.Duration) (lines []benchmark.Line, took time.Duration, err error) {
	failures, resultless, skipped := r.failures, r.resultless, r.skipped
	defer func() {
		r.bin, r.failures, r.resultless, r.skipped = nil, failures, resultless, skipped
	}()
	if r.bin, err = gobench.Build(ctx, t, r.build, filepath.Join(r.scratch, "rank.test")); err != nil {
		return nil, 0, err
	}
	names, err := r.bin.Benchmarks(ctx, r.o.Bench)
	if err != nil {
		return nil, 0, err
	}
	start := r.o.Now()
	lines, err = r.quickPass(ctx, names, start.Add(limit))
	return lines, r.o.Now().Sub(start), err
}

// fromHere returns how the user names a package's directory.
func (r *recorder) fromHere(t *gobench.Target) string {
	dir, err := filepath.Abs(r.o.Dir)
	if err != nil {
		return t.ImportPath
	}
	rel, err := filepath.Rel(dir, t.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return t.ImportPath
	}
	if rel == "." {
		return rel
	}
	return "./" + filepath.ToSlash(rel)
}

// isPattern reports whether an operand is a pattern.
func isPattern(operand string) bool { return strings.Contains(operand, "...") }
