package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"whet/internal/capture/host"
	"whet/internal/capture/process"
	"whet/internal/load"
	"whet/internal/printable"
	"whet/internal/quantity"
	"whet/internal/recording"
)

// examiner tries the instruments. Its fields are the world it looks at, so
// that a test can show it another.
type examiner struct {
	root    fs.FS // the file system's root
	tempDir string
	// run starts a command in a directory and returns what it printed on
	// stdout and stderr.
	run  func(ctx context.Context, dir, name string, args ...string) (stdout, stderr string, err error)
	host func(ctx context.Context) recording.Host
	free func(dir string) (bytes int64, ok bool)
	// profileCPU spins for about d of CPU time and returns the profile of it,
	// with the CPU time that the process really got.
	profileCPU func(d time.Duration) (data []byte, used time.Duration, err error)
}

func newExaminer() *examiner {
	return &examiner{
		root:       os.DirFS("/"),
		tempDir:    os.TempDir(),
		run:        runCommand,
		host:       watchHost,
		free:       freeSpace,
		profileCPU: profileSpinning,
	}
}

// commandLimit ends a command that does not answer: the doctor is quick.
const commandLimit = 30 * time.Second

// runCommand fails with the last line the command printed.
func runCommand(ctx context.Context, dir, name string, args ...string) (string, string, error) {
	stdout, stderr := process.NewBounded(1<<20, 0), process.NewBounded(1<<20, 0)
	res, err := process.Run(ctx, process.Command{
		Path: name, Args: args, Dir: dir, Stdout: stdout, Stderr: stderr, MaxOutput: 4 << 20, Timeout: commandLimit,
	})
	if err != nil {
		return "", "", err
	}
	out, errs := string(stdout.Bytes()), string(stderr.Bytes())
	switch {
	case res.Ending == process.TimedOut:
		err = fmt.Errorf("no answer in %v", commandLimit)
	case !res.OK():
		err = fmt.Errorf("%s: %s", res.Status(), process.LastWords(stderr.Bytes()))
	}
	return out, errs, err
}

// watchHost looks at the machine for a moment: steal is a rate.
func watchHost(ctx context.Context) recording.Host {
	h := host.Facts(nil)
	meter := host.Start()
	select {
	case <-ctx.Done():
	case <-time.After(300 * time.Millisecond):
	}
	meter.Stop(&h)
	return h
}

// check is an instrument's examination.
type check struct {
	name      string
	essential bool
	try       func(ctx context.Context) instrument
}

// Checks are in the order of the report. The machine is looked at before
// anything is run that would load it.
func (x *examiner) checks() []check {
	var h recording.Host
	withHost := func(f func(recording.Host) instrument) func(context.Context) instrument {
		return func(ctx context.Context) instrument {
			if h.OS == "" {
				h = x.host(ctx)
			}
			return f(h)
		}
	}
	return []check{
		{"quiet machine", false, withHost(x.quiet)},
		{"processors", false, withHost(x.processors)},
		{"clock", false, x.clock},
		{"frequency", false, x.frequency},
		{"go", true, x.goToolchain},
		{"caches", true, x.caches},
		{"compiler diagnostics", false, x.diagnostics},
		{"scratch directory", true, x.scratch},
		{"CPU profile", true, x.cpuProfile},
		{"allocation profile", false, x.allocProfile},
		{"block profile", false, x.blockProfile},
		{"mutex profile", false, x.mutexProfile},
		{"execution trace", false, x.executionTrace},
		{"load generator", false, loadGenerator},
		{"perf events", false, x.perfEvents},
		{"git", false, x.git},
		{"C compiler", false, x.cCompiler},
	}
}

