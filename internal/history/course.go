package history

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Course is a benchmark under one unit on one host, over revisions.
type Course struct {
	Host, Package string
	Name          string // with the suffix for processors
	Unit          string
	Points        []Point // in the order of commits
}

// Point is the results of a revision, or of one run of a tree with changes or without
// a revision.
type Point struct {
	Revision  string // "": unknown
	Dirty     bool
	Committed time.Time // zero: unknown
	Date      time.Time // of the first run
	Runs      int       // files it was pooled from
	Values    []float64 // as they were measured
	// Facts of the machine and the build that may change with time; of several
	// runs those of the first.
	GoVersion, Kernel, CPU, Flags string
}

// Full returns the name of the benchmark that patterns match and readers see:
// package, point, name.
func (c *Course) Full() string {
	if c.Package == "" {
		return c.Name
	}
	return c.Package + "." + c.Name
}

// Units of a store that patterns may ask for.
const (
	UnitTime = "ns/op"
	UnitAll  = "all"
)

// Courses returns the courses of the benchmarks whose full name matches, under
// one unit or UnitAll. order are the commits, the oldest first, as far as they
// are known.
func (s *Store) Courses(match *regexp.Regexp, unit string, order []string) []Course {
	type key struct{ host, pkg, name, unit string }
	results := make(map[key][]*sample)
	for i := range s.Results {
		r := &s.Results[i]
		k := key{r.Host, r.Package, fullName(r), ""}
		if c := (Course{Package: k.pkg, Name: k.name}); !match.MatchString(c.Full()) {
			continue
		}
		for _, v := range r.Line.Values() {
			if unit == UnitAll || unit == v.Unit {
				k.unit = v.Unit
				results[k] = append(results[k], &sample{r, v.Value})
			}
		}
	}
	place := make(map[string]int, len(order))
	for i, revision := range order {
		place[revision] = i + 1
	}
	keys := slices.SortedFunc(maps.Keys(results), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name), compareUnits(a.unit, b.unit))
	})
	var out []Course
	for _, k := range keys {
		out = append(out, Course{Host: k.host, Package: k.pkg, Name: k.name, Unit: k.unit, Points: points(results[k], place)})
	}
	return out
}

// compareUnits orders those of package testing as it prints them, others
// after.
func compareUnits(a, b string) int {
	known := []string{UnitTime, "MB/s", "B/op", "allocs/op"}
	rank := func(u string) int {
		if i := slices.Index(known, u); i >= 0 {
			return i
		}
		return len(known)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// fullName returns the benchmark's name as go test prints it.
func fullName(r *Result) string {
	if r.Line.Procs > 1 {
		return r.Line.Name + "-" + strconv.Itoa(r.Line.Procs)
	}
	return r.Line.Name
}

type sample struct {
	*Result
	value float64
}

// points pools the samples of each clean revision, and of each run of anything
// else, and puts them in order.
func points(samples []*sample, place map[string]int) []Point {
	type key struct{ revision, file string }
	pools := make(map[key][]*sample)
	for _, s := range samples {
		k := key{s.Revision, s.File}
		if s.Revision != "" && !s.Dirty {
			k.file = ""
		}
		pools[k] = append(pools[k], s)
	}
	var out []Point
	for _, pool := range pools {
		slices.SortStableFunc(pool, func(a, b *sample) int { return compareFiles(a.Result, b.Result) })
		first := pool[0]
		p := Point{Revision: first.Revision, Dirty: first.Dirty, Committed: first.Committed, Date: first.Date,
			GoVersion: first.GoVersion, Kernel: first.Kernel, CPU: first.CPU, Flags: first.Flags}
		file := ""
		for _, s := range pool {
			if s.File != file {
				file = s.File
				p.Runs++
			}
			p.Values = append(p.Values, s.value)
		}
		out = append(out, p)
	}
	slices.SortFunc(out, byTime)
	return byCommits(out, place)
}

// byTime orders points by when their code came to be: a commit's time, or the
// run's where there is none. Runs of a changed tree follow their revision.
func byTime(a, b Point) int {
	return cmp.Or(a.When().Compare(b.When()), cmp.Compare(a.Revision, b.Revision), boolCompare(a.Dirty, b.Dirty), a.Date.Compare(b.Date),
		slices.Compare(a.Values, b.Values))
}

// When returns the time of the point's code: the commit's time, or the run's if that is
// unknown.
func (p *Point) When() time.Time {
	if p.Committed.IsZero() {
		return p.Date
	}
	return p.Committed
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// byCommits puts points of known commits into the commits' order, which
// rebasing and wrong clocks may have made another than that of time. Each of
// the others goes before the first known one that is later than it.
func byCommits(in []Point, place map[string]int) []Point {
	var known, unknown []Point
	for _, p := range in {
		if place[p.Revision] > 0 {
			known = append(known, p)
		} else {
			unknown = append(unknown, p)
		}
	}
	slices.SortStableFunc(known, func(a, b Point) int { return cmp.Compare(place[a.Revision], place[b.Revision]) })
	out := make([]Point, 0, len(in))
	for _, k := range known {
		for len(unknown) > 0 && unknown[0].When().Before(k.When()) {
			out, unknown = append(out, unknown[0]), unknown[1:]
		}
		out = append(out, k)
	}
	return append(out, unknown...)
}
