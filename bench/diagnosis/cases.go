package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed cases.json
var casesJSON []byte

// The kinds of case.
const (
	kindBenchmark = "benchmark" // a benchmark of the module's
	kindProgram   = "program"   // a main package of the module's, with an input
	kindService   = "service"   // a server in the module's own code, under load
	kindTuned     = "tuned"     // a benchmark of a well-tuned package
)

// Case is a speed-up, or one package that needs none.
type Case struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Module  string `json:"module"`
	Before  string `json:"before"`           // version that is measured
	After   string `json:"after,omitempty"`  // the first known to the proxy that has the commit
	Commit  string `json:"commit,omitempty"` // the speed-up
	Package string `json:"package"`          // of the benchmark or the program, relative to the module's root
	Bench   string `json:"bench,omitempty"`  // -bench
	// Tests are files of the author's tests that came with the commit and hold
	// the benchmark, and their testdata: they are taken from After.
	Tests  []string `json:"tests,omitempty"`
	Args   []string `json:"args,omitempty"`   // of a program
	Inputs []Input  `json:"inputs,omitempty"` // of a program
	Driver string   `json:"driver,omitempty"` // a directory of drivers: the server of a service, or the benchmark
	URL    string   `json:"url,omitempty"`    // of a service: the path that is put under load
	Header string   `json:"header,omitempty"` // of a service: sent with each request

	Places []Range `json:"places,omitempty"`
	Change string  `json:"change,omitempty"` // what was slow and what the author did
	Cause  string  `json:"cause,omitempty"`  // why it was slow: one of causes
	// Principle is why that was waste, whatever it was done with: one of principles.
	Principle string `json:"principle,omitempty"`
	Remedy    string `json:"remedy,omitempty"` // what the author did, in a few words
	Judged    string `json:"judged"`           // by hand: why the place is the right one
	// Seen is the look at which the case was new, by its day and, for a second look of
	// one day, a letter: the case was chosen, and its cause and remedy written down,
	// before whet had said anything of it.
	Seen string `json:"seen,omitempty"`
}

// The parts of the corpus. Rules are built by the open half; the other is set
// aside until they are done. Cases of a later look are neither: they were looked
// for when all those before were known.
const (
	halfOpen   = "open"
	halfAside  = "aside"
	halfSecond = "second"
	halfThird  = "third"
	halfFourth = "fourth"
	halfFifth  = "fifth"
)

var halves = []string{halfOpen, halfAside, halfSecond, halfThird, halfFourth, halfFifth}

// looks are the parts that are known by the look at which their cases were new.
var looks = map[string]string{"2026-11-27": halfSecond, "2026-11-27b": halfThird, "2026-11-28": halfFourth, "2026-11-28b": halfFifth}

// half is drawn by lot: the last hexadecimal digit of the SHA-256 of the
// case's name, even for the open half.
func (c *Case) half() string {
	if c.Seen != "" {
		return looks[c.Seen]
	}
	sum := sha256.Sum256([]byte(c.Name))
	if sum[len(sum)-1]%2 == 0 {
		return halfOpen
	}
	return halfAside
}

// causes are why a place is slow, as doc.go defines them.
var causes = []string{
	"algorithm", "allocation-per-call", "boxing", "byte-at-a-time", "clock", "concatenation", "conversion", "copy", "escape", "formatting", "growth",
	"indirection", "library-call", "lock", "map", "other", "reflection", "regexp", "regexp-compile", "repeated-work", "sort", "unbuffered-io", "unneeded-work",
}

// principles are why something is waste, as doc.go defines them.
var principles = []string{"again", "batch", "bulk", "general", "instruction", "memory", "part", "read", "roundtrip", "search", "share", "shortcut"}

// Range is a run of lines of the version before.
type Range struct {
	File     string `json:"file"` // relative to the module's root, slash-separated
	Function string `json:"function,omitempty"`
	From     int    `json:"from"`
	To       int    `json:"to"`
}

// Input is a file that is made for a program: a head, one text many times with
// its number for each verb, and a tail.
type Input struct {
	Path  string `json:"path"`
	Head  string `json:"head,omitempty"`
	Each  string `json:"each"`
	Times int    `json:"times"`
	Tail  string `json:"tail,omitempty"`
}

var (
	caseName   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	caseCommit = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
)

