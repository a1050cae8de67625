package rules_test

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	capture "whet/internal/capture/compiler"
	"whet/internal/diagnose"
	"whet/internal/format/compiler"
	"whet/internal/format/profile"
	"whet/internal/gobench"
)

// program is one package with benchmarks, built.
type program struct {
	bin   *gobench.Binary
	calls map[string][]compiler.Call
}

// sources reads files of this machine, which is where the fixtures were built.
type sources struct{ root string }

func (s sources) Text(file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return text
}

func (s sources) Display(file string) string {
	if rel, err := filepath.Rel(s.root, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return file
}

// lengths says how long the instruments run.
type lengths struct {
	cpu     time.Duration // of a run that takes a whole CPU profile
	samples int64         // of the base; runs are repeated until there are as many
	allocs  string        // -test.benchtime of the allocation profile
	heavy   string        // the same where an operation takes more than 10 µs; "": allocs
	waits   bool          // the CPU profile's runs record the mutex and block profiles too
}

// needsTime leaves a test that builds and measures programs out of a short
// run, which CI must not be.
func needsTime(t *testing.T) {
	t.Helper()
	if !testing.Short() {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("programs are not measured with -short, and CI has to")
	}
	t.Skip("builds and measures programs")
}

// build builds the test binaries of packages of this module with one go
// command, and asks for all their typed calls at once.
func build(t *testing.T, dirs []string) map[string]*program {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	first, err := gobench.Resolve(ctx, dirs[0], ".", gobench.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]*program)
	files := make(map[string]string)
	to := t.TempDir()
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", to + string(filepath.Separator)}
	for _, dir := range dirs {
		target := *first
		if target.Dir, err = filepath.Abs(dir); err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(first.ModuleDir, target.Dir)
		if err != nil {
			t.Fatal(err)
		}
		target.WorkDir = target.Dir
		target.ImportPath = first.Module + "/" + filepath.ToSlash(rel)
		target.GoFiles = []string{filepath.Join(target.Dir, "app.go")}
		target.TestFiles = []string{filepath.Join(target.Dir, "app_test.go")}
		files[target.GoFiles[0]] = target.GoFiles[0]
		args = append(args, target.ImportPath)
		name := filepath.Base(dir) + ".test"
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		out[dir] = &program{bin: &gobench.Binary{Path: filepath.Join(to, name), Target: &target}}
	}
	calls, err := capture.Calls(ctx, first, gobench.BuildOptions{}, files)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = first.ModuleDir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the fixtures: %v\n%s", err, text)
	}
	for _, p := range out {
		p.calls = make(map[string][]compiler.Call)
		for _, f := range calls.Files {
			if filepath.Dir(f.Frame) == p.bin.Target.Dir {
				p.calls[f.Frame] = f.Calls
			}
		}
		if len(p.calls) == 0 {
			t.Fatalf("%s: no typed calls", p.bin.Target.ImportPath)
		}
	}
	return out
}

// measuring keeps what was recorded of a program's benchmarks.
type measuring struct {
	program *program
	lengths lengths
	loops   *hot.Loops
	files   map[string]bool // of frames, whose loops are known
	benches []*measured
}

// measured is one benchmark's profiles, one a run.
type measured struct {
	subject           diagnose.Subject
	cpu, mutex, block []*callstack.Profile
	dir               string
}

