//go:build go1.26

package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// The program's own profile is left alone: the agent waits, says so, and keeps
// everything else.
func TestProgramProfilesItself(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	var own bytes.Buffer
	if err := pprof.StartCPUProfile(&own); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := begun(t, settings{dir: dir, continuous: quick()})
	if !warned(a, "the program takes its own CPU profile") || a.cpuProfiling() {
		t.Errorf("profiling %v, warnings %q", a.cpuProfiling(), a.Warnings())
	}
	if w := ask(a.Handler(), "GET", "/pprof/profile?seconds=0.01"); w.Code != 503 || w.Body.String() != "Could not enable CPU profiling: cpu profiling already in use\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	burn(50 * time.Millisecond)
	pprof.StopCPUProfile()
	checkProfile(t, "the program's own", own.Bytes())
	await(t, "the agent to take its turn", a.cpuProfiling)
	a.Stop()
	want := []string{"allocs", "block", "cpu", "goroutine", "heap", "metrics", "mutex", "threadcreate", "trace"}
	if got := kinds(reportIn(t, dir)); !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
}

// A program that ends a profile it could not start ends the agent's.
func TestProgramEndsTheProfile(t *testing.T) {
	dir := t.TempDir()
	a := begun(t, settings{dir: dir, continuous: quick()})
	burn(50 * time.Millisecond)
	pprof.StopCPUProfile()
	a.Stop()
	if !warned(a, "the program stopped the agent's CPU profile") {
		t.Errorf("warnings %q", a.Warnings())
	}
	checkProfile(t, "the first part", readFile(t, dir, "cpu-000.pb.gz"))
}

func TestProgramTracesItself(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	var own bytes.Buffer
	if err := trace.Start(&own); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := begun(t, settings{dir: dir, continuous: quick()})
	if w := ask(a.Handler(), "GET", "/pprof/trace?seconds=0.01"); w.Code != 503 || !strings.HasPrefix(w.Body.String(), "Could not enable tracing: ") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	a.Stop()
	trace.Stop()
	if checkTrace(t, "the program's own", own.Bytes()) == 0 {
		t.Error("the program's own trace is empty")
	}
	if got := kinds(reportIn(t, dir)); slices.Contains(got, "trace") || !slices.Contains(got, "cpu") || !warned(a, "the program takes its own execution trace") {
		t.Errorf("kinds %v, warnings %q", got, a.Warnings())
	}
}

// Segments follow each other, and each is a profile of its own.
func TestSegments(t *testing.T) {
	dir := t.TempDir()
	s := quick()
	s.segment, s.cumulative, s.traceLength = 20*time.Millisecond, 20*time.Millisecond, 0
	a := begun(t, settings{dir: dir, continuous: s})
	await(t, "three segments", func() bool { return count(a.continuous.files.report(), "cpu") >= 3 })
	await(t, "a cumulative profile in agent.json of a running program", func() bool { return slices.Contains(kinds(reportIn(t, dir)), "allocs") })
	a.Stop()
	end := int64(-1)
	for _, f := range reportIn(t, dir).Files {
		switch f.Kind {
		case "cpu":
			if f.StartNs < end {
				t.Errorf("%s begins at %d ns, before the end of the one before at %d ns", f.Name, f.StartNs, end)
			}
			end = f.EndNs
			checkProfile(t, f.Name, readFile(t, dir, f.Name))
		case "trace":
			t.Error("a trace nobody asked for")
		}
	}
}

