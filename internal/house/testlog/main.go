package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	ok, err := summarize(os.Stdin, os.Stdout, os.Getenv("CI") == "true")
	if err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// event is a line of go test -json; go doc test2json describes it.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// run is a package's tests until it is done.
type run struct {
	tests map[string]*strings.Builder // output of each test; "" is the package's own
	order []string                    // of the tests, as they first printed
	bad   map[string]bool             // failed or skipped
}

type summary struct {
	out                     io.Writer
	runs                    map[string]*run
	passed, failed, skipped int
	broken                  bool // something failed that is no test: a build, a crash, a race
	goFailed                bool // go test says that something did
}

// summarize reads the stream to its end and reports whether all is well.
func summarize(in io.Reader, out io.Writer, ci bool) (ok bool, err error) {
	s := &summary{out: out, runs: make(map[string]*run)}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil || e.Action == "":
			out.Write(line) // not of the stream: go's own complaint
		default:
			s.add(e)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, fmt.Errorf("read the test stream: %w", err)
		}
	}
	for name := range s.runs {
		fmt.Fprintf(out, "%s: the stream ends before the package does\n", name)
		s.broken = true
	}
	if s.goFailed && s.failed == 0 && !s.broken {
		fmt.Fprintln(out, "go test failed, and no test of it did")
		s.broken = true
	}
	fmt.Fprintf(out, "%d tests passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	if ci && s.skipped > 0 {
		fmt.Fprintln(out, "in CI a skipped test is a failure")
		return false, nil
	}
	if s.passed+s.failed+s.skipped == 0 {
		fmt.Fprintln(out, "no test was run")
		return false, nil
	}
	return !s.broken && s.failed == 0, nil
}

func (s *summary) add(e event) {
	switch e.Action {
	case "failed": // the Makefile's: go test's own exit status
		s.goFailed = true
		return
	case "build-output":
		io.WriteString(s.out, e.Output)
		return
	case "build-fail":
		s.broken = true
		return
	}
	r := s.runs[e.Package]
	if r == nil {
		r = &run{tests: make(map[string]*strings.Builder), bad: make(map[string]bool)}
		s.runs[e.Package] = r
	}
	switch e.Action {
	case "output":
		if r.tests[e.Test] == nil {
			r.tests[e.Test] = new(strings.Builder)
			r.order = append(r.order, e.Test)
		}
		r.tests[e.Test].WriteString(e.Output)
		return
	case "pass", "fail", "skip":
	default:
		return // start, run, pause, cont
	}
	if e.Test == "" {
		delete(s.runs, e.Package)
		s.print(r, e.Action == "fail")
		s.broken = s.broken || e.Action == "fail"
		return
	}
	r.bad[e.Test] = e.Action != "pass"
	switch e.Action {
	case "pass":
		s.passed++
	case "fail":
		s.failed++
	case "skip":
		s.skipped++
	}
}

// print shows a package that is done: its own lines last, before them those
// of tests that failed, were skipped, or never ended.
func (s *summary) print(r *run, failed bool) {
	for _, test := range r.order {
		bad, ended := r.bad[test]
		if test == "" || ended && !bad || !ended && !failed {
			continue
		}
		for line := range strings.Lines(r.tests[test].String()) {
			if !strings.HasPrefix(line, "=== ") {
				io.WriteString(s.out, line)
			}
		}
	}
	own := r.tests[""]
	if own == nil {
		return
	}
	for line := range strings.Lines(own.String()) {
		if line == "PASS\n" || line == "testing: warning: no tests to run\n" {
			continue
		}
		io.WriteString(s.out, line)
	}
}
