package main

import (
	"strings"
	"testing"
)

// The corpus has the size and the spread that were asked for.
func TestCorpus(t *testing.T) {
	all, err := cases()
	if err != nil {
		t.Fatal(err)
	}
	modules, commits, programs, tuned := make(map[string]bool), make(map[string]bool), 0, make(map[string]bool)
	for _, c := range all {
		if c.Kind == kindTuned {
			tuned[c.Module+"/"+c.Package] = true
			continue
		}
		modules[c.Module] = true
		commits[c.Module+"@"+c.Commit] = true
		if c.Kind != kindBenchmark {
			programs++
		}
	}
	if len(commits) < 30 || len(modules) < 25 || programs < 6 || len(tuned) < 10 {
		t.Errorf("%d commits of %d modules, %d of them programs or services, and %d tuned packages; 30, 25, 6 and 10 are asked for", len(commits), len(modules), programs, len(tuned))
	}
}

func TestValidate(t *testing.T) {
	good := Case{Name: "a-b", Kind: kindBenchmark, Module: "github.com/rivo/uniseg", Before: "v0.4.4", After: "v0.4.6", Commit: "e258aa1", Package: ".", Bench: "X",
		Places: []Range{{File: "a.go", From: 1, To: 2}}, Change: "x", Judged: "y"}
	if err := good.validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Case){
		"for judging":      func(c *Case) { c.Module = "github.com/yuin/goldmark" },
		"lower-case words": func(c *Case) { c.Name = "A b" },
		"no version":       func(c *Case) { c.Before = "main" },
		"not lie in":       func(c *Case) { c.Package = "../x" },
		"nobody judged":    func(c *Case) { c.Judged = "" },
		"no test file":     func(c *Case) { c.Tests = []string{"x.go"} },
		"no file":          func(c *Case) { c.Inputs = []Input{{Path: "/etc/passwd", Times: 1}} },
		"no range":         func(c *Case) { c.Places = []Range{{File: "a.go", From: 2, To: 1}} },
		"has places":       func(c *Case) { c.Places = nil },
		"has a commit":     func(c *Case) { c.Commit = "" },
		"no pattern":       func(c *Case) { c.Bench = "(" },
		"not known":        func(c *Case) { c.Kind = "x" },
		"a driver":         func(c *Case) { c.Kind = kindService },
	} {
		c := good
		spoil(&c)
		if err := c.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestRight(t *testing.T) {
	c := Case{Places: []Range{{File: "a/b.go", From: 10, To: 20}, {File: "a/c.go", From: 5, To: 5}}}
	for _, x := range []struct {
		file  string
		lines []int
		want  bool
	}{
		{"a/b.go", []int{10}, true},
		{"a/b.go", []int{20}, true},
		{"a/b.go", []int{9, 21}, false},
		{"a/b.go", []int{9, 15}, true},
		{"a/c.go", []int{10}, false},
		{"b.go", []int{10}, false},
		{"a/c.go", nil, false},
	} {
		if got := c.right(x.file, x.lines...); got != x.want {
			t.Errorf("%s:%v: %t", x.file, x.lines, got)
		}
	}
}
