package suite

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"

	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/history"
	"whet/internal/quantity"
	"whet/internal/report/bench"
	"whet/internal/stat"
)

// ShowOptions configure the view of a history. Start from DefaultShowOptions.
type ShowOptions struct {
	Dir     string // working directory: its repository knows the order of commits
	History string
	Match   string // regular expression of full names, "package.BenchmarkX/sub-2"
	Unit    string // or history.UnitAll
	Alpha   float64
}

// DefaultShowOptions returns the default options of whet bench -show.
func DefaultShowOptions() ShowOptions {
	return ShowOptions{Dir: ".", Unit: history.UnitTime, Alpha: 0.05}
}

// Bounds on what is shown at once, and on the points of a course that are looked
// at: the time that looking for changes takes grows with their square.
const (
	maxCourses = 200
	maxPoints  = 300
)

// changeSeed makes the same files give the same answer.
const changeSeed = 1

// Show reads a history and looks for changes.
func Show(ctx context.Context, o ShowOptions) (*bench.History, error) {
	match, err := regexp.Compile(o.Match)
	switch {
	case err != nil:
		return nil, &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf("-show %q: %v", o.Match, err)}
	case !(o.Alpha > 0 && o.Alpha < 1):
		return nil, &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf("-alpha %v: give a chance between 0 and 1, like 0.05", o.Alpha)}
	}
	store, err := history.Read(o.History)
	if err != nil {
		return nil, err
	}
	out := &bench.History{Warnings: store.Problems, AlphaRatio: o.Alpha}
	courses := store.Courses(match, o.Unit, gobench.Commits(ctx, o.Dir))
	if len(courses) == 0 {
		return nil, nothingToShow(store, match, o)
	}
	if len(courses) > maxCourses {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s match; the first %d are shown: narrow -show", quantity.Plural(len(courses), "course"), maxCourses))
		courses = courses[:maxCourses]
	}
	look := stat.ChangeOptions{Alpha: o.Alpha, Series: len(courses), Seed: changeSeed}
	out.Fewest = stat.FewestForChange(look)
	for _, c := range courses {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if n := len(c.Points) - maxPoints; n > 0 {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s: the newest %d points are shown, %d are older", c.Full(), maxPoints, n))
			c.Points = c.Points[n:]
		}
		out.Courses = append(out.Courses, course(&c, look))
	}
	return out, nil
}

func nothingToShow(s *history.Store, match *regexp.Regexp, o ShowOptions) error {
	if len(s.Results) == 0 {
		why := ""
		if len(s.Problems) > 0 {
			why = ": " + s.Problems[0]
		}
		return fmt.Errorf("history %s has no results%s", o.History, why)
	}
	if units := s.Courses(match, history.UnitAll, nil); len(units) > 0 {
		var have []string
		for _, c := range units {
			if len(have) < 6 && !strings.Contains(strings.Join(have, ", ")+",", c.Unit+",") {
				have = append(have, c.Unit)
			}
		}
		return &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf("no benchmark that matches -show %s has the unit %s: the units are %s", o.Match, o.Unit, strings.Join(have, ", "))}
	}
	r := &s.Results[0]
	return &gobench.Error{Kind: gobench.KindUsage, Text: fmt.Sprintf("no benchmark of history %s matches -show %s: one of its benchmarks is %s.%s", o.History, o.Match, r.Package, r.Line.Name)}
}

// course looks for the changes of a course. Each point counts once, by its
// median: the values of one run are alike for reasons that have nothing to do
// with its revision.
func course(c *history.Course, look stat.ChangeOptions) bench.Course {
	out := bench.Course{Host: c.Host, Package: c.Package, Name: c.Name, Unit: c.Unit, Better: benchmark.BetterOf(c.Unit)}
	medians := make([]float64, len(c.Points))
	for i, p := range c.Points {
		medians[i] = stat.Median(p.Values)
		out.Points = append(out.Points, bench.Point{Revision: p.Revision, Dirty: p.Dirty, When: p.When(), Runs: p.Runs, Values: p.Values, GoVersion: p.GoVersion})
	}
	changes := stat.Changes(medians, look)
	for i, ch := range changes {
		from, to := 0, len(medians)
		if i > 0 {
			from = changes[i-1].At
		}
		if i+1 < len(changes) {
			to = changes[i+1].At
		}
		r := bench.Change{At: ch.At, PValue: ch.P, Old: stat.Median(medians[from:ch.At]), New: stat.Median(medians[ch.At:to]), Ratio: math.NaN(),
			Also: also(&c.Points[ch.At-1], &c.Points[ch.At])}
		ratio := r.Old / r.New
		if out.Better == benchmark.Higher {
			ratio = r.New / r.Old
		}
		if r.Old > 0 && r.New > 0 && ratio > 0 && !math.IsInf(ratio, 0) {
			r.Ratio = ratio
		}
		out.Changes = append(out.Changes, r)
	}
	return out
}

// also says what else changed between two points: it may be the reason.
func also(a, b *history.Point) []string {
	var out []string
	for _, f := range []struct{ name, old, new string }{
		{"Go version", a.GoVersion, b.GoVersion}, {"kernel", a.Kernel, b.Kernel},
		{"build flags", a.Flags, b.Flags}, {"processor", a.CPU, b.CPU},
	} {
		if f.old != f.new {
			out = append(out, fmt.Sprintf("the %s changed too: %s → %s", f.name, cmp.Or(f.old, "none"), cmp.Or(f.new, "none")))
		}
	}
	return out
}
