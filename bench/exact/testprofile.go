package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	google "github.com/google/pprof/profile"
)

// testProfile is a profile, and what options can say of it.
type testProfile struct {
	file, name, base string
	samples          int
	large            bool
	types            []string
	names            []string // of functions, the one in most samples first
	keys, numKeys    []string
	values           map[string]string
	numbers          map[string]int64
}

// manySamples make a profile large: pprof takes seconds for each view of it.
const manySamples = 50_000

// read asks pprof's own reader, so that what whet makes of a profile has no
// say in what it is tried with. The base is the profile without every third
// sample and with every fifth doubled: a difference has samples that came,
// went and cancel.
func read(file, tmp string) (*testProfile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p, err := google.ParseData(data)
	if err != nil {
		return nil, err
	}
	s := &testProfile{file: file, name: filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file), samples: len(p.Sample), large: len(p.Sample) > manySamples, values: map[string]string{}, numbers: map[string]int64{}}
	for _, t := range p.SampleType {
		s.types = append(s.types, t.Type)
	}
	count := make(map[string]int)
	for _, sample := range p.Sample {
		seen := make(map[string]bool)
		for _, l := range sample.Location {
			for _, line := range l.Line {
				if line.Function != nil && !seen[line.Function.Name] {
					seen[line.Function.Name] = true
					count[line.Function.Name]++
				}
			}
		}
		for k, v := range sample.Label {
			s.values[k] = v[0]
		}
		for k, v := range sample.NumLabel {
			s.numbers[k] = max(s.numbers[k], v[0]/2)
		}
	}
	s.keys, s.numKeys = slices.Sorted(maps.Keys(s.values)), slices.Sorted(maps.Keys(s.numbers))
	s.names = slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	if len(s.names) == 0 {
		s.names = []string{"main"} // bare addresses
	}
	kept := p.Sample[:0]
	for i, sample := range p.Sample {
		if i%3 == 0 {
			continue
		}
		if i%5 == 0 {
			for v := range sample.Value {
				sample.Value[v] *= 2
			}
		}
		kept = append(kept, sample)
	}
	p.Sample = kept
	s.base = filepath.Join(tmp, fmt.Sprintf("base-%s.pb.gz", strings.ReplaceAll(s.name, "/", "-")))
	f, err := os.Create(s.base)
	if err != nil {
		return nil, err
	}
	if err := p.Write(f); err != nil {
		f.Close()
		return nil, err
	}
	return s, f.Close()
}
