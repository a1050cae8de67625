package rules_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whet/internal/analyze/hot"
	"whet/internal/callstack"
	"whet/internal/diagnose"
	"whet/internal/format/profile"
	"whet/internal/format/typeview"
	"whet/internal/typed"
)

// record measures the fixtures anew, which takes a compiler and some minutes:
// make fixtures.
var record = flag.Bool("record", false, "measure the fixtures and keep what was recorded in testdata")

// only spares the others where one rule's fixtures are new.
var only = flag.String("only", "", "with -record, measure the fixtures of these rules alone, separated by commas")

// retype needs no compiler but the go command's, and a few seconds.
var retype = flag.Bool("types", false, "keep the types of the fixtures as they are in testdata, and measure nothing")

// recorded is what rules look at of a fixture: measured once, so that a rule's
// answer does not depend on the machine that asks. It is a zip file in
// testdata: recorded.json, types.bin, and a profile a benchmark and kind.
type recorded struct {
	Go         string // version that built it
	Package    string
	Module     string
	Modules    []string
	Benchmarks []recordedBenchmark
	SHA256     map[string]string // of the fixture's files, by their base name

	Types []byte `json:"-"` // the typed view of the fixture
}

// recordedBenchmark is a benchmark's figures, and its profiles as pprof
// writes them.
type recordedBenchmark struct {
	Name            string
	NsPerOp         float64
	BytesPerOp      float64 // -1: unknown
	CPUIterations   int64
	AllocIterations int64

	CPU, Allocs, Mutex, Block []byte `json:"-"`

	Trace *diagnose.Trace `json:",omitempty"` // what a trace said
	Procs int             `json:",omitempty"` // GOMAXPROCS of that
}

// profiles returns the members of the archive that hold profiles.
func (b *recordedBenchmark) profiles() map[string]*[]byte {
	return map[string]*[]byte{"cpu": &b.CPU, "allocs": &b.Allocs, "mutex": &b.Mutex, "block": &b.Block}
}

// texts finds the text of a file by the name that it is kept under.
type texts func(name string) []byte

func (f texts) Text(name string) []byte { return f(name) }

// Display leaves a fixture's files their base name, by which marks know them.
func (f texts) Display(name string) string {
	if strings.HasPrefix(name, inModule) {
		return filepath.Base(name)
	}
	return name
}

// subjects makes of what was recorded what rules look at.
func (r *recorded) subjects(t *testing.T, files texts) []*diagnose.Subject {
	t.Helper()
	view, err := typeview.Read(r.Types, typeview.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	program := typed.New(view, files)
	var out []*diagnose.Subject
	for i := range r.Benchmarks {
		s := r.subject(t, &r.Benchmarks[i], files)
		s.Program = program
		out = append(out, s)
	}
	return out
}

func (r *recorded) subject(t *testing.T, b *recordedBenchmark, files texts) *diagnose.Subject {
	t.Helper()
	s := &diagnose.Subject{
		Benchmark: b.Name, Package: r.Package, Module: r.Module, Modules: r.Modules,
		NsPerOp: b.NsPerOp, BytesPerOp: b.BytesPerOp, AllocsPerOp: -1,
		CPUIterations: b.CPUIterations, AllocIterations: b.AllocIterations,
		Source: files, Loops: &hot.Loops{}, Trace: b.Trace, Procs: b.Procs,
	}
	seen := make(map[string]bool)
	for _, kind := range []struct {
		data   []byte
		column string
		to     **hot.Classified
		at     *int
	}{{b.CPU, "cpu", &s.CPU, &s.CPUColumn}, {b.Allocs, "alloc_space", &s.Allocs, &s.AllocCol}, {b.Mutex, "delay", &s.Mutex, &s.MutexCol}, {b.Block, "delay", &s.Block, &s.BlockCol}} {
		if kind.data == nil {
			continue
		}
		p, err := profile.ReadFrames(kind.data, profile.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if *kind.at, err = p.TypeIndex(kind.column); err != nil {
			t.Fatal(err)
		}
		for i := range p.NumFrames() {
			// Of all the module's files, as a benchmark may leave its loop to a helper.
			f := p.Frame(callstack.FrameID(i)).File
			if seen[f] || !strings.HasPrefix(f, inModule) {
				continue
			}
			seen[f] = true
			if text := files(f); strings.Contains(string(text), "testing.") {
				if err := s.Loops.AddFile(f, text); err != nil {
					t.Fatal(err)
				}
			}
		}
		*kind.to = hot.Classify(p, s.Loops)
	}
	return s
}

// archive returns the file that holds what was recorded of the fixture in a directory.
func archive(dir string) string {
	return filepath.Join("testdata", strings.ReplaceAll(strings.Trim(filepath.ToSlash(filepath.Clean(dir)), "./"), "/", "-")+".zip")
}

// sums returns the hashes of a fixture's files.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no fixture (%v)", dir, err)
	}
	out := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		out[filepath.Base(file)] = hex.EncodeToString(sum[:])
	}
	return out
}

// open reads what was recorded of a fixture as it is today.
func open(t *testing.T, dir string) *recorded {
	t.Helper()
	files := unzip(t, archive(dir))
	r := new(recorded)
	if err := json.Unmarshal(files["recorded.json"], r); err != nil {
		t.Fatalf("%s: %v", archive(dir), err)
	}
	if !maps.Equal(r.SHA256, sums(t, dir)) {
		t.Fatalf("%s was changed after it was recorded: make fixtures", dir)
	}
	r.Types = files["types.bin"]
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		for kind, to := range b.profiles() {
			*to = files[member(b.Name, kind)]
		}
	}
	return r
}

// keep writes what was recorded of a fixture.
func (r *recorded) keep(t *testing.T, dir string) {
	t.Helper()
	r.SHA256 = sums(t, dir)
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"recorded.json": text, "types.bin": r.Types}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		for kind, data := range b.profiles() {
			if *data != nil {
				files[member(b.Name, kind)] = *data
			}
		}
	}
	zipped(t, archive(dir), files)
}

func member(benchmark, kind string) string {
	return strings.ReplaceAll(benchmark, "/", "-") + "." + kind + ".pb.gz"
}

// sources holds the texts outside the module that rules look at, of the Go and
// the modules that the fixtures were built with.
var sources = filepath.Join("testdata", "sources.zip")

// keptTexts reads the module's own files, and the others as they were recorded.
func keptTexts(t *testing.T) texts {
	t.Helper()
	kept := unzip(t, sources)
	return func(name string) []byte {
		if rel, ok := strings.CutPrefix(name, inModule); ok && filepath.IsLocal(rel) {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(rel)))
			if err != nil {
				return nil
			}
			return text
		}
		return kept[name]
	}
}

func unzip(t *testing.T, name string) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s does not exist: make fixtures", name)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer r.Close()
	out := make(map[string][]byte)
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatalf("%s: %s: %v", name, f.Name, err)
		}
		if out[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatalf("%s: %s: %v", name, f.Name, err)
		}
		in.Close()
	}
	return out
}

func zipped(t *testing.T, name string, files map[string][]byte) {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		to, err := w.Create(file)
		if err == nil {
			_, err = to.Write(files[file])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, out.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
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
