package benchmarks

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"slices"
	"sync"

	"whet/internal/analyze/compare"
	"whet/internal/analyze/reach"
	"whet/internal/format/goobj"
	"whet/internal/gobench"
	"whet/internal/prove"
	"whet/internal/prove/sides"
)

// sameCode reports of the packages that are not the same binary which of their
// benchmarks can reach nothing that differs between the sides: these are not
// measured either. A package that cannot be decided about, for whatever reason,
// has none: it is measured.
func sameCode(ctx context.Context, o *Options, pair *sides.Pair, data [][2]data, same []bool) []map[string]reach.Verdict {
	packages := pair.Packages()
	out := make([]map[string]reach.Verdict, len(packages))
	if o.AA || differingSettings(o) != "" {
		return out
	}
	var ask []int
	for i := range packages {
		old, new := pair.Binary(compare.Old, i), pair.Binary(compare.New, i)
		// Those in testdata are for the benchmarks, whatever they do; another one may
		// be a README.
		decidable := !same[i] && !cut(data[i]) && !slices.ContainsFunc(differing(data[i]), inTestdata)
		if decidable && slices.Equal(old.Settings, new.Settings) && len(new.Settings) > 0 {
			ask = append(ask, i)
		}
	}
	if len(ask) == 0 {
		return out
	}
	o.Tell(prove.Event{Stage: "comparing the code"})
	var objects [2]map[int]gobench.Objects
	for side := range compare.Sides {
		var err error
		if objects[side], err = pair.Objects(ctx, side, ask); err != nil {
			return out // what cannot be listed is measured
		}
	}
	r := objectReader{table: reach.NewTable(), packages: map[objectFile]*reach.Package{}}
	files := sync.OnceValue(pair.DifferingFiles)
	for _, i := range ask {
		old, new := objects[compare.Old][i], objects[compare.New][i]
		if old == nil || new == nil || ctx.Err() != nil {
			continue
		}
		name := ""
		if names := differing(data[i]); len(names) > 0 {
			name = names[0]
		}
		info := buildInfo(pair.Binary(compare.Old, i)) != buildInfo(pair.Binary(compare.New, i))
		if verdicts, err := r.compare(old, new, reach.OtherDifferences{File: name, Files: files, BuildInfo: info}); err == nil {
			out[i] = verdicts
		}
	}
	return out
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
// nothing: by package, the benchmarks that are decided about. nil is a package
// that is the same binary on both sides, or that cannot be decided about.
func SameCode(ctx context.Context, o *Options, pair *sides.Pair) []map[string]reach.Verdict {
	data := dataOf(pair)
	return sameCode(ctx, o, pair, data, sameOf(o, pair, data, prove.Begin(&o.Options, compare.KindBenchmarks)))
}
