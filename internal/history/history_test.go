package history

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/perf/benchfmt"

	"whet/internal/format/benchmark"
	"whet/internal/recording"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func ptr[T any](v T) *T { return &v }

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func host() recording.Host {
	return recording.Host{OS: "linux", Arch: "amd64", CPU: "Example CPU(R) @ 2.10GHz", Cores: 2, Kernel: "6.1.0-26", GOMAXPROCS: 2}
}

// entry returns a run of two packages of two repositories.
func entry() *Entry {
	return &Entry{
		Host: host(), Date: at("2026-11-20T17:01:02Z"), Tool: "devel", Flags: []string{"-tags=x"},
		Packages: []Package{
			{ImportPath: "example.com/m/a", Revision: strings.Repeat("0123456789", 4), Dirty: ptr(false), Committed: at("2026-11-19T10:00:00Z"), GoVersion: "go1.26.8",
				Lines: []benchmark.Line{
					{Name: "BenchmarkX/n=1", Procs: 2, N: 100, NsPerOp: 12.5, BytesPerOp: ptr(16.0), AllocsPerOp: ptr(1.0)},
					{Name: "BenchmarkX/n=1", Procs: 2, N: 110, NsPerOp: 13.5, BytesPerOp: ptr(16.0), AllocsPerOp: ptr(1.0)},
					{Name: "BenchmarkY-8", Procs: 1, N: 7, NsPerOp: 3, Metrics: []benchmark.Metric{{Unit: "MB/s", Value: 1e6}}},
				}},
			{ImportPath: "example.com/empty"},
			{ImportPath: "example.com/n/b", GoVersion: "go1.26.8", Lines: []benchmark.Line{{Name: "BenchmarkZ", Procs: 4, N: 1, NsPerOp: 9}}},
		},
	}
}

// TestAppend: what is kept looks as documented, and reads back as it was.
func TestAppend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "history")
	e := entry()
	name, err := Append(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	key := HostKey(&e.Host, "")
	if want := filepath.Join(dir, key, "012345678901.20261120T170102Z.txt"); name != want {
		t.Errorf("file %s, want %s", name, want)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "run.txt")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(text, want) {
		t.Errorf("it holds (%v; go test -update rewrites %s)\n%s", err, golden, text)
	}

	s, err := Read(dir)
	if err != nil || len(s.Problems) > 0 {
		t.Fatal(err, s.Problems)
	}
	var lines []benchmark.Line
	for _, p := range e.Packages {
		lines = append(lines, p.Lines...)
	}
	if len(s.Results) != len(lines) {
		t.Fatalf("%d results, want %d", len(s.Results), len(lines))
	}
	for i, r := range s.Results {
		if !reflect.DeepEqual(r.Line, lines[i]) {
			t.Errorf("result %d: %+v, want %+v", i, r.Line, lines[i])
		}
		want := Result{Host: key, File: key + "/012345678901.20261120T170102Z.txt", Package: "example.com/m/a", Revision: e.Packages[0].Revision,
			Committed: e.Packages[0].Committed, Date: e.Date, CPU: e.Host.CPU, GoVersion: "go1.26.8", Kernel: "6.1.0-26", Flags: "-tags=x", Line: r.Line}
		if i == 3 { // what is unknown of the second package is not that of the first
			want.Package, want.Revision, want.Dirty, want.Committed = "example.com/n/b", "", true, time.Time{}
		}
		if !reflect.DeepEqual(r, want) {
			t.Errorf("result %d:\n%+v, want\n%+v", i, r, want)
		}
	}
}

// TestBenchfmtReads: golang.org/x/perf reads every result, with the package and
// the revision it belongs to.
func TestBenchfmtReads(t *testing.T) {
	text, err := entry().text()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	r := benchfmt.NewReader(strings.NewReader(text), "text")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			got = append(got, fmt.Sprintf("%s %.10s %s %d", rec.GetConfig("pkg"), rec.GetConfig("revision"), rec.Name, rec.Iters))
		case *benchfmt.SyntaxError:
			t.Errorf("%v", rec)
		}
	}
	want := []string{"example.com/m/a 0123456789 X/n=1-2 100", "example.com/m/a 0123456789 X/n=1-2 110", "example.com/m/a 0123456789 Y-8-1 7", "example.com/n/b  Z-4 1"}
	if !slices.Equal(got, want) {
		t.Errorf("benchfmt reads %q, want %q", got, want)
	}
}

