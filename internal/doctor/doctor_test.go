package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"whet/internal/callstack"
	"whet/internal/cli"
	"whet/internal/format/profile"
	"whet/internal/recording"
)

// machine returns an examiner of a world in which all is well; cases spoil it.
func machine(t *testing.T) *examiner {
	t.Helper()
	dir := t.TempDir()
	return &examiner{
		root: fstest.MapFS{
			"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            {Data: []byte("performance\n")},
			"sys/devices/system/clocksource/clocksource0/current_clocksource": {Data: []byte("tsc\n")},
			"proc/sys/kernel/perf_event_paranoid":                             {Data: []byte("2\n")},
		},
		tempDir: dir,
		run: answers(map[string]string{
			"go env":    fmt.Sprintf(`{"GOVERSION":"go1.26.8","GOOS":"linux","GOARCH":"amd64","GOROOT":"/go","GOCACHE":%q,"GOMODCACHE":%q,"CC":"gcc","CGO_ENABLED":"1"}`, dir, dir),
			"go build":  "./x.go:3:6: can inline Grow with cost 6\n./x.go:3:11: moved to heap: n\n",
			"git":       "git version 2.39.5",
			"gcc":       "gcc 12.2.0\nCopyright",
			"a program": "",
		}),
		host: func(context.Context) recording.Host {
			return recording.Host{OS: "linux", CPU: "Example", Cores: 4, GOMAXPROCS: 4, Cgroup: "v2", LoadStart: new(0.1), StealRatio: new(0.0)}
		},
		free: func(string) (int64, bool) { return 5 << 30, true },
		profileCPU: func(d time.Duration) ([]byte, time.Duration, error) {
			return cpuProfileOf(t, d.Milliseconds()/10, 10*time.Millisecond), d, nil
		},
	}
}

// answers returns a world of commands: by the program and its first argument, or by
// the program. A program that is not named does not exist; one in a scratch
// directory is "a program".
func answers(known map[string]string) func(context.Context, string, string, ...string) (string, string, error) {
	return func(_ context.Context, _, name string, args ...string) (string, string, error) {
		if filepath.IsAbs(name) {
			name = "a program"
		}
		for _, key := range []string{strings.Join(append([]string{name}, args[:min(1, len(args))]...), " "), name} {
			if text, ok := known[key]; ok {
				if message, failed := strings.CutPrefix(text, "error: "); failed {
					return "", "", errors.New(message)
				}
				return text, text, nil
			}
		}
		return "", "", &exec.Error{Name: name, Err: exec.ErrNotFound}
	}
}

// cpuProfileOf writes a profile of n ticks with our own writer.
func cpuProfileOf(t *testing.T, n int64, period time.Duration) []byte {
	t.Helper()
	b := callstack.NewBuilder(callstack.ValueType{Type: "samples", Unit: "count"}, callstack.ValueType{Type: "cpu", Unit: "nanoseconds"})
	b.AddFrames([]callstack.Frame{{Function: "main.spin", File: "spin.go", Line: 3}}, nil, n, n*int64(period))
	p := b.Profile()
	p.PeriodType, p.Period = callstack.ValueType{Type: "cpu", Unit: "nanoseconds"}, int64(period)
	var buf bytes.Buffer
	if err := profile.Write(&buf, p); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// examined returns the checks whose answer the machine above decides; the others
// try the runtime this test runs on.
func examined(t *testing.T, x *examiner) map[string]instrument {
	t.Helper()
	found, err := x.examine(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]instrument)
	for _, i := range found {
		out[i.Name] = i
	}
	return out
}

func TestGoodMachine(t *testing.T) {
	for name, i := range examined(t, machine(t)) {
		switch name {
		case "clock", "load generator", "perf events": // the real ones of wherever this runs
			continue
		}
		if i.Status != statusWorks || i.Help != "" {
			t.Errorf("%s is %s: %s → %s", name, i.Status, i.Detail, i.Help)
		}
	}
}

