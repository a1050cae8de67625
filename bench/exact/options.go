package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// option is one of pprof's, with a value.
type option struct {
	name string
	args []string // as both tools take it
}

// deck is every pair of different options, shuffled: whatever part of it is
// dealt to a profile and a view, all of it has been when it is dealt out.
func deck(s *testProfile, seed uint64) [][]option {
	all := table(s)
	var pairs [][]option
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.name != b.name && !exclude(a.name, b.name) {
				pairs = append(pairs, []option{a, b})
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return append([][]option{{}}, pairs...)
}

// exclude tells pairs that both tools refuse, or of which only one counts.
func exclude(a, b string) bool {
	columns := []string{"sample_index", "alloc_space", "alloc_objects", "inuse_space", "inuse_objects", "mean_delay"}
	bases := []string{"base", "diff_base", "normalize"}
	return slices.Contains(columns, a) && slices.Contains(columns, b) || slices.Contains(bases, a) && slices.Contains(bases, b)
}

// table holds the options that a profile is tried with. Expressions are made
// of its own names, so that they match something.
func table(s *testProfile) []option {
	var out []option
	add := func(name string, args ...string) { out = append(out, option{name: name, args: args}) }
	add("cum", "-cum")
	for i, t := range s.types {
		add("sample_index", "-sample_index="+t)
		if i == 0 {
			add("sample_index", "-sample_index=0")
		}
	}
	for _, t := range []string{"alloc_space", "alloc_objects", "inuse_space", "inuse_objects"} {
		if slices.Contains(s.types, t) {
			add(t, "-"+t)
		}
	}
	if slices.Contains(s.types, "delay") {
		add("mean_delay", "-mean_delay")
	}
	some := func(i int) string { return regexp.QuoteMeta(s.names[i%len(s.names)]) }
	few := func(i, n int) string {
		var parts []string
		for range n {
			parts = append(parts, some(i))
			i += 3
		}
		return strings.Join(parts, "|")
	}
	add("focus", "-focus="+few(2, 2))
	add("focus", "-focus=^runtime|http|gc")
	add("ignore", "-ignore="+few(7, 2))
	add("ignore", "-ignore=malloc|park")
	add("hide", "-hide=^runtime\\.")
	add("hide", "-hide="+few(1, 3))
	add("show", "-show=^runtime|http|compile|main|gc")
	add("show", "-show="+few(0, 9))
	add("show_from", "-show_from="+few(3, 4))
	add("show_from", "-show_from=http|compile|main")
	add("prune_from", "-prune_from="+few(5, 2))
	add("prune_from", "-prune_from=malloc|json|park$")
	for i, key := range s.keys {
		if i == 2 {
			break
		}
		value := s.values[key]
		add("tagfocus", "-tagfocus="+key+"="+regexp.QuoteMeta(value))
		add("tagfocus", "-tagfocus="+regexp.QuoteMeta(value)+",.*")
		add("tagignore", "-tagignore="+regexp.QuoteMeta(value))
		add("tagshow", "-tagshow="+key)
		add("taghide", "-taghide="+key)
		add("tagroot", "-tagroot="+key)
		add("tagleaf", "-tagleaf="+key)
	}
	if len(s.keys) > 1 {
		add("tagroot", "-tagroot="+s.keys[1]+","+s.keys[0])
		add("tagleaf", "-tagleaf="+s.keys[0]+",none,"+s.keys[1])
	}
	for _, key := range s.numKeys {
		add("tagfocus", fmt.Sprintf("-tagfocus=%s=%d:", key, s.numbers[key]))
		add("tagfocus", fmt.Sprintf("-tagfocus=:%d", s.numbers[key]))
		add("tagignore", fmt.Sprintf("-tagignore=%s=:%d", key, s.numbers[key]))
		add("tagshow", "-tagshow="+key)
		add("taghide", "-taghide="+key)
		add("tagroot", "-tagroot="+key)
		add("tagleaf", "-tagleaf="+key)
	}
	if len(s.keys)+len(s.numKeys) == 0 {
		for _, name := range []string{"tagfocus", "tagignore", "tagshow", "taghide", "tagroot", "tagleaf"} {
			add(name, "-"+name+"=none")
		}
	}
	for _, g := range []string{"functions", "filefunctions", "files", "lines", "addresses"} {
		add("granularity", "-"+g)
	}
	add("nodecount", "-nodecount=5")
	add("nodecount", "-nodecount=33")
	add("nodecount", "-nodecount=0")
	add("nodefraction", "-nodefraction=0.03")
	add("nodefraction", "-nodefraction=0")
	add("edgefraction", "-edgefraction=0.04")
	add("edgefraction", "-edgefraction=0")
	add("call_tree", "-call_tree")
	add("trim", "-trim=false")
	add("unit", "-unit=auto")
	add("unit", "-unit=ms")
	add("unit", "-unit=kB")
	add("divide_by", "-divide_by=3")
	add("divide_by", "-divide_by=0.7")
	add("base", "-base="+s.base)
	add("diff_base", "-diff_base="+s.base)
	add("normalize", "-normalize", "-base="+s.base)
	add("normalize", "-normalize", "-diff_base="+s.base)
	add("drop_negative", "-drop_negative")
	add("relative_percentages", "-relative_percentages")
	add("noinlines", "-noinlines")
	add("showcolumns", "-showcolumns")
	add("mean", "-mean")
	add("compact_labels", "-compact_labels")
	add("symbolize", "-symbolize=none")
	add("symbolize", "-symbolize=local")
	add("source_path", "-source_path=src:lib")
	add("trim_path", "-trim_path=/usr/local/go:/usr")
	add("buildid", "-buildid=0123456789abcdef")
	return out
}