// Runs that end at the same moment make files of their own, and nothing else is
// left.
func TestAppendIsAppendOnly(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := Append(dir, entry()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	names, err := os.ReadDir(filepath.Join(dir, HostKey(ptr(host()), "")))
	if err != nil || len(names) != 20 {
		t.Errorf("%d files of 20 runs, %v", len(names), err)
	}
	s, err := Read(dir)
	if err != nil || len(s.Results) != 20*4 {
		t.Errorf("%d results, %v", len(s.Results), err)
	}
}

func TestAppendRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Append(file, entry()); err == nil || !strings.Contains(err.Error(), "it is a file") {
		t.Errorf("a file as the store: %v", err)
	}
	if _, err := Append(dir, &Entry{Host: host()}); err == nil || !strings.Contains(err.Error(), "no results") {
		t.Errorf("nothing to keep: %v", err)
	}
	if s, err := Read(dir); err != nil || len(s.Results) != 0 {
		t.Errorf("something was kept: %+v, %v", s, err)
	}
}

func TestHostKey(t *testing.T) {
	h := host()
	key := HostKey(&h, "")
	if !regexp.MustCompile(`^linux-amd64-example-cpu-r-2-10ghz-2-cores-[0-9a-f]{8}$`).MatchString(key) {
		t.Errorf("key %q", key)
	}
	seen := map[string]bool{key: true}
	for name, change := range map[string]func(*recording.Host){
		"cores": func(h *recording.Host) { h.Cores = 4 }, "processor": func(h *recording.Host) { h.CPU = "Example CPU (R) 2.10GHz" },
		"limit": func(h *recording.Host) { h.CPULimitCores = ptr(1.5) }, "system": func(h *recording.Host) { h.OS = "darwin" },
	} {
		other := host()
		change(&other)
		if k := HostKey(&other, ""); seen[k] {
			t.Errorf("another %s, the same key %s", name, k)
		} else {
			seen[k] = true
		}
	}
	for name, change := range map[string]func(*recording.Host){
		"kernel": func(h *recording.Host) { h.Kernel = "7" }, "load": func(h *recording.Host) { h.LoadStart = ptr(3.0) },
	} {
		other := host()
		change(&other)
		if k := HostKey(&other, ""); k != key {
			t.Errorf("another %s, another key %s", name, k)
		}
	}
	for _, name := range []string{"ci 7", "../../etc/passwd", "日本", "\x1b[2J\u202e", "-", strings.Repeat("a", 500)} {
		k := HostKey(&h, name)
		if seen[k] || !regexp.MustCompile(`^[a-z0-9_][a-z0-9_-]{0,80}$`).MatchString(k) {
			t.Errorf("host %q: key %q", name, k)
		}
		seen[k] = true
	}
}

// fsOf returns a store; names and texts in turns.
func fsOf(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1]), Mode: 0o644}
	}
	return m
}

