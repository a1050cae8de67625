package exectrace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	runtimetrace "runtime/trace"
	"slices"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"

	"whet/internal/callstack"
)

// check holds what Read promises of the order of its events: times do not
// fall, each goroutine's changes join up, so that its intervals neither overlap
// nor leave a gap, and equal stacks are one.
func check(t testing.TB, events []describedEvent, summary Summary) {
	t.Helper()
	var last int64
	state := make(map[int64]State)
	stacks, seen := make(map[string]*Stack), make(map[*Stack]bool)
	for i, e := range events {
		if e.TimeNs < last || e.TimeNs > summary.EndNs {
			t.Fatalf("event %d: at %d ns after %d, in a trace of %d", i, e.TimeNs, last, summary.EndNs)
		}
		last = e.TimeNs
		for _, s := range []*Stack{e.Stack, e.ActorStack} {
			if s == nil || seen[s] {
				continue
			}
			seen[s] = true
			if len(s.Frames) == 0 {
				t.Fatalf("event %d: a stack without frames", i)
			}
			key := fmt.Sprint(frames(s))
			if stacks[key] != nil {
				t.Fatalf("event %d: a second stack of %s", i, key)
			}
			stacks[key] = s
		}
		if e.Kind != Change {
			continue
		}
		if e.Goroutine == NoGoroutine {
			t.Fatalf("event %d: a change of no goroutine", i)
		}
		was, lives := state[e.Goroutine]
		if lives && was != e.From || !lives && e.From != Gone && e.From != Unknown {
			t.Fatalf("event %d: goroutine %d goes from %s to %s, and was %s", i, e.Goroutine, e.From, e.To, was)
		}
		state[e.Goroutine] = e.To
		if e.To == Gone {
			delete(state, e.Goroutine)
		}
	}
	if summary.Events != len(events) {
		t.Fatalf("%d events, the summary has %d", len(events), summary.Events)
	}
}

func frames(s *Stack) []callstack.Frame {
	var out []callstack.Frame
	for _, f := range s.Frames {
		out = append(out, *f)
	}
	return out
}