// examine tries all instruments in turn.
func (x *examiner) examine(ctx context.Context, progress func(name string)) ([]instrument, error) {
	var found []instrument
	for _, c := range x.checks() {
		progress(c.name)
		i := c.try(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i.Name, i.essential = c.name, c.essential
		found = append(found, i)
	}
	return found, nil
}

// quiet judges by the load average before us and by the time the hypervisor
// took. A load of a quarter of the cores already moves medians by percents.
func (x *examiner) quiet(h recording.Host) instrument {
	const help = "measure while nothing else runs; noise widens prove's intervals"
	var facts, trouble []string
	if h.LoadStart != nil {
		fact := fmt.Sprintf("load %.2f on %d cores", *h.LoadStart, h.Cores)
		facts = append(facts, fact)
		if *h.LoadStart > float64(h.Cores)/4 {
			trouble = append(trouble, fact)
		}
	}
	if h.StealRatio != nil {
		fact := "steal " + quantity.Percent(*h.StealRatio)
		facts = append(facts, fact)
		if *h.StealRatio > 0.01 {
			trouble = append(trouble, fact+" of the CPU time taken by the hypervisor")
		}
	}
	switch {
	case len(trouble) > 0:
		return degraded(help, "%s", strings.Join(trouble, ", "))
	case len(facts) == 0:
		return degraded("check the load with the system's own monitor before measuring", "this system reports neither load nor steal")
	}
	return works("%s", strings.Join(facts, ", "))
}

// processors compares what Go would use with what it may use.
func (x *examiner) processors(h recording.Host) instrument {
	detail := fmt.Sprintf("%d cores, GOMAXPROCS %d", h.Cores, h.GOMAXPROCS)
	if h.CPU != "" {
		detail = h.CPU + ", " + detail
	}
	switch {
	case h.CPULimitCores != nil && float64(h.GOMAXPROCS) > math.Ceil(*h.CPULimitCores):
		return degraded(fmt.Sprintf("run with GOMAXPROCS=%d", int(math.Max(1, math.Ceil(*h.CPULimitCores)))),
			"%s, but the control group allows %.2g cores: goroutines run in bursts and are then throttled", detail, *h.CPULimitCores)
	case h.Cores == 1:
		return degraded("parallel benchmarks and the garbage collector share the core: trust single-threaded results only", "%s", detail)
	case h.CPULimitCores != nil:
		detail += fmt.Sprintf(", control group limit %.2g", *h.CPULimitCores)
	case h.Cgroup == "unreadable":
		detail += ", control group limits unreadable"
	}
	return works("%s", detail)
}

// clock measures the smallest step and the cost of reading.
func (x *examiner) clock(context.Context) instrument {
	const reads = 20_000
	step := time.Duration(math.MaxInt64)
	start := time.Now()
	last := start
	for range reads {
		now := time.Now()
		if d := now.Sub(last); d > 0 {
			step = min(step, d)
		}
		last = now
	}
	cost := last.Sub(start) / reads
	detail := fmt.Sprintf("step at most %v, %v a reading", step, cost)
	name, ok := x.read("sys/devices/system/clocksource/clocksource0/current_clocksource")
	if ok {
		detail = name + ": " + detail
	}
	if step > 10*time.Microsecond || cost > time.Microsecond {
		return degraded("choose a faster clock source, such as tsc; short benchmarks need -benchtime of many iterations", "%s", detail)
	}
	return works("%s", detail)
}

// frequency reads the governor of the first core, where the system has one.
func (x *examiner) frequency(context.Context) instrument {
	governor, ok := x.read("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	switch {
	case !ok:
		return works("no governor visible: fixed, or set by the host")
	case governor == "performance":
		return works("governor performance")
	}
	return degraded("cpupower frequency-set -g performance (as root) while measuring", "governor %s: the clock rate follows the load", governor)
}

// read returns a one-line file of the system.
func (x *examiner) read(name string) (string, bool) {
	data, err := fs.ReadFile(x.root, name)
	return strings.TrimSpace(string(data)), err == nil
}

func (x *examiner) goEnv(ctx context.Context, names ...string) (map[string]string, error) {
	out, _, err := x.run(ctx, x.tempDir, "go", append([]string{"env", "-json"}, names...)...)
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	if err := json.Unmarshal([]byte(out), &values); err != nil {
		return nil, fmt.Errorf("go env -json: %w", err)
	}
	return values, nil
}

// oldestGo is the first release whose test binaries and profiles whet knows.
const oldestGo = 26

func (x *examiner) goToolchain(ctx context.Context) instrument {
	const help = "install Go 1.26 or newer and put its bin directory on PATH"
	values, err := x.goEnv(ctx, "GOVERSION", "GOROOT", "GOOS", "GOARCH", "GOFLAGS")
	if errors.Is(err, exec.ErrNotFound) {
		return absent(help, "no go command in PATH")
	}
	if err != nil {
		return absent(help, "go env: %v", err)
	}
	detail := fmt.Sprintf("%s %s/%s in %s", values["GOVERSION"], values["GOOS"], values["GOARCH"], values["GOROOT"])
	if minor, ok := goMinor(values["GOVERSION"]); ok && minor < oldestGo {
		return degraded(help, "%s is older than Go 1.%d", detail, oldestGo)
	}
	if flags := values["GOFLAGS"]; strings.Contains(flags, "-race") || strings.Contains(flags, "-cover") || strings.Contains(flags, "-gcflags") {
		return degraded("unset GOFLAGS while measuring: such a build has other costs than the normal one", "%s, GOFLAGS=%s", detail, flags)
	}
	return works("%s", detail)
}

// goMinor is 26 for "go1.26.8"; development versions have none.
func goMinor(version string) (int, bool) {
	rest, ok := strings.CutPrefix(version, "go1.")
	if !ok {
		return 0, false
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	minor, err := strconv.Atoi(digits)
	return minor, err == nil
}

// caches tries what each build needs: a place to keep results. Nobody is
// contacted.
func (x *examiner) caches(ctx context.Context) instrument {
	values, err := x.goEnv(ctx, "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS")
	if err != nil {
		return absent("see go", "go env: %v", err)
	}
	if values["GOCACHE"] == "off" {
		return absent("unset GOCACHE", "GOCACHE=off: Go refuses to build")
	}
	if err := writable(values["GOCACHE"]); err != nil {
		return absent("set GOCACHE to a writable directory", "build cache %s: %v", values["GOCACHE"], err)
	}
	if err := writable(values["GOMODCACHE"]); err != nil {
		return degraded("set GOMODCACHE to a writable directory", "module cache %s: %v", values["GOMODCACHE"], err)
	}
	if values["GOPROXY"] == "off" {
		return works("build cache %s, module cache %s; GOPROXY=off: only modules already there", values["GOCACHE"], values["GOMODCACHE"])
	}
	return works("build cache %s, module cache %s", values["GOCACHE"], values["GOMODCACHE"])
}

// writable makes and removes a file, in the directory or where it would be
// made: a cache that does not exist yet is no fault.
func writable(dir string) error {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".whet-doctor-")
	if err != nil {
		return recording.RootCause(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (x *examiner) scratch(ctx context.Context) instrument {
	const help = "set TMPDIR to a directory on a file system that allows programs to run"
	dir, err := os.MkdirTemp(x.tempDir, "whet-doctor-")
	if err != nil {
		return absent(help, "%s: %v", x.tempDir, recording.RootCause(err))
	}
	defer os.RemoveAll(dir)
	if runtime.GOOS != "windows" {
		script := filepath.Join(dir, "try")
		if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
			return absent(help, "%s: %v", x.tempDir, recording.RootCause(err))
		}
		if _, _, err := x.run(ctx, dir, script); err != nil {
			return absent(help, "%s: cannot run programs there: %v", x.tempDir, recording.RootCause(err))
		}
	}
	free, ok := x.free(x.tempDir)
	switch {
	case !ok:
		return works("%s", x.tempDir)
	case free < 1<<30:
		return degraded("free some space: builds, traces and recordings need up to a gigabyte", "%s has %s left", x.tempDir, quantity.Bytes(float64(free)))
	}
	return works("%s, %s left", x.tempDir, quantity.Bytes(float64(free)))
}

// diagnostics asks the compiler about a package whose answer is known.
func (x *examiner) diagnostics(ctx context.Context) instrument {
	const help = "see the line for go: without it, listings lack the compiler's decisions"
	dir, err := os.MkdirTemp(x.tempDir, "whet-doctor-")
	if err != nil {
		return absent(help, "%s: %v", x.tempDir, recording.RootCause(err))
	}
	defer os.RemoveAll(dir)
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module doctor\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "x.go"), []byte("package x\n\nfunc Grow(n int) *int { return &n }\n"), 0o644))
	if err != nil {
		return absent(help, "%v", recording.RootCause(err))
	}
	_, text, err := x.run(ctx, dir, "go", "build", "-gcflags=-m=2", ".")
	switch {
	case err != nil:
		return absent(help, "go build: %v", err)
	case !strings.Contains(text, "moved to heap: n") || !strings.Contains(text, "can inline Grow"):
		return degraded("report the Go version: whet does not know its compiler's messages yet", "-m=2 prints an unexpected format")
	}
	return works("escape and inlining decisions (-m=2)")
}

