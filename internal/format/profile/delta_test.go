package profile

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// take writes one of the runtime's own profiles of this test.
func take(t *testing.T, name string) []byte {
	t.Helper()
	runtime.GC() // the memory profile is as of the last but one
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// growing allocates a known number of bytes at a known place. What it returns
// is kept as long as the caller keeps it.
//
//go:noinline
func growing(n int) [][]byte {
	var out [][]byte
	for range n {
		out = append(out, make([]byte, 1<<20))
	}
	return out
}

// contend makes n waits for a mutex, by one goroutine for another.
//
//go:noinline
func contend(n int) {
	for range n {
		var mu sync.Mutex
		var wg sync.WaitGroup
		mu.Lock()
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
		})
		for !someoneWaits() {
			runtime.Gosched()
		}
		mu.Unlock()
		wg.Wait()
	}
}

// someoneWaits reports whether a goroutine of contend's is parked.
func someoneWaits() bool {
	all := make([]byte, 1<<20)
	for g := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if strings.Contains(g, "[sync.Mutex.Lock") && strings.Contains(g, "profile.contend.") {
			return true
		}
	}
	return false
}

// samples returns the values of each stack, in google/pprof's reading.
func samples(t *testing.T, data []byte) map[string][]int64 {
	t.Helper()
	p, err := google.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]int64)
	for _, s := range p.Sample {
		var key strings.Builder
		for _, l := range s.Location {
			for _, line := range l.Line {
				fmt.Fprintf(&key, "%s:%d ", line.Function.Name, line.Line)
			}
		}
		fmt.Fprint(&key, s.NumLabel)
		sum := out[key.String()]
		if sum == nil {
			sum = make([]int64, len(s.Value))
		}
		for i, v := range s.Value {
			sum[i] += v
		}
		out[key.String()] = sum
	}
	return out
}