func TestRead(t *testing.T) {
	events, summary, err := read(t, record(), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	check(t, events, summary)
	if len(summary.Warnings) != 0 || !strings.HasPrefix(summary.GoVersion, "1.") || summary.MonoNs <= 0 || summary.WallNs <= 0 {
		t.Errorf("summary %+v", summary)
	}
	saw := make(map[string]bool)
	for _, e := range events {
		leaf := ""
		if e.Stack != nil {
			leaf = e.Stack.Frames[0].Function
		}
		switch {
		case e.Kind == RangeBegin && e.Range == GC:
			saw["collection"] = true
		case e.Kind == RangeBegin && e.Range == StopWorld && e.Name != "":
			saw["stop"] = true
		case e.Kind != Change:
		case e.To == Waiting && e.Name == "network" && strings.HasPrefix(leaf, "internal/poll.(*FD)."):
			saw["network"] = true
		case e.To == Waiting && e.Name == "select":
			saw["select"] = true
		case e.From == Waiting && e.To == Runnable && e.Actor != NoGoroutine && e.ActorStack != nil:
			saw["unblock"] = true
		case e.From == Gone && e.Actor != NoGoroutine && e.Stack != nil && e.ActorStack != nil:
			saw["create"] = true
		case e.To == Gone:
			saw["end"] = true
		case e.From == Running && e.To == Syscall && e.Stack != nil:
			saw["syscall"] = true
		case e.From == Unknown && e.To == Waiting && e.Stack != nil && e.Stack.Frames[0].Function == "runtime.gopark":
			saw["parked since before"] = true
		case e.From == Running && e.To == Runnable && e.Name == "runtime.Gosched":
			saw["yield"] = true
		}
	}
	for _, what := range []string{"collection", "stop", "network", "select", "unblock", "create", "end", "syscall", "parked since before", "yield"} {
		if !saw[what] {
			t.Errorf("no event says: %s", what)
		}
	}
}

// TestReadAgreesWithGoToolTrace sums the waits that began and ended within the
// trace by the runtime's reason, as go tool trace does, and expects its totals
// to the nanosecond.
func TestReadAgreesWithGoToolTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	file := filepath.Join(t.TempDir(), "t.trace")
	if err := os.WriteFile(file, record(), 0o600); err != nil {
		t.Fatal(err)
	}
	events, _, err := read(t, record(), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for kind, counts := range map[string]func(*describedEvent) bool{
		"net":     func(e *describedEvent) bool { return e.To == Waiting && e.Name == "network" },
		"syscall": func(e *describedEvent) bool { return e.To == Syscall },
		"sched":   func(e *describedEvent) bool { return e.To == Runnable },
		"sync": func(e *describedEvent) bool {
			return e.To == Waiting && (strings.Contains(e.Name, "chan") || strings.Contains(e.Name, "sync") || strings.Contains(e.Name, "select"))
		},
	} {
		out, err := exec.Command("go", "tool", "trace", "-pprof="+kind, file).Output()
		if err != nil {
			t.Fatalf("go tool trace -pprof=%s: %v", kind, err)
		}
		p, err := google.ParseData(out)
		if err != nil {
			t.Fatal(err)
		}
		var theirs, ours int64
		for _, s := range p.Sample {
			theirs += s.Value[1]
		}
		began := make(map[int64]int64)
		started := make(map[int64]int64) // go tool trace counts from where a goroutine first ran
		for i := range events {
			e := &events[i]
			if e.Kind != Change || e.From == e.To {
				continue
			}
			if begin, ok := began[e.Goroutine]; ok {
				if first, ran := started[e.Goroutine]; ran {
					ours += e.TimeNs - max(begin, first)
				}
				delete(began, e.Goroutine)
			}
			if _, ran := started[e.Goroutine]; !ran && e.To == Running {
				started[e.Goroutine] = e.TimeNs
			}
			if counts(e) {
				began[e.Goroutine] = e.TimeNs
			}
		}
		if ours != theirs || ours == 0 {
			t.Errorf("%s: %d ns, go tool trace says %d", kind, ours, theirs)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", "is empty"},
		{"hello", "is not a Go execution trace"},
		{"<!DOCTYPE html><html>…", "is not a Go execution trace"},
		{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x00", "packed with gzip"},
		{"go 1.19 trace\x00\x00\x00\x01\x02", "read the execution trace: "},
		{"go 1.20 trace\x00\x00\x00\x01\x02", "has the format of Go 1.20, which is unknown"},
		{"go 1.99 trace\x00\x00\x00\x01\x02", "has the format of Go 1.99, which is newer"},
		{"go 1.26 trace\x00\x00\x00", "has no events"},
		{"go 1.26 trace\x00\x00\x00\xff\xff\xff", "read the execution trace: "},
	} {
		_, _, err := read(t, []byte(c.data), DefaultLimits())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: error %v, want one line with %q", c.data, err, c.want)
		}
	}
	broken := errors.New("connection reset")
	if _, err := Read(failing{bytes.NewReader(record()), 0, broken}, DefaultLimits(), nil); !errors.Is(err, broken) {
		t.Errorf("error of the reader: %v", err)
	}
	var events []describedEvent
	summary, err := Read(failing{bytes.NewReader(record()), int64(len(record()) - 100), broken}, DefaultLimits(), collect(&events))
	if err == nil && (len(summary.Warnings) == 0 || !strings.Contains(strings.Join(summary.Warnings, "\n"), broken.Error())) {
		t.Errorf("a reader that fails at the end: %d events, %q", len(events), summary.Warnings)
	}
	if err != nil && !errors.Is(err, broken) {
		t.Errorf("a reader that fails at the end: %v", err)
	}
	stop := errors.New("enough")
	if _, err := Read(bytes.NewReader(record()), DefaultLimits(), func(*Batch) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error of the caller: %v", err)
	}
}

// failing is a source that cannot be read from some byte on.
type failing struct {
	*bytes.Reader
	from int64
	err  error
}

func (f failing) ReadAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) > f.from {
		return 0, f.err
	}
	return f.Reader.ReadAt(p, offset)
}

