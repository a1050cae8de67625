package main

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// view is a view as both tools are asked for it.
type view struct {
	name    string
	pprof   []string
	whet    []string
	pattern bool // pprof: -peek=RE, whet: peek RE
	prompt  bool
}

var views = []view{
	{name: "top", pprof: []string{"-top"}, whet: []string{"top"}},
	{name: "tree", pprof: []string{"-tree"}, whet: []string{"tree"}},
	{name: "peek", whet: []string{"peek"}, pattern: true},
	{name: "tags", pprof: []string{"-tags"}, whet: []string{"tags"}},
	{name: "raw", pprof: []string{"-raw"}, whet: []string{"raw"}},
	{name: "traces", pprof: []string{"-traces"}, whet: []string{"raw", "-stacks"}},
	{name: "dot", pprof: []string{"-dot"}, whet: []string{"graph", "-dot", "-output=-"}},
	{name: "prompt", whet: []string{"prompt"}, prompt: true},
}

// run is a comparison.
type run struct {
	pprof, whet []string // their arguments
	script      string   // what they are told, of a prompt
}

// plan makes the command lines. An option that a verb of whet lacks should change
// nothing: pprof gets it, whet does not, and the texts must still be equal.
func (v view) plan(s *testProfile, pair []option, flags []string) run {
	var r run
	if v.prompt {
		r.script = script(s, pair)
		r.pprof, r.whet = []string{"-symbolize=none"}, []string{"prompt", "-symbolize=none"}
		for _, o := range pair {
			if loading(o) {
				r.pprof, r.whet = append(r.pprof, o.args...), append(r.whet, o.args...)
			}
		}
	} else {
		pattern := regexp.QuoteMeta(s.names[4%len(s.names)]) + "|" + regexp.QuoteMeta(s.names[len(s.names)/2]) + "|mallocgc$"
		r.pprof, r.whet = slices.Clone(v.pprof), slices.Clone(v.whet)
		if v.pattern {
			r.pprof = append(r.pprof, "-"+v.name+"="+pattern)
			r.whet = append(r.whet, pattern)
		}
		if !slices.ContainsFunc(pair, func(o option) bool { return o.name == "symbolize" }) {
			r.pprof, r.whet = append(r.pprof, "-symbolize=none"), append(r.whet, "-symbolize=none")
		}
		for _, o := range pair {
			r.pprof = append(r.pprof, o.args...)
			for _, a := range o.args {
				name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
				if slices.Contains(flags, name) {
					r.whet = append(r.whet, a)
				}
			}
		}
	}
	r.pprof, r.whet = append(r.pprof, s.file), append(r.whet, s.file)
	return r
}

// loading tells options of reading a profile from those of the prompt.
func loading(o option) bool {
	return slices.Contains([]string{"base", "diff_base", "normalize", "symbolize", "buildid", "alloc_space", "alloc_objects", "inuse_space", "inuse_objects", "mean_delay"}, o.name)
}

// script returns what a user types: views, then the pair of options, the same views
// again, filters on the line, and the options taken back one by one.
func script(s *testProfile, pair []option) string {
	quote := func(i int) string { return regexp.QuoteMeta(s.names[i%len(s.names)]) }
	commands := []string{"top", "top 7", "top7 -cum", "tree 12", "peek " + quote(3), "tags", "traces", "top 5 " + quote(1), "top -" + quote(2), "top " + quote(1) + " -" + quote(6) + " 3"}
	r := rand.New(rand.NewPCG(uint64(len(s.names)), uint64(len(pair))))
	r.Shuffle(len(commands), func(i, j int) { commands[i], commands[j] = commands[j], commands[i] })
	lines := slices.Clone(commands[:4])
	for i, o := range pair {
		if !loading(o) {
			set := strings.TrimPrefix(o.args[0], "-")
			switch o.name { // pprof refuses "lines" and "cum" alone, whet does not
			case "granularity":
				set = "granularity=" + set
			case "cum":
				set = "sort=" + set
			}
			lines = append(lines, set, commands[4+i])
		}
	}
	lines = append(lines, commands[6:]...)
	lines = append(lines, ":", commands[0], "exit")
	return strings.Join(lines, "\n") + "\n"
}
