package gobench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whet/internal/capture/process"
	"whet/internal/lazyregexp"
)

// processFailure describes a process that failed.
type processFailure struct {
	target         *Target
	res            *process.Result
	stdout, stderr string // bounded
	limit          time.Duration
	what           string // "BenchmarkX", "the test run": begins the sentence
	bench          string // the benchmark, when it was one
	lines          int    // results it printed before
}

// ending explains how the process ended.
func ending(s processFailure) *Error {
	detail := strings.TrimRight(s.stdout+s.stderr, "\n")
	fail := func(kind Kind, format string, args ...any) *Error {
		return newError(kind, s.bench, fmt.Sprintf(format, args...), detail)
	}
	switch s.res.Ending {
	case process.TimedOut:
		// The process was asked where its goroutines were.
		at := ""
		if c, ok := findCrash(s.stderr); ok {
			c.trace = benchmarkTrace(c.trace)
			detail = c.trace
			if name := c.benchmark(); name != "" && s.bench == "" {
				s.bench, s.what = name, name
			}
			if place := c.place(s.target); place != "" {
				at = " (it was at " + place + ")"
			}
		}
		return fail(KindTimeout, "%s did not finish within %v%s: raise -timeout or -budget", s.what, s.limit.Round(time.Millisecond), at)
	case process.Flooded:
		return fail(KindOutput, "%s was stopped after printing %d bytes: make it print less", s.what, s.res.OutputBytes)
	}
	if c, ok := findCrash(s.stderr); ok {
		detail = c.trace
		if name := c.benchmark(); name != "" && s.bench == "" {
			s.bench, s.what = name, name
		}
		at := ""
		if place := c.place(s.target); place != "" {
			at = " at " + place
		}
		if strings.Contains(c.message, "unexpected call to os.Exit(0)") {
			return fail(KindExit, "%s ended the process%s (exit status 0) before it reported a result: remove the call to os.Exit", s.what, at)
		}
		if c.fatal {
			return fail(KindPanic, "%s crashed%s: %s", s.what, at, c.message)
		}
		return fail(KindPanic, "%s panicked%s: %s", s.what, at, c.message)
	}
	if name, message, ok := findFailure(s.stdout); ok {
		if strings.HasPrefix(name, "Benchmark") && s.bench == "" {
			s.bench = name
		}
		if message == "" {
			return fail(KindFailed, "%s failed", name)
		}
		return fail(KindFailed, "%s failed: %s", name, message)
	}
	last := ""
	if l := lastLine(s.stderr); l != "" {
		last = fmt.Sprintf("; the last line on stderr: %q", shortLine(l, 160))
	} else if l := lastLine(s.stdout); l != "" && s.bench == "" {
		last = fmt.Sprintf("; the last line it printed: %q", shortLine(l, 160))
	}
	if s.res.Signal != "" {
		if s.res.Signal == "killed" {
			return fail(KindExit, "%s was killed (signal: killed): most likely the machine or its control group ran out of memory%s", s.what, last)
		}
		return fail(KindExit, "%s was ended by a signal (%s)%s", s.what, s.res.Signal, last)
	}
	if s.lines > 0 {
		return fail(KindFailed, "%s reported a result, then its process failed (%s)%s", s.what, s.res.Status(), last)
	}
	if s.bench == "" && !strings.HasPrefix(s.what, "the benchmarks") {
		return fail(KindExit, "%s failed (%s)%s", s.what, s.res.Status(), last)
	}
	return fail(KindExit, "%s ended the process (%s) before it reported a result%s", s.what, s.res.Status(), last)
}

// crash is the runtime's last words.
type crash struct {
	message string // of the panic or fatal error
	fatal   bool   // not a panic
	trace   string
}

var goroutineHeader = lazyregexp.Pattern{Text: `(?m)^goroutine \d+ .*\[.*\]:\r?$`}

