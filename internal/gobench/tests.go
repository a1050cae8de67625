package gobench

import (
	"context"
	"io"
	"strings"
	"time"

	"whet/internal/capture/process"
)

// Tests is the outcome of running tests.
type Tests struct {
	Ran      bool // at least one test matched
	Passed   bool
	TimedOut bool
	Output   string // bounded
	// FirstFailure describes the first failure in one line, "" without one.
	FirstFailure string
}

// Test runs the tests that run, as for -run, selects; "" selects all. The
// error is not nil only when the binary could not be started or the context
// was done; failing tests are in the outcome. limit 0 is none.
func (b *Binary) Test(ctx context.Context, run string, limit time.Duration) (Tests, error) {
	args := []string{"-test.count=1", "-test.paniconexit0=true"}
	if run != "" {
		args = append(args, "-test.run="+run)
	}
	if limit > 0 {
		args = append(args, "-test.timeout="+backstop(limit).String())
	}
	c := b.command(args, limit)
	out, errs, kept := process.NewBounded(keptHead, keptTail), process.NewBounded(keptHead, keptTail), process.NewBounded(keptHead, keptTail)
	c.Stdout, c.Stderr = io.MultiWriter(out, kept), io.MultiWriter(errs, kept)
	what := "run the tests of " + b.Target.ImportPath
	res, err := b.run(ctx, what, c)
	if err != nil {
		return Tests{}, err
	}
	t := Tests{Output: bound(string(kept.Bytes())), Passed: res.OK(), TimedOut: res.Ending == process.TimedOut}
	stdout, stderr := string(out.Bytes()), string(errs.Bytes())
	t.Ran = !strings.Contains(stderr+stdout, "testing: warning: no tests to run")
	if !t.Passed {
		t.Ran = true
		t.FirstFailure = ending(processFailure{
			target: b.Target, res: res, stdout: stdout, stderr: stderr, limit: limit, what: "the test run",
		}).Text
	}
	return t, nil
}
