//go:build go1.26

package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/recording"
)

// open opens a recording as whet does and demands that every artifact is what
// was recorded.
func open(t *testing.T, path string) *recording.Recording {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	for _, a := range r.Artifacts {
		if data, err := r.Read(a); err != nil || int64(len(data)) != a.Bytes {
			t.Errorf("%s: %d bytes of %d, error %v", a.Path, len(data), a.Bytes, err)
		}
	}
	return r
}

// doubts returns the warnings but for the one that a test binary brings about, as
// the tests before this one have allocated.
func doubts(warnings []string) []string {
	return slices.DeleteFunc(slices.Clone(warnings), func(w string) bool { return strings.HasPrefix(w, "the program had allocated ") })
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.whet")
	before := time.Now()
	a := Start(Config{Record: path, Log: quiet})
	defer a.Stop()
	burn(100 * time.Millisecond)
	a.Stop()
	if got := names(t, dir); got != "run.whet" {
		t.Errorf("%s is in the directory", got)
	}
	r := open(t, path)
	if r.Kind != recording.TargetProgram || r.Partial != "" || len(doubts(r.Warnings)) > 0 || r.Origin.Before(before) || r.EndNs < int64(100*time.Millisecond) {
		t.Errorf("kind %q, partial %q, warnings %q, origin %v, end %d", r.Kind, r.Partial, r.Warnings, r.Origin, r.EndNs)
	}
	for _, kind := range []string{
		recording.KindCPU, recording.KindAllocs, recording.KindHeap, recording.KindBlock, recording.KindMutex, recording.KindGoroutine,
		recording.KindThreads, recording.KindTrace, recording.KindMetrics,
	} {
		if list := r.Find(kind, ""); len(list) != 1 || list[0].StartNs < 0 || list[0].EndNs < list[0].StartNs {
			t.Errorf("%s: %+v", kind, list)
		}
	}
	p, err := recording.Part[struct {
		Runs []struct {
			EndNs     int64 `json:"end_ns"`
			UserCPUNs int64 `json:"user_cpu_ns"`
		} `json:"runs"`
	}]("program").Of(&r.Manifest)
	if err != nil || p == nil || len(p.Runs) != 1 || p.Runs[0].EndNs != r.EndNs || p.Runs[0].UserCPUNs <= 0 {
		t.Errorf("program %+v, %v", p, err)
	}
	if r.Host.Cores < 1 || r.Host.GOMAXPROCS < 1 || r.Build.GoVersion == "" || len(r.Unknown) != 1 {
		t.Errorf("host %+v, build %+v, unknown %+v", r.Host, r.Build, r.Unknown)
	}
}

// A partial recording goes beside a whole one, takes the place of its own
// predecessors, and gives way to the whole one of its run.
func TestPartial(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts programs")
	}
	for _, earlier := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "run.whet")
		if earlier {
			Start(Config{Record: path, Log: quiet}).Stop()
		}
		s := Config{Record: path}.settings()
		s.continuous = quick()
		a := begun(t, s)
		at := path
		if earlier {
			at = filepath.Join(dir, "run.partial.whet")
		}
		for i := 0; i < 2; i++ {
			if err := a.continuous.do(t.Context(), func() { a.continuous.flush(); a.continuous.publish("for the test") }); err != nil {
				t.Fatal(err)
			}
			r := open(t, at)
			if r.Partial != "for the test" || len(r.Find(recording.KindCPU, "")) != i+1 || len(r.Find(recording.KindMetrics, "")) != 1 {
				t.Errorf("partial %q with %d CPU profiles", r.Partial, len(r.Find(recording.KindCPU, "")))
			}
		}
		a.Stop()
		if got := names(t, dir); got != "run.whet" {
			t.Errorf("earlier %v: %s is in the directory", earlier, got)
		}
		if r := open(t, path); r.Partial != "" || len(r.Find(recording.KindCPU, "")) != 3 {
			t.Errorf("partial %q with %d CPU profiles", r.Partial, len(r.Find(recording.KindCPU, "")))
		}
		if len(doubts(a.Warnings())) > 0 {
			t.Errorf("warnings %q", a.Warnings())
		}
	}
}

func TestRecordRefuses(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.whet")
	if err := os.MkdirAll(filepath.Join(other, "precious"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file.whet")
	if err := os.WriteFile(file, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "run"):               "a recording's name ends in .whet",
		filepath.Join(dir, ".whet"):             "a recording's name ends in .whet",
		other:                                   "the name exists and is not a recording",
		file:                                    "the name exists and is not a recording",
		filepath.Join(dir, "missing", "a.whet"): "nothing is recorded: record ",
	} {
		a := Start(Config{Record: path, Log: quiet})
		if !warned(a, want) || ask(a.Handler(), "GET", prefix+"status").Code != 200 {
			t.Errorf("%s: %q, want %q", path, a.Warnings(), want)
		}
		a.Stop()
	}
	if got := names(t, dir); got != "file.whet other.whet" {
		t.Errorf("%s is in the directory", got)
	}
}

// What cannot be published stays where it is, and the agent says where.
func TestRecordIsNotLost(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.whet")
	s := Config{Record: path}.settings()
	s.continuous = quick()
	a := begun(t, s)
	// While the program ran, someone put something else there.
	if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	a.Stop()
	if !warned(a, "(the part written is in "+a.continuous.recorder.dir+")") {
		t.Fatalf("warnings %q", a.Warnings())
	}
	if r := reportIn(t, a.continuous.recorder.dir); r.Ended != "stop" || count(r, "cpu") != 1 {
		t.Errorf("%s with %d CPU profiles", r.Ended, count(r, "cpu"))
	}
	if string(readFile(t, path)) != "precious" {
		t.Error("what was put there is gone")
	}
}