func TestReadLimits(t *testing.T) {
	for name, change := range map[string]func(*Limits){
		"events":      func(l *Limits) { l.MaxEvents = 100 },
		"goroutines":  func(l *Limits) { l.MaxGoroutines = 6 },
		"frames":      func(l *Limits) { l.MaxFrames = 100 },
		"the limit":   func(l *Limits) { l.MaxBytes = 1000 },
		"larger than": func(l *Limits) { l.MaxBytes = int64(len(record())) - 1 },
	} {
		limits := DefaultLimits()
		change(&limits)
		events, summary, err := read(t, record(), limits)
		if err != nil {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		check(t, events, summary)
		if len(summary.Warnings) != 1 || !strings.Contains(summary.Warnings[0], name) {
			t.Errorf("%s: warnings %q", name, summary.Warnings)
		}
	}
	limits := DefaultLimits()
	limits.MaxBytes = int64(len(record()))
	if _, summary, err := read(t, record(), limits); err != nil || len(summary.Warnings) != 0 {
		t.Errorf("a trace as large as the limit: %v, %q", err, summary.Warnings)
	}
}

// TestReadCut reads a trace that ends in the middle: all of the generations
// before are there, and a warning says from when on nothing is.
func TestReadCut(t *testing.T) {
	data := cutTrace(t)
	events, summary, err := read(t, data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	check(t, events, summary)
	if len(summary.Warnings) != 1 || !strings.Contains(summary.Warnings[0], "read only up to") || summary.EndNs < 1e9 {
		t.Errorf("%d events to %d ns, warnings %q", len(events), summary.EndNs, summary.Warnings)
	}
	assists := make(map[int64]int)
	for _, e := range events {
		switch {
		case e.Range != MarkAssist || e.Kind == Change || e.Kind == Sample:
		case e.Kind == RangeEnd:
			assists[e.Goroutine]--
		default:
			assists[e.Goroutine]++
		}
	}
	for id, n := range assists {
		if id == NoGoroutine || n < 0 || n > 1 {
			t.Errorf("goroutine %d began %d assists more than it ended", id, n)
		}
	}
	if len(assists) == 0 {
		t.Error("no goroutine assists the collector")
	}
	// A shorter cut has no more, and the same but for its last generation.
	var shorter []describedEvent
	whole, of := 0, (*texts)(nil)
	_, err = Read(bytes.NewReader(data[:len(data)*3/4]), DefaultLimits(), func(b *Batch) error {
		if b.texts != of {
			whole, of = len(shorter), b.texts
		}
		return collect(&shorter)(b)
	})
	if err != nil || whole == 0 || len(shorter) > len(events) {
		t.Fatalf("%d events of three quarters, %d of the whole: %v", len(shorter), len(events), err)
	}
	for i, e := range shorter[:whole] {
		if want := events[i]; e.TimeNs != want.TimeNs || e.Goroutine != want.Goroutine || e.To != want.To {
			t.Fatalf("event %d: %+v, want %+v", i, e, want)
		}
	}
}

// TestReadCutInTheFirst cuts a trace of one generation in some two hundred places: the
// batches before the cut are read, and a warning says so.
func TestReadCutInTheFirst(t *testing.T) {
	data := record()
	all, _, err := read(t, data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for size := len(data) - 1; size > 100; size -= max(97, len(data)/200) {
		events, summary, err := read(t, data[:size], DefaultLimits())
		if err != nil {
			// The first batch is of the clocks.
			if size > 2000 || !strings.HasPrefix(err.Error(), "read the execution trace: ") && !strings.Contains(err.Error(), "has no events") {
				t.Fatalf("%d bytes: %v", size, err)
			}
			continue
		}
		check(t, events, summary)
		if len(summary.Warnings) == 0 || !strings.Contains(strings.Join(summary.Warnings, "\n"), "read only up to byte") {
			t.Fatalf("%d bytes: warnings %q", size, summary.Warnings)
		}
		last = max(last, len(events))
	}
	if last < len(all)*9/10 {
		t.Errorf("%d events at the most, the whole trace has %d", last, len(all))
	}
}

func cutTrace(t testing.TB) []byte {
	f, err := os.Open("testdata/compile_cut.trace.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestReadFlightRecording: what the flight recorder keeps is a trace.
func TestReadFlightRecording(t *testing.T) {
	record() // one tracer at a time
	recorder := runtimetrace.NewFlightRecorder(runtimetrace.FlightRecorderConfig{})
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	defer recorder.Stop()
	done := make(chan bool)
	go func() { done <- true }()
	<-done
	var out bytes.Buffer
	if _, err := recorder.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	events, summary, err := read(t, out.Bytes(), DefaultLimits())
	if err != nil || len(events) == 0 || len(summary.Warnings) != 0 {
		t.Fatalf("%d events, error %v, warnings %q", len(events), err, summary.Warnings)
	}
	check(t, events, summary)
}

// FuzzRead holds Read to the order of its events on whatever it accepts, to
// one line of error on what it does not, and to saying what it left out: a cut
// of a sound trace is an error or has a warning.
func FuzzRead(f *testing.F) {
	data := recordLittle(f)
	f.Add(data, len(data))
	f.Add(data, len(data)/2)
	f.Add([]byte("go 1.22 trace\x00\x00\x00\x01\x01\x02\x03\x04"), 30)
	f.Add([]byte("go 1.26 trace\x00\x00\x00"), 16)
	for _, at := range []int{20, len(data) / 3, len(data) - 40} {
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x55
		f.Add(damaged, len(data))
	}
	limits := Limits{MaxBytes: 1 << 20, MaxEvents: 1e5, MaxGoroutines: 1e4, MaxFrames: 1e5, MaxStrings: 1e4, MaxBatches: 1e4}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		whole, _, wholeErr := read(t, data, limits)
		if size < 0 || size > len(data) {
			size = len(data)
		}
		events, summary, err := read(t, data[:size], limits)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Errorf("error %q", err)
			}
			return
		}
		check(t, events, summary)
		if !strings.Contains(strings.Join(summary.Warnings, "\n"), "limit of") {
			agreeInParts(t, data[:size], limits)
		}
		for _, w := range summary.Warnings {
			if strings.Contains(w, "\n") {
				t.Errorf("warning %q", w)
			}
		}
		if wholeErr == nil && len(events) < len(whole) && size < len(data) && len(summary.Warnings) == 0 && !wholeGenerations(data, size) {
			t.Errorf("%d of %d events, and no warning", len(events), len(whole))
		}
	})
}

// wholeGenerations reports that a trace cut at size ends with a generation, so
// that nothing shows the cut.
func wholeGenerations(data []byte, size int) bool {
	const endOfGeneration = 52 // Go 1.26; formats before have no such mark
	return !bytes.HasPrefix(data, []byte("go 1.26")) || data[size-1] == endOfGeneration
}

func BenchmarkRead(b *testing.B) {
	data := record()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(bytes.NewReader(data), DefaultLimits(), func(*Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTwoTracesInOneFile(t *testing.T) {
	data := recordLittle(t)
	s, err := Read(bytes.NewReader(slices.Concat(data, data)), DefaultLimits(), func(*Batch) error { return nil })
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "another trace begins there") {
		t.Errorf("%v, %q", err, s.Warnings)
	}
	whole, err := Read(bytes.NewReader(data), DefaultLimits(), func(*Batch) error { return nil })
	if err != nil || whole.Events != s.Events {
		t.Errorf("%v: %d events, the first trace has %d", err, s.Events, whole.Events)
	}
}