func count(r report, kind string) int {
	n := 0
	for _, f := range r.Files {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// Traces begin at 0 and then at powers of four of the first distance.
func TestTraceTimes(t *testing.T) {
	c := &continuous{schedule: schedule{traceFirst: 4 * time.Second, traceLength: time.Second}}
	var at []time.Duration
	for i := 0; i < 5; i++ {
		at = append(at, c.traceAt)
		c.nextTrace()
	}
	want := []time.Duration{0, 4 * time.Second, 16 * time.Second, 64 * time.Second, 256 * time.Second}
	if !slices.Equal(at, want) {
		t.Errorf("%v, want %v", at, want)
	}
}

func TestTracesFollow(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	dir := t.TempDir()
	s := quick()
	s.traceFirst, s.traceLength = 10*time.Millisecond, 3*time.Millisecond
	a := begun(t, settings{dir: dir, continuous: s})
	await(t, "three traces", func() bool { return count(a.continuous.files.report(), "trace") >= 3 })
	a.Stop()
	for _, f := range reportIn(t, dir).Files {
		if f.Kind == "trace" {
			checkTrace(t, f.Name, readFile(t, dir, f.Name))
		}
	}
}

// The last collection makes the heap profiles whole: what was allocated in the
// last moment is in them. The metrics do not count it as the program's.
func TestHeapIsWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	dir := t.TempDir()
	every := int64(1)
	a := begun(t, settings{dir: dir, continuous: quick(), rates: rates{MemProfileRate: &every}})
	before := decode(t, ownRow(t))
	runtime.GC()
	earlier := blockBytes(checkProfile(t, "before", ask(a.Handler(), "GET", "/pprof/heap").Body.Bytes()))
	kept := allocate()
	a.Stop()
	if runtime.MemProfileRate != rate {
		t.Errorf("the rate of the heap profile is %d, not %d as before", runtime.MemProfileRate, rate)
	}
	for _, name := range []string{"heap", "allocs"} {
		if bytes := blockBytes(checkProfile(t, name, readFile(t, dir, name+".pb.gz"))) - earlier; bytes != 1<<20 {
			t.Errorf("%s: block has %d bytes more, want 1 MiB", name, bytes)
		}
	}
	runtime.KeepAlive(kept)
	rows := checkRows(t, readFile(t, dir, rowsName))
	if last := rows[len(rows)-1]; *last["gc_forced"] != *before["gc_forced"]+1 {
		t.Errorf("the rows count %d forced collections, and the program made one", *last["gc_forced"]-*before["gc_forced"])
	}
}

// blockBytes returns what block has allocated.
func blockBytes(p *profile.Profile) (bytes int64) {
	for _, s := range p.Sample {
		for _, l := range s.Location {
			if strings.HasSuffix(l.Line[0].Function.Name, "/agent.block") {
				bytes += s.Value[1] // alloc_space
			}
		}
	}
	return bytes
}

func ownRow(t *testing.T) []byte {
	t.Helper()
	s := newSampler()
	defer s.close()
	return slices.Clone(s.next(0))
}

//go:noinline
func allocate() [][]byte {
	var out [][]byte
	for i := 0; i < 1024; i++ {
		out = append(out, block())
	}
	return out
}

//go:noinline
func block() []byte { return make([]byte, 1024) }

// Ten thousand rows: the file stays within its bound, and what is left covers
// the whole time evenly.
func TestRowsAreBounded(t *testing.T) {
	dir := t.TempDir()
	a := begun(t, settings{})
	c := &continuous{agent: a, files: newFiles(dir, a)}
	f, err := os.Create(dir + "/" + rowsName)
	if err != nil {
		t.Fatal(err)
	}
	r := &rows{c: c, file: f, sampler: newSampler(), every: time.Millisecond, most: 1000}
	defer r.sampler.close()
	written := 0
	for i := 0; i < 10_000; i++ {
		// Once thinned, only every second tick comes, then every fourth…
		if i%int(r.every/time.Millisecond) != 0 {
			continue
		}
		if _, err := r.file.Write(r.sampler.next(int64(i))); err != nil {
			t.Fatal(err)
		}
		written++
		if r.count++; r.count >= r.most {
			if err := r.thin(); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.file.Close()
	rows := checkRows(t, readFile(t, dir, rowsName))
	if len(rows) > 1000 || len(rows) < 500 || len(rows) != r.count {
		t.Errorf("%d rows of a bound of 1000, and %d counted", len(rows), r.count)
	}
	step := int64(r.every / time.Millisecond)
	for i, row := range rows {
		if *row["t_ns"] != int64(i)*step {
			t.Fatalf("row %d is that of %d, want %d", i, *row["t_ns"], int64(i)*step)
		}
	}
	a.Stop()
}

// Of too many files of one kind the oldest go, from the list and the disk.
func TestFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	a := begun(t, settings{})
	d := newFiles(dir, a)
	write := func(name, kind string) {
		t.Helper()
		if err := d.write(name, kind, 0, func(w io.Writer) error { _, err := io.WriteString(w, name); return err }); err != nil {
			t.Fatal(err)
		}
	}
	write("heap.pb.gz", "heap")
	for i := 0; i < maxFiles+3; i++ {
		write(fmt.Sprintf("cpu-%03d.pb.gz", i), "cpu")
	}
	write("heap.pb.gz", "heap") // again: no further entry
	r := d.report()
	if n := count(r, "cpu"); n != maxFiles || count(r, "heap") != 1 || r.Files[1].Name != "cpu-003.pb.gz" {
		t.Errorf("%d segments, the first %s", n, r.Files[1].Name)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != maxFiles+2 { // and heap, agent.json
		t.Errorf("%d files on disk, error %v", len(entries), err)
	}
	if !warned(a, "files of kind cpu were dropped") {
		t.Errorf("warnings %q", a.Warnings())
	}
	a.Stop()
}

// A file past its bound asks for its end, and twice as far is given up.
func TestWatched(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := watch(f, 10)
	for i, want := range []struct{ full, lost bool }{{false, false}, {true, false}, {true, true}} {
		w.Write(make([]byte, 9))
		if got := len(w.full) == 1; got != want.full || w.lost() != want.lost {
			t.Errorf("after %d bytes: full %v, lost %v", 9*(i+1), got, w.lost())
		}
	}
	b := newBuffer(10)
	for i, want := range []struct{ full, lost bool }{{false, false}, {true, false}, {true, true}} {
		b.Write(make([]byte, 9))
		if _, err := b.bytes(); len(b.full) == 1 != want.full || (err != nil) != want.lost {
			t.Errorf("after %d bytes: full %v, error %v", 9*(i+1), len(b.full) == 1, err)
		}
	}
}
