package benchmarks

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/reach"
	"whet/internal/format/goobj"
	"whet/internal/gobench"
	"whet/internal/prove"
	"whet/internal/prove/sides"
	"whet/internal/quantity"
)

// Decision is what is known of a package before anything is measured.
type Decision struct {
	// Why says why nothing is known of its benchmarks, and they are measured: a clause
	// that follows "because". "": it is known, or nobody asked.
	Why string
	// Verdicts are by benchmark, of those that both sides have.
	Verdicts map[string]reach.Verdict
}

// why returns the reason that a benchmark is measured, "" where nobody asked.
func (d Decision) why(top string) string {
	if d.Why != "" {
		return d.Why
	}
	return d.Verdicts[top].Why
}

// sameCode decides about the packages that are not the same binary which of their
// benchmarks can reach nothing that differs between the sides: these are not
// measured either. A package that cannot be decided about, for whatever reason,
// is measured.
func sameCode(ctx context.Context, o *Options, pair *sides.Pair, data [][2]data, same []bool) []Decision {
	out := make([]Decision, len(pair.Packages()))
	if o.AA {
		return out
	}
	var r *objectReader
	for i := range out {
		if same[i] {
			continue
		}
		if out[i].Why = undecidable(o, pair, data[i], i); out[i].Why != "" {
			continue
		}
		if r == nil {
			o.Tell(prove.Event{Stage: "comparing the code"})
			r = &objectReader{table: reach.NewTable(), packages: map[objectFile]*reach.Package{}, files: sync.OnceValue(pair.DifferingFiles)}
		}
		if ctx.Err() != nil {
			break
		}
		var err error
		if out[i].Verdicts, err = r.decide(pair, data[i], i); err != nil {
			out[i] = Decision{Why: "the code cannot be compared: " + err.Error()}
		}
	}
	return out
}

// undecidable returns why a package cannot be decided about, whatever its code; ""
// where it can.
func undecidable(o *Options, pair *sides.Pair, data [2]data, pkg int) string {
	if why := differingSettings(o); why != "" {
		return why
	}
	if cut(data) {
		return "not all files beside the package are compared"
	}
	// Those in testdata are for the benchmarks, whatever they do; another one may
	// be a README.
	names := differing(data)
	if i := slices.IndexFunc(names, inTestdata); i >= 0 {
		return "the file " + names[i] + " beside the package differs"
	}
	old, new := pair.Binary(compare.Old, pkg), pair.Binary(compare.New, pkg)
	if len(old.Settings) == 0 || len(new.Settings) == 0 {
		return "how the test binary was built is unknown"
	}
	return differingBuilds(old.Settings, new.Settings)
}

// godebug is the setting that has the behaviour of the runtime and the standard
// library that the go line of a go.mod asks for, as NAME=VALUE,NAME=VALUE.
const godebug = "DefaultGODEBUG"

// differingBuilds returns what two binaries are built with, KEY=value, that is not the
// same; "": all is.
func differingBuilds(old, new []string) string {
	names := differingNames(old, new)
	if len(names) == 0 {
		return ""
	}
	name := names[0]
	if name != godebug {
		return "the sides are built with another " + name
	}
	value := func(settings []string) []string {
		for _, s := range settings {
			if v, ok := strings.CutPrefix(s, godebug+"="); ok {
				return strings.Split(v, ",")
			}
		}
		return nil
	}
	return fmt.Sprintf("the sides are built with other GODEBUG defaults (%s), as by another go line in go.mod", quantity.Some(differingNames(value(old), value(new)), 3))
}

// differingNames returns the names in two lists of NAME=value that have not the same
// values in both, in order.
func differingNames(old, new []string) (names []string) {
	for _, s := range slices.Concat(old, new) {
		if slices.Contains(old, s) && slices.Contains(new, s) {
			continue
		}
		if name, _, _ := strings.Cut(s, "="); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// buildInfo returns what a binary says it was built of.
func buildInfo(b *gobench.Binary) string {
	info, err := buildinfo.ReadFile(b.Path)
	if err != nil {
		return ""
	}
	return info.String()
}

// objectFile is an archive and the path it is linked under.
type objectFile struct{ path, file string }

// objectReader reads every archive once.
type objectReader struct {
	table    *reach.Table
	packages map[objectFile]*reach.Package
	files    func() []string // that differ anywhere in the trees
}

// decide decides about the benchmarks of a package.
func (r *objectReader) decide(pair *sides.Pair, data [2]data, pkg int) (map[string]reach.Verdict, error) {
	old, new := pair.Binary(compare.Old, pkg), pair.Binary(compare.New, pkg)
	a, err := old.Objects()
	if err != nil {
		return nil, err
	}
	b, err := new.Objects()
	if err != nil {
		return nil, err
	}
	beside := reach.OtherDifferences{Files: r.files, BuildInfo: buildInfo(old) != buildInfo(new)}
	if names := differing(data); len(names) > 0 {
		beside.File = names[0]
	}
	return r.compare(a, b, beside)
}

// link makes a program of its objects.
func (r *objectReader) link(o gobench.Objects) (*reach.Program, error) {
	packages := make(map[string]*reach.Package, len(o))
	for path, file := range o {
		key := objectFile{path, file}
		if _, ok := r.packages[key]; !ok {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			archive, err := goobj.Read(data)
			if err != nil {
				return nil, fmt.Errorf("package %s: %w", path, err)
			}
			r.packages[key] = r.table.Add(path, archive)
		}
		packages[path] = r.packages[key]
	}
	return r.table.Link(packages)
}

// compare compares two programs.
func (r *objectReader) compare(old, new gobench.Objects, beside reach.OtherDifferences) (map[string]reach.Verdict, error) {
	a, err := r.link(old)
	if err != nil {
		return nil, err
	}
	b, err := r.link(new)
	if err != nil {
		return nil, err
	}
	return reach.Compare(a, b, beside)
}

// SameCode decides about the packages of a pair as Run does, and measures
// nothing.
func SameCode(ctx context.Context, o *Options, pair *sides.Pair) []Decision {
	data := dataOf(pair)
	return sameCode(ctx, o, pair, data, sameOf(o, pair, data, prove.Begin(&o.Options, compare.KindBenchmarks)))
}