// cases returns the cases of cases.json, each valid.
func cases() ([]Case, error) {
	var out []Case
	if err := json.Unmarshal(casesJSON, &out); err != nil {
		return nil, fmt.Errorf("read cases.json: %w", err)
	}
	seen := make(map[string]bool)
	for i := range out {
		if err := out[i].validate(); err != nil {
			return nil, fmt.Errorf("read cases.json: case %d, %s: %w", i+1, out[i].Name, err)
		}
		if seen[out[i].Name] {
			return nil, fmt.Errorf("read cases.json: %s: the name is taken twice", out[i].Name)
		}
		seen[out[i].Name] = true
	}
	return out, nil
}

// allowed reports whether a module is for building, not for judging.
func allowed(module string) bool {
	sum := sha256.Sum256([]byte(module))
	return hex.EncodeToString(sum[:1])[0] <= '7'
}

func (c *Case) validate() error {
	switch {
	case !caseName.MatchString(c.Name):
		return errors.New("a name is lower-case words with hyphens between them")
	case !allowed(c.Module):
		return fmt.Errorf("the SHA-256 of %s begins with 8 to f: it is for judging", c.Module)
	case !strings.HasPrefix(c.Before, "v"):
		return fmt.Errorf("before %q is no version", c.Before)
	case !local(c.Package) && c.Package != ".":
		return fmt.Errorf("package %q does not lie in the module", c.Package)
	case c.Judged == "":
		return errors.New("nobody judged it")
	case c.Seen != "" && looks[c.Seen] == "":
		return fmt.Errorf("seen %q is no day of a look", c.Seen)
	}
	for _, t := range c.Tests {
		if !local(t) || !strings.HasSuffix(t, "_test.go") && !strings.Contains(t, "testdata/") || c.After == "" {
			return fmt.Errorf("tests: %q is no test file of a later version", t)
		}
	}
	for _, in := range c.Inputs {
		if !local(in.Path) || in.Times < 1 {
			return fmt.Errorf("inputs: %q is no file of the module, or empty", in.Path)
		}
	}
	for _, r := range c.Places {
		if !local(r.File) || !strings.HasSuffix(r.File, ".go") || strings.HasSuffix(r.File, "_test.go") || r.From < 1 || r.To < r.From {
			return fmt.Errorf("places: %s:%d-%d is no range of a source file", r.File, r.From, r.To)
		}
	}
	if (c.Kind == kindTuned) != (len(c.Places) == 0) {
		return errors.New("a speed-up has places, a tuned package none")
	}
	if c.Kind != kindTuned && (!caseCommit.MatchString(c.Commit) || c.After == "" || c.Change == "") {
		return errors.New("a speed-up has a commit, a version after it, and what it changed")
	}
	if c.Kind == kindTuned && c.Cause+c.Principle+c.Remedy != "" {
		return errors.New("a tuned package has no cause and no remedy")
	}
	if c.Kind != kindTuned && (!slices.Contains(causes, c.Cause) || c.Remedy == "") {
		return fmt.Errorf("a speed-up has a remedy and a cause of the vocabulary, not %q", c.Cause)
	}
	if c.Kind != kindTuned && !slices.Contains(principles, c.Principle) {
		return fmt.Errorf("a speed-up has a principle of the vocabulary, not %q", c.Principle)
	}
	switch c.Kind {
	case kindBenchmark, kindTuned:
		if _, err := regexp.Compile(c.Bench); err != nil || c.Bench == "" {
			return fmt.Errorf("bench %q is no pattern", c.Bench)
		}
	case kindProgram:
	case kindService:
		if !local(c.Driver) || !strings.HasPrefix(c.URL, "/") {
			return errors.New("a service has a driver and a path")
		}
	default:
		return fmt.Errorf("kind %q is not known", c.Kind)
	}
	return nil
}

// local reports whether a slash-separated path stays below where it begins.
func local(p string) bool {
	return p != "" && path.Clean(p) == p && !path.IsAbs(p) && p != "." && p != ".." && !strings.HasPrefix(p, "../")
}

// right reports whether a place is one that the commit changed.
func (c *Case) right(file string, lines ...int) bool {
	return slices.ContainsFunc(c.Places, func(r Range) bool {
		return r.File == file && slices.ContainsFunc(lines, func(l int) bool { return r.From <= l && l <= r.To })
	})
}