func (x *examiner) git(ctx context.Context) instrument {
	out, _, err := x.run(ctx, x.tempDir, "git", "--version")
	if err != nil {
		return absent("install git: recordings then include the revision and whether the tree had changes", "%s", whyMissing("git", err))
	}
	return works("%s", printable.Message(out))
}

func (x *examiner) cCompiler(ctx context.Context) instrument {
	const help = "install gcc: packages that use cgo, and go test -race, need it"
	values, err := x.goEnv(ctx, "CC", "CGO_ENABLED")
	if err != nil {
		return absent("see go", "go env: %v", err)
	}
	if values["CC"] == "" {
		return absent(help, "go env names no C compiler")
	}
	name := strings.Fields(values["CC"])[0]
	out, _, err := x.run(ctx, x.tempDir, name, "--version")
	if err != nil {
		return absent(help, "%s", whyMissing(name, err))
	}
	first, _, _ := strings.Cut(out, "\n")
	if values["CGO_ENABLED"] == "0" {
		return degraded("unset CGO_ENABLED for packages that use cgo", "%s, but CGO_ENABLED=0", first)
	}
	return works("%s", first)
}

// loadGenerator says by what loads are driven here. What HTTP/2 takes is of
// bench/README.md's table of loads.
func loadGenerator(context.Context) instrument {
	const http2 = "HTTP/2 uses net/http, which takes 1.4 to 2.4 times the CPU time of h2load"
	loops := load.Loops()
	if len(loops) == 0 {
		return degraded("drive fast services from Linux: net/http takes more CPU time for each request than an event loop",
			"HTTP/1.1 by net/http too; "+http2)
	}
	return works("HTTP/1.1 by %s; "+http2, strings.Join(loops, " or "))
}

func whyMissing(name string, err error) string {
	if errors.Is(err, exec.ErrNotFound) {
		return "there is no " + name + " on PATH"
	}
	return name + ": " + recording.RootCause(err).Error()
}