// findCrash finds the panic or fatal error in front of the first goroutine's
// trace. Lines that merely begin with "panic:" in a log have no trace.
func findCrash(stderr string) (crash, bool) {
	at := goroutineHeader.Regexp().FindStringIndex(stderr)
	if at == nil {
		return crash{}, false
	}
	before, start := stderr[:at[0]], -1
	for _, mark := range []string{"panic: ", "fatal error: ", "SIGSEGV: ", "SIGBUS: ", "SIGFPE: ", "SIGABRT: ", "SIGILL: ", "SIGQUIT: "} {
		if strings.HasPrefix(before, mark) {
			start = max(start, 0)
		}
		if i := strings.LastIndex(before, "\n"+mark); i >= 0 {
			start = max(start, i+1)
		}
	}
	if start < 0 {
		return crash{}, false
	}
	c := crash{trace: stderr[start:]}
	line, rest, _ := strings.Cut(stderr[start:], "\n")
	line = strings.TrimRight(line, "\r")
	if after, ok := strings.CutPrefix(line, "panic: "); ok {
		c.message = strings.TrimSpace(strings.NewReplacer(" [recovered, repanicked]", "", " [recovered]", "").Replace(after))
	} else {
		c.fatal = true
		c.message = strings.TrimPrefix(line, "fatal error: ")
	}
	if c.message == "" {
		c.message = firstLine(rest)
	}
	if strings.Contains(stderr[start:at[1]], "signal arrived during cgo execution") {
		c.message += " (in C code)"
	}
	return c, true
}

// benchmarkTrace cuts the goroutine that runs a benchmark or a test out of a
// dump of all, the innermost where one runs another, or returns the dump where
// there is none. The main goroutine only waits.
func benchmarkTrace(dump string) string {
	found := dump
	for block := range strings.SplitSeq(dump, "\n\n") {
		runs := strings.Contains(block, "\ntesting.(*B).runN(") || strings.Contains(block, "\ntesting.tRunner(")
		if runs && !strings.Contains(block, "\nmain.main(") {
			found = block + "\n"
		}
	}
	return found
}

var benchFrame = lazyregexp.Pattern{Text: `(?m)^\S*\.(Benchmark[^\s.(]*)(\.\S*)?\(`}

// benchmark returns the benchmark whose function stands in the trace.
func (c crash) benchmark() string {
	if m := benchFrame.Regexp().FindStringSubmatch(c.trace); m != nil {
		return m[1]
	}
	return ""
}

// place is file:line of the uppermost frame in source that the user owns, for
// want of one, of the uppermost outside of the runtime and package testing.
func (c crash) place(t *Target) string {
	first := ""
	function := ""
	for line := range strings.Lines(c.trace) {
		if !strings.HasPrefix(line, "\t") {
			function = line
			continue
		}
		file, number, ok := splitPlace(strings.TrimSpace(line))
		if !ok || file == "_testmain.go" {
			continue
		}
		for _, prefix := range []string{"panic(", "runtime.", "runtime/", "testing.", "internal/runtime/", "os.Exit(", "created by testing."} {
			if strings.HasPrefix(function, prefix) {
				file = ""
			}
		}
		if file == "" {
			continue
		}
		name, mine := display(t, file)
		if mine {
			return name + ":" + number
		}
		if first == "" {
			first = name + ":" + number
		}
	}
	return first
}

