package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
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
		if dir := "drivers/" + c.Driver; c.Driver != "" {
			if _, err := drivers.ReadDir(dir); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		modules[c.Module] = true
		commits[c.Module+"@"+c.Commit] = true
		if c.Kind != kindBenchmark {
			programs++
		}
	}
	if len(commits) < 80 || len(modules) < 50 || programs < 15 || len(tuned) < 25 {
		t.Errorf("%d commits of %d modules, %d of them programs or services, and %d tuned packages; 80, 50, 15 and 25 are asked for", len(commits), len(modules), programs, len(tuned))
	}
}

func TestValidate(t *testing.T) {
	good := Case{Name: "a-b", Kind: kindBenchmark, Module: "github.com/rivo/uniseg", Before: "v0.4.4", After: "v0.4.6", Commit: "e258aa1", Package: ".", Bench: "X",
		Places: []Range{{File: "a.go", From: 1, To: 2}}, Change: "x", Cause: "copy", Principle: "share", Remedy: "z", Judged: "y"}
	if err := good.validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Case){
		"for judging":      func(c *Case) { c.Module = "github.com/yuin/goldmark" },
		"lower-case words": func(c *Case) { c.Name = "A b" },
		"no version":       func(c *Case) { c.Before = "main" },
		"not lie in":       func(c *Case) { c.Package = "../x" },
		"nobody judged":    func(c *Case) { c.Judged = "" },
		"no day":           func(c *Case) { c.Seen = "today" },
		"no test file":     func(c *Case) { c.Tests = []string{"x.go"} },
		"no file":          func(c *Case) { c.Inputs = []Input{{Path: "/etc/passwd", Times: 1}} },
		"no range":         func(c *Case) { c.Places = []Range{{File: "a.go", From: 2, To: 1}} },
		"has places":       func(c *Case) { c.Places = nil },
		"has a commit":     func(c *Case) { c.Commit = "" },
		"has a remedy":     func(c *Case) { c.Remedy = "" },
		"vocabulary":       func(c *Case) { c.Cause = "bad luck" },
		"principle":        func(c *Case) { c.Principle = "bad luck" },
		"has no cause":     func(c *Case) { c.Kind, c.Places = kindTuned, nil },
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

// doc.go defines each cause and each principle, and no other.
func TestCauses(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	ofCauses, ofPrinciples, ok := strings.Cut(string(text), "principle of waste")
	if !ok {
		t.Fatal("doc.go has no principles")
	}
	for what, of := range map[string]struct {
		text string
		want []string
	}{"causes": {ofCauses, causes}, "principles": {ofPrinciples, principles}} {
		var defined []string
		for _, m := range regexp.MustCompile(`(?m)^//\t([a-z-]+)  `).FindAllStringSubmatch(of.text, -1) {
			defined = append(defined, m[1])
		}
		slices.Sort(defined)
		if !slices.Equal(defined, of.want) {
			t.Errorf("doc.go defines the %s %q, want %q", what, defined, of.want)
		}
	}
}

// Each principle's cases add up to all of them, and so do those that were right.
func TestByPrinciple(t *testing.T) {
	all := []Case{
		{Name: "a", Kind: kindBenchmark, Principle: "again"}, {Name: "b", Kind: kindProgram, Principle: "again", Seen: "2026-11-27b"},
		{Name: "c", Kind: kindService, Principle: "part", Seen: "2026-11-27b"}, {Name: "d", Kind: kindTuned},
	}
	claims := []Claim{{Rule: "r", File: "f.go", Line: 1}}
	rows := map[string]Row{"a": {Claims: claims}, "b": {Claims: claims}, "d": {}}
	table := byPrinciple(all, rows, map[claimKey]string{{"b", "r", "f.go", 1}: judgedCause})
	want := map[string]string{"again": "[again 2 1 1 of 2 (50.0 %) 1 of 1 (100.0 %)]", "part": "[part 1 1 – –]", "all": "[all 3 2 1 of 2 (50.0 %) 1 of 1 (100.0 %)]"}
	if len(table.Rows) != len(principles)+1 || table.Rows[0][0] != "again" || table.Rows[1][0] != "part" {
		t.Errorf("rows in the order %v", table.Rows)
	}
	for _, row := range table.Rows {
		if text := fmt.Sprint(row); want[row[0]] != "" && text != want[row[0]] {
			t.Errorf("%s, want %s", text, want[row[0]])
		}
	}
}

// A part of the corpus has a column once a row of it is kept, in the order of the looks.
func TestColumns(t *testing.T) {
	all := []Case{{Name: "a", Seen: "2026-11-28b"}, {Name: "b", Seen: "2026-11-27"}, {Name: "uniseg-graphemes"}}
	for _, x := range []struct {
		rows map[string]Row
		want []string
	}{
		{nil, nil},
		{map[string]Row{"b": {}, "uniseg-graphemes": {}}, []string{halfOpen, halfSecond}},
		{map[string]Row{"a": {}, "uniseg-graphemes": {}, "gone": {}}, []string{halfOpen, halfFifth}},
	} {
		if got := columnsOf(all, x.rows); !slices.Equal(got, x.want) {
			t.Errorf("%v: %q, want %q", x.rows, got, x.want)
		}
	}
}

// A lot hangs on the name alone, and both halves get enough of every kind.
func TestHalves(t *testing.T) {
	// printf uniseg-graphemes | sha256sum ends in a, printf orb-wkt in 5.
	for name, want := range map[string]string{"uniseg-graphemes": "open", "orb-wkt": "aside"} {
		c := Case{Name: name, Kind: "any"}
		if got := c.half(); got != want {
			t.Errorf("%s is in the half %s, want %s", name, got, want)
		}
	}
	all, err := cases()
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, c := range all {
		count[c.half()]++
	}
	if drawn := count[halfOpen] + count[halfAside]; count[halfOpen]*3 < drawn || count[halfAside]*3 < drawn {
		t.Errorf("the lot is uneven: %v of %d", count, drawn)
	}
	// What was looked at once as new stays apart, whatever the lot.
	for seen, want := range looks {
		if c := (Case{Name: "uniseg-graphemes", Seen: seen}); c.half() != want {
			t.Errorf("a case that was new on %s is in %s, want %s", seen, c.half(), want)
		}
	}
	if count[halfSecond] < 24 || count[halfThird] < 30 || count[halfFourth] < 12 || count[halfFifth] < 16 {
		t.Errorf("%d cases of the second look, %d of the third, %d of the fourth and %d of the fifth, 24, 30, 12 and 16 were asked for", count[halfSecond], count[halfThird], count[halfFourth], count[halfFifth])
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
