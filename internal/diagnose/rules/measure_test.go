package rules_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	pprofile "github.com/google/pprof/profile"

	"whet/internal/analyze/sched"
	"whet/internal/analyze/wall"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/format/exectrace"
	"whet/internal/gobench"
	"whet/internal/recording"
)

// program is a package with benchmarks, built.
type program struct {
	bin   *gobench.Binary
	types []byte
}

// lengths says how long the instruments run.
type lengths struct {
	cpu     time.Duration // of a run that takes a whole CPU profile
	samples int64         // of the base; runs are repeated until there are as many
	allocs  string        // -test.benchtime of the allocation profile
	heavy   string        // the same where an operation takes more than 10 µs; "": allocs
	trace   bool          // one run more is traced
	waits   bool          // the CPU profile's runs record the mutex and block profiles too
}

// build builds the test binaries of packages of this workspace with one go
// command.
func build(t *testing.T, dirs []string, paths *paths) map[string]*program {
	t.Helper()
	if len(dirs) == 0 {
		t.Fatalf("-only %s: no such rule in directories (fixtures_test.go)", *only)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	first, err := gobench.Resolve(ctx, dirs[0], ".", gobench.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]*program)
	to := t.TempDir()
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", to + string(filepath.Separator)}
	for _, dir := range dirs {
		target := *first
		if target.Dir, err = filepath.Abs(dir); err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(paths.module, target.Dir)
		if err != nil {
			t.Fatal(err)
		}
		target.WorkDir = target.Dir
		target.ImportPath = "whet/" + filepath.ToSlash(rel)
		target.Module, target.ModuleDir = path.Dir(target.ImportPath), filepath.Dir(target.Dir)
		target.GoFiles = []string{filepath.Join(target.Dir, "app.go")}
		target.TestFiles = []string{filepath.Join(target.Dir, "app_test.go")}
		args = append(args, target.ImportPath)
		name := filepath.Base(dir) + ".test"
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		out[dir] = &program{bin: &gobench.Binary{Path: filepath.Join(to, name), Target: &target}}
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = paths.module
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the fixtures: %v\n%s", err, text)
	}
	for dir, types := range typesOf(t, dirs, paths) {
		out[dir].types = types
	}
	return out
}

// measuring keeps what was measured of a program's benchmarks.
type measuring struct {
	program *program
	lengths lengths
	paths   *paths
	benches []*measured
}

// measured is a benchmark's profiles, one a run, and what they add up to.
type measured struct {
	recorded          recordedBenchmark
	cpu, mutex, block []*pprofile.Profile
	dir               string
}

func newMeasuring(t *testing.T, p *program, paths *paths, l lengths) *measuring {
	t.Helper()
	m := &measuring{program: p, lengths: l, paths: paths}
	names, err := p.bin.Benchmarks(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		m.benches = append(m.benches, &measured{dir: t.TempDir(), recorded: recordedBenchmark{Name: name, BytesPerOp: -1}})
	}
	return m
}

// measure runs every benchmark until it has its samples, those of earlier calls
// included, and once for its allocations. It returns what a test reads.
func (m *measuring) measure(t *testing.T) *recorded {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	target := m.program.bin.Target
	out := &recorded{Go: runtime.Version(), Package: target.ImportPath, Module: target.Module, Types: m.program.types}
	for _, mod := range target.Own {
		out.Modules = append(out.Modules, mod.Path)
	}
	for _, b := range m.benches {
		if err := m.times(ctx, t, out, b); err != nil {
			t.Fatal(err)
		}
		if err := m.allocations(ctx, t, b); err != nil {
			t.Fatal(err)
		}
		if m.lengths.trace {
			if err := m.traced(ctx, t, b); err != nil {
				t.Fatal(err)
			}
		}
		out.Benchmarks = append(out.Benchmarks, b.recorded)
	}
	return out
}

// times fills in the profiles of time and waits.
func (m *measuring) times(ctx context.Context, t *testing.T, of *recorded, b *measured) error {
	r := &b.recorded
	// On a busy machine a run gets fewer samples than its length promises. The
	// next one takes as long as what is missing, and a quarter more.
	for range 8 {
		samples := int64(0)
		if len(b.cpu) > 0 {
			samples = of.subject(t, r, m.paths.texts()).BaseCPUSamples()
		}
		if samples >= m.lengths.samples {
			break
		}
		file := filepath.Join(b.dir, fmt.Sprint("cpu", len(b.cpu)))
		missing := m.lengths.samples - samples
		length := m.lengths.cpu*time.Duration(missing)/time.Duration(m.lengths.samples) + m.lengths.cpu/4
		run := gobench.Run{Bench: r.Name, BenchTime: min(length, m.lengths.cpu).String(), CPUProfile: file, Timeout: time.Minute}
		if m.lengths.waits {
			run.MutexProfile, run.MutexProfileFraction = file+".mutex", 1
			run.BlockProfile, run.BlockProfileRate = file+".block", 1000
		}
		res, err := m.program.bin.Run(ctx, run)
		if err != nil {
			return err
		}
		if m.lengths.waits {
			b.mutex, b.block = append(b.mutex, m.read(t, run.MutexProfile)), append(b.block, m.read(t, run.BlockProfile))
			r.Mutex, r.Block = merged(t, b.mutex), merged(t, b.block)
		}
		r.NsPerOp = res.Lines[0].NsPerOp
		r.CPUIterations += res.Lines[0].N
		if res.Lines[0].BytesPerOp != nil {
			r.BytesPerOp = *res.Lines[0].BytesPerOp
		}
		b.cpu = append(b.cpu, m.read(t, file))
		r.CPU = merged(t, b.cpu)
	}
	return nil
}