// splitPlace splits "/dir/x.go:12 +0x1d".
func splitPlace(s string) (file, line string, ok bool) {
	s, _, _ = strings.Cut(s, " +0x")
	i := strings.LastIndexByte(s, ':')
	if i <= 0 || i+1 == len(s) || strings.Trim(s[i+1:], "0123456789") != "" {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// display shortens a file's name: relative to the package, or to the module
// that owns it.
func display(t *Target, file string) (string, bool) {
	if t == nil {
		return filepath.Base(file), false
	}
	dirs := []string{t.Dir}
	for _, m := range t.Own {
		dirs = append(dirs, m.Dir)
	}
	for _, dir := range dirs {
		if rel, err := filepath.Rel(dir, filepath.FromSlash(file)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	// Built with -trimpath, files are named by import path.
	if rest, ok := strings.CutPrefix(file, t.ImportPath+"/"); ok {
		return rest, true
	}
	return file, false
}

// A benchmark's own verdict may stand after its name on the same line.
var (
	failLine = lazyregexp.Pattern{Text: `--- FAIL: (\S+)[^\n]*\n?`}
	subFail  = lazyregexp.Pattern{Text: `^\s+--- FAIL: `}
	procsEnd = lazyregexp.Pattern{Text: `-\d+$`}
)

// findFailure finds the innermost of the first failures that the testing
// package reported, and the first line of its log.
func findFailure(stdout string) (name, message string, ok bool) {
	for {
		at := failLine.Regexp().FindStringSubmatchIndex(stdout)
		if at == nil {
			return name, message, ok
		}
		name, ok = stdout[at[2]:at[3]], true
		rest := stdout[at[1]:]
		// A failed sub-test is reported below its parent, indented.
		if subFail.Regexp().MatchString(rest) {
			stdout = rest
			continue
		}
		line, _, _ := strings.Cut(rest, "\n")
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			message = strings.TrimSpace(line)
		}
		if strings.HasPrefix(name, "Benchmark") {
			name = procsEnd.Regexp().ReplaceAllString(name, "")
		}
		return name, message, ok
	}
}

func lastLine(text string) string {
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		line = strings.TrimSpace(line)
		if line != "" && line != "FAIL" && !strings.HasPrefix(line, "exit status ") {
			return line
		}
	}
	return ""
}

// noResult explains a run that ended well without the result asked for, by
// running one iteration with -test.v, which says what was skipped.
func (b *Binary) noResult(ctx context.Context, r Run, s processFailure) *Error {
	const limit = 20 * time.Second
	detail := s.stdout + s.stderr
	none := newError(KindNoResult, s.bench, s.what+" ended without a result: no benchmark of that name ran to its end, or its output hides the result", detail)
	again := Run{Bench: r.Bench, Pattern: r.Pattern, BenchTime: "1x", CPU: r.CPU, Timeout: limit}
	args, err := again.args()
	if err != nil {
		return none
	}
	// A benchmark that panics signals its end before the panic is printed:
	// package testing may be done, with status 0, before. That is a race which
	// it rarely wins, so that a few tries see the panic.
	for range 4 {
		c := b.command(append(append(args, "-test.v"), r.Args...), limit)
		c.Env, c.Processors = append(c.Env, r.Env...), r.Processors
		out, errs := process.NewBounded(keptHead, keptTail), process.NewBounded(keptHead, keptTail)
		c.Stdout, c.Stderr = out, errs
		res, err := b.run(ctx, "run "+s.what, c)
		if err != nil || res == nil {
			break
		}
		if res.Ending == process.Exited && !res.OK() {
			again := s
			again.res, again.stdout, again.stderr, again.limit = res, string(out.Bytes()), string(errs.Bytes()), limit
			return ending(again)
		}
		if reason, ok := findSkip(string(out.Bytes())); ok {
			text := s.what + " skips itself"
			if reason != "" {
				text += ": " + reason
			}
			return newError(KindNoResult, s.bench, text, detail)
		}
		// With -test.v the name of each sub-benchmark is printed as it begins.
		if strings.Contains(r.Pattern, "/") && !subBenchmark.Regexp().Match(out.Bytes()) {
			return newError(KindNoMatch, r.Bench, fmt.Sprintf("%s has no sub-benchmark that %s matches", r.Bench, r.Pattern), detail)
		}
		if !res.OK() {
			break // it hung, or was killed
		}
	}
	return none
}

var subBenchmark = lazyregexp.Pattern{Text: `(?m)^(=== RUN +)?Benchmark[^\s/]*/`}

// findSkip reads the output of -test.v: the log comes first, indented, then the
// verdict.
func findSkip(stdout string) (reason string, ok bool) {
	before, _, ok := strings.Cut(stdout, "--- SKIP: ")
	if !ok {
		return "", false
	}
	lines := strings.Split(strings.TrimRight(before, " \n"), "\n")
	if last := lines[len(lines)-1]; strings.HasPrefix(last, "    ") {
		reason = strings.TrimSpace(last)
	}
	return reason, true
}