// column sums a column over the samples that pass through functions, all of
// them.
func column(t *testing.T, data []byte, typ string, functions ...string) int64 {
	t.Helper()
	p, err := ReadFrames(data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.TypeIndex(typ)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for s := p.Stacks(nil); s.Next(); {
		through := func(function string) bool {
			return slices.ContainsFunc(s.Stack, func(f callstack.FrameID) bool {
				return strings.HasSuffix(p.Frame(f).Function, "."+function)
			})
		}
		if !slices.ContainsFunc(functions, func(f string) bool { return !through(f) }) {
			sum += s.Value(c)
		}
	}
	return sum
}

// base returns what `go tool pprof -base` makes of two profiles.
func base(t *testing.T, before, after []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"before": before, "after": after} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "tool", "pprof", "-symbolize=none", "-proto", "-output", filepath.Join(dir, "out"), "-base", filepath.Join(dir, "before"), filepath.Join(dir, "after"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDelta compares with go tool pprof, sample by sample, and with what was
// done between the two profiles.
func TestDelta(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	oldMutex := runtime.SetMutexProfileFraction(1)
	defer runtime.SetMutexProfileFraction(oldMutex)
	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)

	kept := growing(8)
	contend(3)
	before := make(map[string][]byte)
	kinds := []string{"allocs", "heap", "block", "mutex"}
	for _, kind := range kinds {
		before[kind] = take(t, kind)
	}
	runtime.KeepAlive(kept) // 8 MiB, freed from here on
	more := growing(20)
	contend(5)
	for _, kind := range kinds {
		after := take(t, kind)
		delta, warnings, err := Delta(before[kind], after)
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v, %v", kind, warnings, err)
			continue
		}
		want := samples(t, base(t, before[kind], after))
		if kind == "allocs" { // the first two columns are alloc_objects and alloc_space
			maps.DeleteFunc(want, func(k string, v []int64) bool { want[k] = v[:2]; return v[0] == 0 && v[1] == 0 })
		}
		if d := cmp.Diff(want, samples(t, delta)); d != "" {
			t.Errorf("%s: not as go tool pprof -base (-) has it:\n%.3000s", kind, d)
		}
		switch kind {
		case "allocs":
			// A block of 1 MiB is sampled with a chance of 1 - e^-2 = 0.86 at one
			// sample each 512 KiB, and counts 1/0.86 then: of 20 blocks 20 MiB are
			// expected, with a standard deviation of sqrt(20 * 0.86 * 0.14)/0.86 =
			// 1.8 MiB. The bounds are beyond five of them.
			if got := column(t, delta, "alloc_space", "growing"); got < 10<<20 || got > 30<<20 {
				t.Errorf("allocs: %d bytes were added in growing, want about %d", got, 20<<20)
			}
			p, err := ReadFrames(delta, DefaultLimits())
			if err != nil || len(p.Types) != 2 || p.Types[p.DefaultType].Type != "alloc_space" {
				t.Errorf("allocs: columns %v, %v", p.Types, err)
			}
		case "heap":
			inBefore, inAfter := column(t, before[kind], "inuse_space", "growing"), column(t, after, "inuse_space", "growing")
			if got := column(t, delta, "inuse_space", "growing"); got != inAfter-inBefore || got <= 0 {
				t.Errorf("heap: growing has grown by %d, want %d - %d", got, inAfter, inBefore)
			}
		case "mutex":
			// The profile holds the waits for the runtime's own locks, too; contend's
			// are those that Unlock ended.
			if got := column(t, delta, "contentions", "contend", "(*Mutex).Unlock"); got != 5 {
				t.Errorf("mutex: %d waits were added, want 5", got)
			}
		}
	}

	// Of memory that is freed again, growth is below zero.
	full := take(t, "heap")
	runtime.KeepAlive(more) // up to here, and no longer
	delta, warnings, err := Delta(full, take(t, "heap"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if got, want := column(t, delta, "inuse_space", "growing"), -column(t, full, "inuse_space", "growing"); got != want || got >= 0 {
		t.Errorf("heap: growing has grown by %d, want %d", got, want)
	}
}

// made returns a profile written out by hand: values of each of its stacks.
func made(t *testing.T, change func(*google.Profile), types []string, values ...[]int64) []byte {
	t.Helper()
	p := &google.Profile{
		TimeNanos: 1e18, DurationNanos: 5,
		PeriodType: &google.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10,
		Mapping: []*google.Mapping{{ID: 1, File: "server", BuildID: "one"}},
	}
	for _, typ := range types {
		p.SampleType = append(p.SampleType, &google.ValueType{Type: typ, Unit: "count"})
	}
	if slices.Contains(types, "alloc_space") {
		p.DefaultSampleType = "alloc_space"
	}
	for i, v := range values {
		f := &google.Function{ID: uint64(i + 1), Name: fmt.Sprintf("f%d", i)}
		l := &google.Location{ID: uint64(i + 1), Mapping: p.Mapping[0], Address: uint64(100 * (i + 1)), Line: []google.Line{{Function: f, Line: 1}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		p.Sample = append(p.Sample, &google.Sample{Location: []*google.Location{l}, Value: v})
	}
	if change != nil {
		change(p)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func byName(t *testing.T, data []byte) map[string][]int64 {
	t.Helper()
	out := make(map[string][]int64)
	for k, v := range samples(t, data) {
		name, _, _ := strings.Cut(k, ":")
		out[name] = v
	}
	return out
}

var (
	waits  = []string{"contentions", "delay"}
	memory = []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}
)

func TestDeltaOfRestartedPrograms(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []byte
		want          map[string][]int64
		restarted     bool
	}{
		{"counted on", made(t, nil, waits, []int64{1, 10}, []int64{2, 20}), made(t, nil, waits, []int64{1, 10}, []int64{5, 21}, []int64{7, 7}),
			map[string][]int64{"f1": {3, 1}, "f2": {7, 7}}, false},
		{"nothing", made(t, nil, waits), made(t, nil, waits), map[string][]int64{}, false},
		{"the same", made(t, nil, waits, []int64{1, 10}), made(t, nil, waits, []int64{1, 10}), map[string][]int64{}, false},
		{"one count fell", made(t, nil, waits, []int64{9, 90}, []int64{1, 1}), made(t, nil, waits, []int64{4, 40}, []int64{5, 5}),
			map[string][]int64{"f0": {4, 40}, "f1": {5, 5}}, true},
		{"one delay fell", made(t, nil, waits, []int64{4, 90}), made(t, nil, waits, []int64{4, 40}), map[string][]int64{"f0": {4, 40}}, true},
		{"a stack is gone", made(t, nil, waits, []int64{9, 90}), made(t, nil, waits), map[string][]int64{}, true},
		{"another binary", made(t, nil, waits, []int64{1, 1}),
			made(t, func(p *google.Profile) { p.Mapping[0].BuildID = "two" }, waits, []int64{4, 40}), map[string][]int64{"f0": {4, 40}}, true},
		{"memory was freed", made(t, nil, memory, []int64{3, 30, 2, 20}), made(t, nil, memory, []int64{4, 50, 0, 0}),
			map[string][]int64{"f0": {1, 20}}, false},
		{"memory was only freed", made(t, nil, memory, []int64{3, 30, 2, 20}), made(t, nil, memory, []int64{3, 30, 0, 0}), map[string][]int64{}, false},
		{"allocations fell", made(t, nil, memory, []int64{3, 30, 2, 20}), made(t, nil, memory, []int64{3, 20, 2, 20}),
			map[string][]int64{"f0": {3, 20}}, true},
		{"heap", made(t, ofHeap, memory, []int64{3, 30, 2, 20}), made(t, ofHeap, memory, []int64{4, 50, 0, 0}),
			map[string][]int64{"f0": {1, 20, -2, -20}}, false},
	} {
		delta, warnings, err := Delta(c.before, c.after)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, byName(t, delta)); d != "" || (len(warnings) == 1) != c.restarted {
			t.Errorf("%s: warnings %q, -want +got:\n%s", c.name, warnings, d)
		}
	}
}

func ofHeap(p *google.Profile) { p.DefaultSampleType = "inuse_space" }

// The interval begins when the earlier profile was taken; its length would be
// a difference of wall times.
func TestDeltaSaysWhen(t *testing.T) {
	before := made(t, func(p *google.Profile) { p.TimeNanos = 5e18 }, waits, []int64{1, 1})
	delta, _, err := Delta(before, made(t, nil, waits, []int64{2, 2})) // the clock was set back in between
	if err != nil {
		t.Fatal(err)
	}
	if p, err := ReadFrames(delta, DefaultLimits()); err != nil || p.TimeNanos != 5e18 || p.Duration != 0 {
		t.Errorf("begins at %d, takes %d: %v", p.TimeNanos, p.Duration, err)
	}
}

func TestDeltaRefuses(t *testing.T) {
	good := made(t, nil, waits, []int64{1, 1})
	for _, c := range []struct {
		name          string
		before, after []byte
		want          string
	}{
		{"cut off", good, good[:len(good)-9], "the later profile: it is cut off"},
		{"two in one", append(slices.Clone(good), good...), good, "the earlier profile: it is cut off, or contains more than one"},
		{"nothing", nil, good, "the earlier profile: "},
		{"text", []byte("goroutine profile: total 3\n"), good, "debug=1"},
		{"a CPU profile", made(t, nil, []string{"samples", "cpu"}, []int64{1, 1}), good, `it counts ["samples" "cpu"]`},
		{"another kind", made(t, nil, memory, []int64{1, 1, 1, 1}), good, "incompatible sample types"},
		{"a difference", good, made(t, nil, waits, []int64{-1, 1}), "already is a difference"},
		{"another rate", good, made(t, func(p *google.Profile) { p.Period = 1 }, waits, []int64{2, 2}), "changed the profile's rate from 524288 to 1"},
		{"too much", good, made(t, nil, waits, []int64{1, 1<<63 - 1}, []int64{1, 1}), "overflows an int64"},
	} {
		_, _, err := Delta(c.before, c.after)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzDelta holds Delta to arithmetic: with or without a restart, what the
// result has of each column is the sum after, less the sum before or nothing;
// and a profile less itself is empty.
func FuzzDelta(f *testing.F) {
	f.Add(int64(1), int64(10), int64(3), int64(30))
	f.Add(int64(5), int64(50), int64(3), int64(90))
	f.Add(int64(0), int64(0), int64(1<<62), int64(1<<62))
	f.Fuzz(func(t *testing.T, a, b, c, d int64) {
		before, after := made(t, nil, waits, []int64{a, b}, []int64{7, 7}), made(t, nil, waits, []int64{c, d}, []int64{8, 8})
		delta, warnings, err := Delta(before, after)
		if err != nil {
			if min(a, b, c, d) >= 0 && max(a, b, c, d) < 1<<62 {
				t.Fatal(err)
			}
			return
		}
		want := map[string][]int64{"f0": {c - a, d - b}, "f1": {1, 1}}
		if c < a || d < b {
			want = map[string][]int64{"f0": {c, d}, "f1": {8, 8}}
			if len(warnings) != 1 {
				t.Errorf("warnings %q of a restart", warnings)
			}
		}
		if v := want["f0"]; v[0] == 0 && v[1] == 0 {
			delete(want, "f0")
		}
		if diff := cmp.Diff(want, byName(t, delta)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if again, _, err := Delta(after, after); err != nil || len(byName(t, again)) != 0 {
			t.Errorf("a profile less itself: %v, %v", byName(t, again), err)
		}
	})
}

// FuzzDeltaOfAnything takes any bytes: what is accepted less itself is empty,
// and less nothing at all it is itself.
func FuzzDeltaOfAnything(f *testing.F) {
	f.Add(small().Bytes())
	for _, name := range []string{"http.block.pb.gz", "http.heap.pb.gz"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		delta, warnings, err := Delta(data, data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		p, err := ReadFrames(delta, DefaultLimits())
		if err != nil || p.Len() != 0 || len(warnings) != 0 {
			t.Fatalf("a profile less itself: %v, %d samples, warnings %q", err, p.Len(), warnings)
		}
		whole, err := google.ParseData(data)
		if err != nil {
			return // it takes less, such as no location that nothing refers to and that refers to nothing
		}
		nothing := whole.Copy()
		nothing.Sample = nil
		var b bytes.Buffer
		if err := nothing.Write(&b); err != nil {
			t.Fatal(err)
		}
		delta, warnings, err = Delta(b.Bytes(), data)
		if err != nil || len(warnings) != 0 {
			t.Fatalf("a profile less nothing: %v, %q", err, warnings)
		}
		p, err = ReadFrames(delta, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for c, typ := range p.Types {
			var want int64
			for i, g := range whole.SampleType {
				if g.Type == typ.Type && (len(p.Types) == len(whole.SampleType) && i == c || len(p.Types) < len(whole.SampleType)) {
					for _, s := range whole.Sample {
						want += s.Value[i]
					}
					break
				}
			}
			if p.Total(c) != want {
				t.Errorf("%v: %d of %d", typ, p.Total(c), want)
			}
		}
	})
}