// allocations fills in every one of a fixed number of iterations.
func (m *measuring) allocations(ctx context.Context, t *testing.T, b *measured) error {
	r := &b.recorded
	calls := m.lengths.allocs
	if m.lengths.heavy != "" && r.NsPerOp > 10_000 {
		calls = m.lengths.heavy
	}
	file := filepath.Join(b.dir, "mem")
	res, err := m.program.bin.Run(ctx, gobench.Run{Bench: r.Name, BenchTime: calls, MemProfile: file, MemProfileRate: 1, Timeout: time.Minute})
	if err != nil {
		return err
	}
	r.AllocIterations = res.Lines[0].N + 1 // and the first call with b.N = 1
	r.Allocs = merged(t, []*pprofile.Profile{m.read(t, file)})
	return nil
}

// traced fills in what a trace of some milliseconds says.
func (m *measuring) traced(ctx context.Context, t *testing.T, b *measured) error {
	r := &b.recorded
	run := gobench.Run{Bench: r.Name, BenchTime: fmt.Sprintf("%dx", max(gobench.Iterations(traceLength, r.NsPerOp), leastTraced)), Timeout: time.Minute}
	file := filepath.Join(b.dir, "trace")
	run.Instrument(recording.KindTrace, file)
	if _, err := m.program.bin.Run(ctx, run); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	said, err := sched.Analyze(bytes.NewReader(data), sched.Options{Limits: exectrace.DefaultLimits()})
	if err != nil {
		return err
	}
	requests, err := wall.Analyze([]wall.Trace{{Source: bytes.NewReader(data)}})
	if err != nil {
		return err
	}
	r.Trace, r.Procs = diagnose.NewTrace([]*sched.Result{said}, requests), said.GOMAXPROCS
	for i := range r.Trace.Waits {
		m.rename(r.Trace.Waits[i].Stack)
	}
	for _, of := range r.Trace.Requests {
		for _, call := range of.Calls {
			m.rename(call.Stack)
		}
	}
	return nil
}

const (
	traceLength = 50 * time.Millisecond
	leastTraced = 30 // iterations
)

func (m *measuring) rename(stack []callstack.Frame) {
	for i := range stack {
		stack[i].File = m.paths.kept(stack[i].File)
	}
}

// read reads a profile and names its files as they are kept.
func (m *measuring) read(t *testing.T, file string) *pprofile.Profile {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pprofile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Function {
		f.Filename = m.paths.kept(f.Filename)
	}
	for _, mapping := range p.Mapping {
		mapping.File = "fixture.test"
	}
	return p
}

// merged returns what a run of profiles adds up to, as the bytes of one.
func merged(t *testing.T, runs []*pprofile.Profile) []byte {
	t.Helper()
	p, err := pprofile.Merge(runs)
	if err != nil {
		t.Fatal(err)
	}
	p.TimeNanos = 0 // what is kept differs by what was measured alone
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// paths names files of this machine as they are kept: those of the module by
// their place in it, those of a Go and of the module cache apart.
type paths struct {
	module, goroot, cache string

	mu    sync.Mutex
	asked map[string][]byte // texts outside the module that a rule looked at
}

func newPaths(t *testing.T) *paths {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	return &paths{module: filepath.Dir(strings.TrimSpace(lines[0])), goroot: strings.TrimSpace(lines[1]), cache: strings.TrimSpace(lines[2]), asked: make(map[string][]byte)}
}

// prefixes of kept names.
const (
	inModule = "module/"
	inGo     = "go/"
	inCache  = "cache/"
)

// roots returns the directories by their prefix, the first that holds a file wins: a
// Go that was fetched lies in the module cache.
func (p *paths) roots() [][2]string {
	return [][2]string{{inModule, p.module}, {inGo, p.goroot}, {inCache, p.cache}}
}

func (p *paths) kept(file string) string {
	for _, root := range p.roots() {
		prefix, dir := root[0], root[1]
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			return prefix + filepath.ToSlash(rel)
		}
	}
	return file
}

// texts reads the files that kept names stand for, and notes which were asked for.
func (p *paths) texts() texts {
	return func(name string) []byte {
		for _, root := range p.roots() {
			prefix, dir := root[0], root[1]
			rel, ok := strings.CutPrefix(name, prefix)
			if !ok {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(rel)))
			if err != nil {
				return nil
			}
			if prefix != inModule {
				p.mu.Lock()
				p.asked[name] = text
				p.mu.Unlock()
			}
			return text
		}
		return nil
	}
}