func TestSpoiledMachine(t *testing.T) {
	goEnv := func(kv ...string) func(*testing.T, *examiner) {
		return func(t *testing.T, x *examiner) {
			values := map[string]string{"GOVERSION": "go1.26.8", "GOCACHE": x.tempDir, "GOMODCACHE": x.tempDir, "CC": "gcc", "CGO_ENABLED": "1"}
			for i := 0; i < len(kv); i += 2 {
				values[kv[i]] = kv[i+1]
			}
			data, err := json.Marshal(values)
			if err != nil {
				t.Fatal(err)
			}
			x.run = answers(map[string]string{"go env": string(data), "go build": "", "gcc": "gcc 12", "a program": ""})
		}
	}
	world := func(change func(*recording.Host)) func(*testing.T, *examiner) {
		return func(t *testing.T, x *examiner) {
			h := x.host(t.Context())
			change(&h)
			x.host = func(context.Context) recording.Host { return h }
		}
	}
	// spin answers with a profile of so many ticks in so much CPU time.
	spin := func(ticks int64, period, used time.Duration) func(*testing.T, *examiner) {
		return func(t *testing.T, x *examiner) {
			x.profileCPU = func(time.Duration) ([]byte, time.Duration, error) { return cpuProfileOf(t, ticks, period), used, nil }
		}
	}
	for _, tt := range []struct {
		name, instrument string
		spoil            func(*testing.T, *examiner)
		want             instrumentStatus
		detail           string
	}{
		{"load", "quiet machine", world(func(h *recording.Host) { h.LoadStart = new(1.01) }), statusDegraded, "load 1.01 on 4 cores"},
		{"a little load", "quiet machine", world(func(h *recording.Host) { h.LoadStart = new(0.99) }), statusWorks, "load 0.99"},
		{"steal", "quiet machine", world(func(h *recording.Host) { h.StealRatio = new(0.02) }), statusDegraded, "steal"},
		{"no load known", "quiet machine", world(func(h *recording.Host) { h.LoadStart, h.StealRatio = nil, nil }), statusDegraded, "neither load nor steal"},
		{"limit below GOMAXPROCS", "processors", world(func(h *recording.Host) { h.CPULimitCores = new(2.5) }), statusDegraded, "allows 2.5 cores"},
		{"limit that fits", "processors", world(func(h *recording.Host) { h.CPULimitCores = new(3.5) }), statusWorks, "limit 3.5"},
		{"one core", "processors", world(func(h *recording.Host) { h.Cores, h.GOMAXPROCS = 1, 1 }), statusDegraded, "1 cores"},
		{"limits unreadable", "processors", world(func(h *recording.Host) { h.Cgroup = "unreadable" }), statusWorks, "limits unreadable"},
		{"governor", "frequency", func(t *testing.T, x *examiner) {
			x.root = fstest.MapFS{"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": {Data: []byte("powersave\n")}}
		}, statusDegraded, "governor powersave"},
		{"no governor", "frequency", func(t *testing.T, x *examiner) { x.root = fstest.MapFS{} }, statusWorks, "no governor"},
		{"no go", "go", func(t *testing.T, x *examiner) { x.run = answers(nil) }, statusAbsent, "no go command"},
		{"no go: caches", "caches", func(t *testing.T, x *examiner) { x.run = answers(nil) }, statusAbsent, "go env"},
		{"go without sense", "go", func(t *testing.T, x *examiner) { x.run = answers(map[string]string{"go": "nonsense"}) }, statusAbsent, "go env"},
		{"old go", "go", goEnv("GOVERSION", "go1.25.9"), statusDegraded, "older than Go 1.26"},
		{"new go", "go", goEnv("GOVERSION", "go1.27rc1"), statusWorks, "go1.27rc1"},
		{"development go", "go", goEnv("GOVERSION", "devel go1.28-abc"), statusWorks, "devel"},
		{"flags that distort", "go", goEnv("GOFLAGS", "-race"), statusDegraded, "GOFLAGS=-race"},
		{"no build cache", "caches", goEnv("GOCACHE", "off"), statusAbsent, "GOCACHE=off"},
		{"no network wanted", "caches", goEnv("GOPROXY", "off"), statusWorks, "GOPROXY=off"},
		{"cgo off", "C compiler", goEnv("CGO_ENABLED", "0"), statusDegraded, "CGO_ENABLED=0"},
		{"no gcc", "C compiler", goEnv("CC", "no-such-cc"), statusAbsent, "no no-such-cc on PATH"},
		{"no git", "git", goEnv(), statusAbsent, "no git on PATH"},
		{"mute compiler", "compiler diagnostics", goEnv(), statusDegraded, "an unexpected format"},
		{"compiler fails", "compiler diagnostics", func(t *testing.T, x *examiner) {
			x.run = answers(map[string]string{"go build": "error: exit status 1: no space"})
		}, statusAbsent, "no space"},
		{"no scratch", "scratch directory", func(t *testing.T, x *examiner) { x.tempDir = filepath.Join(x.tempDir, "none") }, statusAbsent, "none: "},
		{"noexec", "scratch directory", func(t *testing.T, x *examiner) {
			x.run = answers(map[string]string{"a program": "error: permission denied"})
		}, statusAbsent, "cannot run programs there: permission denied"},
		{"little room", "scratch directory", func(t *testing.T, x *examiner) { x.free = func(string) (int64, bool) { return 1<<30 - 1, true } }, statusDegraded, "left"},
		{"no ticks", "CPU profile", spin(0, 10*time.Millisecond, time.Second), statusAbsent, "no sample in 1s of CPU time"},
		{"lost ticks", "CPU profile", spin(12, 10*time.Millisecond, 260*time.Millisecond), statusDegraded, "12 samples in 260ms of CPU time, one every 10ms: 26 were due"},
		{"half the ticks", "CPU profile", spin(13, 10*time.Millisecond, 260*time.Millisecond), statusWorks, "13 samples in 260ms"},
		{"another rate", "CPU profile", spin(50, 4*time.Millisecond, 200*time.Millisecond), statusDegraded, "every 4ms"},
		{"no time to try", "CPU profile", spin(0, 10*time.Millisecond, 90*time.Millisecond), statusDegraded, "too busy"},
		{"profiler refuses", "CPU profile", func(t *testing.T, x *examiner) {
			x.profileCPU = func(time.Duration) ([]byte, time.Duration, error) { return nil, 0, errors.New("already in use") }
		}, statusAbsent, "already in use"},
		{"no profile at all", "CPU profile", func(t *testing.T, x *examiner) {
			x.profileCPU = func(d time.Duration) ([]byte, time.Duration, error) { return []byte("nonsense"), d, nil }
		}, statusAbsent, "cannot be read"},
		{"a bad moment", "CPU profile", func(t *testing.T, x *examiner) {
			tries := 0
			x.profileCPU = func(d time.Duration) ([]byte, time.Duration, error) {
				tries++
				return cpuProfileOf(t, int64(tries-1)*50, 10*time.Millisecond), d, nil
			}
		}, statusWorks, "50 samples in 500ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := machine(t)
			tt.spoil(t, x)
			i := examined(t, x)[tt.instrument]
			if i.Status != tt.want || !strings.Contains(i.Detail, tt.detail) {
				t.Errorf("%s is %s: %s; want %s with %q", tt.instrument, i.Status, i.Detail, tt.want, tt.detail)
			}
		})
	}
}