func newMeasuring(t *testing.T, p *program, l lengths) *measuring {
	t.Helper()
	m := &measuring{program: p, lengths: l, loops: &hot.Loops{}, files: make(map[string]bool)}
	names, err := p.bin.Benchmarks(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, mod := range p.bin.Target.Own {
		modules = append(modules, mod.Path)
	}
	for _, name := range names {
		m.benches = append(m.benches, &measured{dir: t.TempDir(), subject: diagnose.Subject{
			Benchmark: name, Package: p.bin.Target.ImportPath, Module: p.bin.Target.Module, Modules: modules,
			BytesPerOp: -1, AllocsPerOp: -1,
			Source: sources{p.bin.Target.Dir}, Loops: m.loops, Calls: p.calls,
		}})
	}
	return m
}

// measure runs every benchmark until it has its samples, those of earlier calls
// included, and once for its allocations. It returns what rules look at.
func (m *measuring) measure(t *testing.T) []*diagnose.Subject {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var out []*diagnose.Subject
	for _, b := range m.benches {
		if err := m.times(ctx, t, b); err != nil {
			t.Fatal(err)
		}
		if err := m.allocations(ctx, t, b); err != nil {
			t.Fatal(err)
		}
		s := b.subject // without what rules have cached in it
		out = append(out, &s)
	}
	return out
}

// times fills in the profiles of time and waits.
func (m *measuring) times(ctx context.Context, t *testing.T, b *measured) error {
	s := &b.subject
	// On a busy machine a run gets fewer samples than its length promises. The
	// next one takes as long as what is missing, and a quarter more.
	for runs := 0; runs < 8 && s.BaseCPUSamples() < m.lengths.samples; runs++ {
		file := filepath.Join(b.dir, fmt.Sprint("cpu", len(b.cpu)))
		missing := m.lengths.samples - s.BaseCPUSamples()
		length := m.lengths.cpu*time.Duration(missing)/time.Duration(m.lengths.samples) + m.lengths.cpu/4
		run := gobench.Run{Bench: s.Benchmark, BenchTime: min(length, m.lengths.cpu).String(), CPUProfile: file, Timeout: time.Minute}
		if m.lengths.waits {
			run.MutexProfile, run.MutexProfileFraction = file+".mutex", 1
			run.BlockProfile, run.BlockProfileRate = file+".block", 1000
		}
		res, err := m.program.bin.Run(ctx, run)
		if err != nil {
			return err
		}
		if m.lengths.waits {
			b.mutex, b.block = append(b.mutex, read(t, run.MutexProfile)), append(b.block, read(t, run.BlockProfile))
		}
		s.NsPerOp = res.Lines[0].NsPerOp
		s.CPUIterations += res.Lines[0].N
		if res.Lines[0].BytesPerOp != nil {
			s.BytesPerOp = *res.Lines[0].BytesPerOp
		}
		b.cpu = append(b.cpu, read(t, file))
		s.CPU, s.CPUColumn = m.classified(t, merged(t, b.cpu), "cpu")
	}
	if m.lengths.waits {
		s.Mutex, s.MutexCol = m.classified(t, merged(t, b.mutex), "delay")
		s.Block, s.BlockCol = m.classified(t, merged(t, b.block), "delay")
	}
	return nil
}

// allocations fills in every one of a fixed number of iterations.
func (m *measuring) allocations(ctx context.Context, t *testing.T, b *measured) error {
	s := &b.subject
	calls := m.lengths.allocs
	if m.lengths.heavy != "" && s.NsPerOp > 10_000 {
		calls = m.lengths.heavy
	}
	file := filepath.Join(b.dir, "mem")
	res, err := m.program.bin.Run(ctx, gobench.Run{Bench: s.Benchmark, BenchTime: calls, MemProfile: file, MemProfileRate: 1, Timeout: time.Minute})
	if err != nil {
		return err
	}
	s.AllocIterations = res.Lines[0].N + 1 // and the first call with b.N = 1
	s.Allocs, s.AllocCol = m.classified(t, read(t, file), "alloc_space")
	return nil
}

func merged(t *testing.T, runs []*callstack.Profile) *callstack.Profile {
	t.Helper()
	p, err := callstack.Merge(runs...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func read(t *testing.T, file string) *callstack.Profile {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(data, profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (m *measuring) classified(t *testing.T, p *callstack.Profile, column string) (*hot.Classified, int) {
	t.Helper()
	col, err := p.TypeIndex(column)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.NumFrames() {
		// Of all files, as a benchmark may leave its loop to a helper.
		f := p.Frame(callstack.FrameID(i)).File
		if m.files[f] {
			continue
		}
		m.files[f] = true
		if text := (sources{}).Text(f); text != nil && strings.Contains(string(text), "testing.") {
			if err := m.loops.AddFile(f, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	return hot.Classify(p, m.loops), col
}

// wanted reads the marks of a fixture: a comment "want <rule>" at the end of
// the first line of a statement that the rule must speak about.
func wanted(t *testing.T, dir, rule string) map[string]bool {
	t.Helper()
	out := make(map[string]bool)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				mark, ok := strings.CutPrefix(c.Text, "// want ")
				if !ok {
					continue
				}
				id, detail, _ := strings.Cut(mark, ": ")
				if id == rule {
					out[place(filepath.Base(file), fset.Position(c.Pos()).Line, detail)] = true
				}
			}
		}
	}
	return out
}