// TestDamage: one line for each file says what, where and what to do, and the
// rest is there.
func TestDamage(t *testing.T) {
	const good = "pkg: p\nBenchmarkX-2\t10\t5 ns/op\n"
	for _, tt := range []struct {
		name    string
		fsys    fstest.MapFS
		results int
		problem string // "": none
	}{
		{"whole", fsOf("h/a.txt", good), 1, ""},
		{"not ours", fsOf("h/a.txt", good, "h/.a.tmp.txt", "junk", "h/README.md", "junk", ".git/x.txt", "junk", "h/sub/x.txt", "junk"), 1, ""},
		{"in the host's own directory", fsOf("a.txt", good), 1, ""},
		{"go test's own output", fsOf("h/a.txt", "goos: linux\npkg: p\nBenchmarkX-2   \t      10\t         5.00 ns/op\t       0 B/op\nPASS\nok  \tp\t1.2s\n"), 1, ""},
		{"a line is cut", fsOf("h/a.txt", good+"BenchmarkY-2\t10\t"), 1, `h/a.txt: line 3: no result and no setting: "BenchmarkY-2\t10\t": the rest was read; fix or delete the file`},
		{"several", fsOf("h/a.txt", "one\ntwo\n"+good), 1, `h/a.txt: line 1: no result and no setting: "one" (and 1 more lines): the rest was read`},
		{"a merge left its marks", fsOf("h/a.txt", "<<<<<<< HEAD\n"+good), 1, "line 1"},
		{"escapes", fsOf("h/a.txt", "\x1b[2J\u202eevil\n"+good), 1, `"\x1b[2J\u202eevil"`},
		{"binary", fsOf("h/a.txt", "\x00\x01\xff\xfe"), 0, "h/a.txt: line 1"},
		{"a bad date", fsOf("h/a.txt", "date: yesterday\n"+good), 1, "not a time like"},
		{"a bad state", fsOf("h/a.txt", "dirty: perhaps\n"+good), 1, "neither true nor false"},
		{"a line without end", fsOf("h/a.txt", good+strings.Repeat("x", maxLineBytes+1)), 1, "line 3 is longer than 1048576 bytes: only the part before was read"},
		{"a pipe", fstest.MapFS{"h/a.txt": {Mode: os.ModeNamedPipe}}, 0, "not a regular file"},
	} {
		s, err := read(tt.fsys)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(s.Results) != tt.results {
			t.Errorf("%s: %d results, want %d", tt.name, len(s.Results), tt.results)
		}
		all := strings.Join(s.Problems, "\n")
		if tt.problem == "" && all != "" || !strings.Contains(all, tt.problem) || len(s.Problems) > 1 || strings.ContainsAny(all, "\x1b\u202e\x00") {
			t.Errorf("%s: problems %q, want %q", tt.name, s.Problems, tt.problem)
		}
	}
	var many []string
	for i := range 3 * maxProblems {
		many = append(many, fmt.Sprintf("h/%03d.txt", i), "junk\n")
	}
	if s, _ := read(fsOf(many...)); len(s.Problems) != maxProblems+1 || !strings.Contains(s.Problems[maxProblems], "40 more") {
		t.Errorf("%d problems, the last %q", len(s.Problems), s.Problems[len(s.Problems)-1])
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{file: "it is a file", filepath.Join(dir, "none"): "no such directory: whet bench -history"} {
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	// What leads out of the store is not followed.
	if err := os.MkdirAll(filepath.Join(dir, "store", "h"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(dir, "secret.txt")
	if err := os.WriteFile(outside, []byte("BenchmarkX\t1\t1 ns/op\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "store", "h", "a.txt")); err != nil {
		t.Logf("no link: %v", err)
		return
	}
	if s, err := Read(filepath.Join(dir, "store")); err != nil || len(s.Results) != 0 || len(s.Problems) != 1 {
		t.Errorf("a link out of the store: %+v, %v", s, err)
	}
}

// run is one file with one result.
func run(host, revision, state, committed, date string, ns float64) string {
	return fmt.Sprintf("host: %s\nrevision: %s\ndirty: %s\ncommit-time: %s\ndate: %s\ngo-version: go1.26\npkg: p\nBenchmarkX-2\t1\t%v ns/op\t8 B/op\n", host, revision, state, committed, date, ns)
}

// course writes points as "revision*runs:values".
func course(c Course) string {
	var parts []string
	for _, p := range c.Points {
		mark := ""
		if p.Dirty {
			mark = "+"
		}
		parts = append(parts, fmt.Sprintf("%s%s*%d:%v", p.Revision, mark, p.Runs, p.Values))
	}
	return strings.Join(parts, " ")
}

func TestCourses(t *testing.T) {
	s, err := read(fsOf(
		"h/1.txt", run("h", "aaa", "false", "2026-01-01T00:00:00Z", "2026-05-01T00:00:00Z", 10),
		"h/2.txt", run("h", "bbb", "false", "2026-01-03T00:00:00Z", "2026-05-02T00:00:00Z", 20),
		"h/3.txt", run("h", "aaa", "false", "2026-01-01T00:00:00Z", "2026-05-03T00:00:00Z", 11), // again: pooled
		"h/4.txt", run("h", "aaa", "true", "2026-01-01T00:00:00Z", "2026-05-04T00:00:00Z", 12), // changed: apart
		"h/5.txt", run("h", "aaa", "true", "2026-01-01T00:00:00Z", "2026-05-05T00:00:00Z", 13), // and from each other
		"h/6.txt", run("h", "ccc", "false", "2026-01-02T00:00:00Z", "2026-05-06T00:00:00Z", 30),
		"h/7.txt", run("h", "", "", "", "2026-01-04T00:00:00Z", 40), // without a revision
		"h/8.txt", run("h", "", "", "", "2026-01-04T12:00:00Z", 41),
		"g/1.txt", run("g", "aaa", "false", "2026-01-01T00:00:00Z", "2026-05-01T00:00:00Z", 99), // another host
		"h/moved.txt", run("g", "bbb", "false", "2026-01-03T00:00:00Z", "2026-05-01T00:00:00Z", 98),
	))
	if err != nil || len(s.Problems) > 0 {
		t.Fatal(err, s.Problems)
	}
	all := regexp.MustCompile("")
	const byTime = "aaa*2:[10 11] aaa+*1:[12] aaa+*1:[13] ccc*1:[30] bbb*1:[20] +*1:[40] +*1:[41]"
	for _, tt := range []struct {
		name  string
		order []string
		want  string
	}{
		{"by time", nil, byTime},
		// The commits know better than their clocks; what they do not know goes by
		// time.
		{"by commits", []string{"x", "aaa", "bbb", "ccc"}, "aaa*2:[10 11] aaa+*1:[12] aaa+*1:[13] bbb*1:[20] ccc*1:[30] +*1:[40] +*1:[41]"},
		{"some known", []string{"bbb"}, byTime},
		{"reversed", []string{"bbb", "ccc", "aaa"}, "bbb*1:[20] ccc*1:[30] aaa*2:[10 11] aaa+*1:[12] aaa+*1:[13] +*1:[40] +*1:[41]"},
	} {
		courses := s.Courses(all, UnitTime, tt.order)
		if len(courses) != 2 || courses[0].Host != "g" || courses[1].Host != "h" {
			t.Fatalf("%s: %+v", tt.name, courses)
		}
		if got := course(courses[1]); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		other := "aaa*1:[99] bbb*1:[98]"
		if tt.name == "reversed" {
			other = "bbb*1:[98] aaa*1:[99]"
		}
		if got := course(courses[0]); got != other {
			t.Errorf("%s: host g has %s, want %s", tt.name, got, other)
		}
	}
	for re, want := range map[string]int{"": 4, `^p\.BenchmarkX-2$`: 4, "^BenchmarkX": 0, "Y": 0} {
		if got := s.Courses(regexp.MustCompile(re), UnitAll, nil); len(got) != want {
			t.Errorf("%q matches %d courses, want %d", re, len(got), want)
		}
	}
	if got := s.Courses(all, "B/op", nil); len(got) != 2 || got[0].Unit != "B/op" {
		t.Errorf("bytes: %+v", got)
	}
	// No result is lost or counted twice.
	n := 0
	for _, c := range s.Courses(all, UnitAll, nil) {
		for _, p := range c.Points {
			n += len(p.Values)
		}
	}
	if n != 2*len(s.Results) {
		t.Errorf("%d values of %d results with two units", n, len(s.Results))
	}
}

// FuzzParse: what was read can be kept and read again with nothing lost, and what
// was not read is told in lines fit for a terminal.
func FuzzParse(f *testing.F) {
	text, err := entry().text()
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(text))
	f.Add([]byte("pkg: p\nBenchmarkX-2 \t 1\t2 ns/op\nPASS\nok  \tp\t1s\n"))
	f.Add([]byte("revision:\ndirty: maybe\ndate: 2026-11-20T17:01:02+01:00\nBenchmarkX/a-16\t1\t0 ns/op\t3 MB/s\n"))
	f.Add([]byte("host: \x1b\u202e\nBenchmark\xff\t1\t1 x\n<<<<<<<\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		results, damage, err := Parse(bytes.NewReader(data))
		if len(data) < maxLineBytes && err != nil {
			t.Fatalf("%v", err)
		}
		if lines := bytes.Count(data, []byte("\n")) + 1; len(results)+len(damage) > lines {
			t.Fatalf("%d results and %d damaged of %d lines", len(results), len(damage), lines)
		}
		for _, d := range damage {
			if strings.ContainsAny(d, "\n\r\x1b\u202e") || len(d) > 500 {
				t.Fatalf("damage %q", d)
			}
		}
		if len(results) == 0 {
			return
		}
		e := &Entry{Host: host(), Date: at("2026-11-20T17:01:02Z")}
		for _, r := range results {
			p := Package{ImportPath: r.Package, Revision: r.Revision, Dirty: &r.Dirty, Committed: r.Committed, GoVersion: r.GoVersion, Lines: []benchmark.Line{r.Line}}
			e.Packages = append(e.Packages, p)
		}
		text, err := e.text()
		if err != nil {
			t.Fatal(err)
		}
		again, damage, err := Parse(strings.NewReader(text))
		if err != nil || len(damage) > 0 || len(again) != len(results) {
			t.Fatalf("%d results were kept as\n%s\nand read as %d (%v, %v)", len(results), text, len(again), damage, err)
		}
		spaced := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		for i, got := range again {
			want := results[i]
			if !reflect.DeepEqual(got.Line, want.Line) || got.Package != spaced(want.Package) || got.Revision != spaced(want.Revision) || got.Dirty != want.Dirty || !got.Committed.Equal(want.Committed) {
				t.Fatalf("kept %+v, read %+v", want, got)
			}
		}
	})
}
