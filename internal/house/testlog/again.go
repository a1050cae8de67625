package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// mostAgain is how many failures may be the machine's. More are the code's.
const mostAgain = 3

// failure is a test that failed and of which no subtest did.
type failure struct{ pkg, test string }

// pattern is what -run is given for it alone.
func (f failure) pattern() string {
	parts := strings.Split(f.test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// leaves are the tests among those that failed which did not fail because a
// subtest did.
func leaves(pkg string, fails []string) []failure {
	var out []failure
	for _, test := range fails {
		if !slices.ContainsFunc(fails, func(other string) bool { return strings.HasPrefix(other, test+"/") }) {
			out = append(out, failure{pkg, test})
		}
	}
	return out
}

// defect is what the runtime says, at the beginning of a line: a test that quotes
// another program's panic has its line indented.
var defect = regexp.MustCompile(`(?m)^(WARNING: DATA RACE|panic: |fatal error: )|race detected during execution`)

// mayBeUnsteady reports whether a package that failed did so because of tests
// that ended and said so. A crash, a deadlock or a data race is a defect, though
// it does not come back every time.
func (r *run) mayBeUnsteady() bool {
	if len(r.fails) == 0 {
		return false
	}
	for test, text := range r.tests {
		if _, ended := r.bad[test]; test != "" && !ended {
			return false
		}
		if defect.MatchString(text.String()) {
			return false
		}
	}
	return true
}

// unsteady runs each test that failed once more, and reports whether all of them
// passed.
func (s *summary) unsteady(rerun func(failure) (io.ReadCloser, error)) bool {
	if len(s.again) > mostAgain {
		return false
	}
	ok := true
	for _, f := range s.again {
		if err := s.passes(f, rerun); err != nil {
			fmt.Fprintf(s.out, "alone: %s %s: %v\n", f.pkg, f.test, err)
			ok = false
			continue
		}
		fmt.Fprintf(s.out, "alone: %s %s passes: beside the others it is unsteady, and has to be mended\n", f.pkg, f.test)
	}
	return ok
}

// passes runs one test alone. That nothing failed is not enough: it has to have
// been run, and to have passed.
func (s *summary) passes(f failure, rerun func(failure) (io.ReadCloser, error)) error {
	stream, err := rerun(f)
	if err != nil {
		return err
	}
	again := &summary{out: s.out, runs: make(map[string]*run)}
	passed := false
	for d := json.NewDecoder(stream); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return errors.Join(fmt.Errorf("read the test stream: %w", err), stream.Close())
		}
		again.add(e)
		passed = passed || e.Action == "pass" && e.Test == f.test
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if !passed || again.failed > 0 || again.broken || len(again.runs) > 0 {
		return errors.New("failed again")
	}
	return nil
}

// alone returns what runs a failure with a go test command, which is given -run
// and the package; nil without one.
func alone(command []string) func(failure) (io.ReadCloser, error) {
	if len(command) == 0 {
		return nil
	}
	return func(f failure) (io.ReadCloser, error) {
		args := append(slices.Clone(command[1:]), "-run", f.pattern(), f.pkg)
		cmd := exec.Command(command[0], args...)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		return process{out, cmd}, err
	}
}

// process is the output of a command; closing it waits for its end.
type process struct {
	io.Reader
	cmd *exec.Cmd
}

// Close returns nil where go test reports a failure, which its stream holds.
func (p process) Close() error {
	var exit *exec.ExitError
	if err := p.cmd.Wait(); !errors.As(err, &exit) {
		return err
	}
	return nil
}