// TestUnwritableCaches: as root every directory can be written, so a file stands
// in the directory's place.
func TestUnwritableCaches(t *testing.T) {
	x := machine(t)
	file := filepath.Join(x.tempDir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	good := x.tempDir
	for _, tt := range []struct {
		build, module string
		want          instrumentStatus
	}{{file, good, statusAbsent}, {good, file, statusDegraded}, {filepath.Join(good, "a", "b"), good, statusWorks}} {
		x.run = answers(map[string]string{"go env": fmt.Sprintf(`{"GOCACHE":%q,"GOMODCACHE":%q}`, tt.build, tt.module)})
		if i := x.caches(t.Context()); i.Status != tt.want {
			t.Errorf("build cache %s, module cache %s: %s: %s, want %s", tt.build, tt.module, i.Status, i.Detail, tt.want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(good, ".whet-doctor-*")); err != nil || len(left) > 0 {
		t.Errorf("the doctor left %q behind (%v)", left, err)
	}
}

func TestScratchLeavesNothing(t *testing.T) {
	x := machine(t)
	examined(t, x)
	if left, err := os.ReadDir(x.tempDir); err != nil || len(left) > 0 {
		t.Errorf("the doctor left %v behind (%v)", left, err)
	}
}

func TestReportInstruments(t *testing.T) {
	good := instrument{Name: "clock", Status: statusWorks, Detail: "fine"}
	odd := instrument{Name: "perf events", Status: statusAbsent, Detail: "not\nhere", Help: "ask"}
	lost := instrument{Name: "go", Status: statusAbsent, Detail: "gone", Help: "install", essential: true}
	for _, tt := range []struct {
		found []instrument
		err   string
		text  string
	}{
		{[]instrument{good, odd}, "", "works     clock        fine\nabsent    perf events  not; here\n                       → ask\n\n1 of 2 work without restriction\n"},
		{[]instrument{good, lost}, "whet tune needs go, which does not work here", "works     clock  fine\nabsent    go     gone\n                 → install\n\n1 of 2 work without restriction\n"},
	} {
		var out bytes.Buffer
		err := reportInstruments(&cli.Env{Stdout: &out}, tt.found, false)
		if out.String() != tt.text {
			t.Errorf("got\n%s\nwant\n%s", out.String(), tt.text)
		}
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("error %v, want %q", err, tt.err)
		}
	}
}

func TestInstrumentsJSON(t *testing.T) {
	var out bytes.Buffer
	err := reportInstruments(&cli.Env{Stdout: &out}, []instrument{
		{Name: "clock", Status: statusWorks, Detail: "fine"},
		{Name: "git", Status: statusAbsent, Detail: "none on PATH", Help: "install git"},
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "schema": "whet/doctor/1",
  "warnings": [
    "git is absent: none on PATH"
  ],
  "instruments": [
    {
      "name": "clock",
      "status": "works",
      "detail": "fine",
      "help": ""
    },
    {
      "name": "git",
      "status": "absent",
      "detail": "none on PATH",
      "help": "install git"
    }
  ]
}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestGoMinor(t *testing.T) {
	for version, want := range map[string]int{"go1.26.8": 26, "go1.27rc1": 27, "go1.4": 4, "go1.26-custom": 26, "devel +abc": -1, "go1.": -1, "": -1} {
		got, ok := goMinor(version)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("goMinor(%q) = %d, %v, want %d", version, got, ok, want)
		}
	}
}
