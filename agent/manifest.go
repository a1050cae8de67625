//go:build go1.26

package agent

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"
)

// manifest is recording.json, as far as a program knows it of itself. Its
// schema is whet's; this package imports nothing of whet, so it stands here
// again, and a test opens what it writes with whet's own reader.
type manifest struct {
	Schema     string     `json:"schema"`
	Tool       string     `json:"tool"`
	Kind       string     `json:"kind"`
	Target     string     `json:"target"`
	Command    []string   `json:"command"`
	Origin     time.Time  `json:"origin"`
	EndNs      int64      `json:"end_ns"`
	Partial    string     `json:"partial,omitempty"`
	Host       object     `json:"host"`
	Build      build      `json:"build"`
	Plan       object     `json:"plan"`
	Benchmarks []string   `json:"benchmarks"`
	Program    object     `json:"program"`
	Unknown    []object   `json:"unknown"`
	Artifacts  []artifact `json:"artifacts"`
	Sources    []string   `json:"sources"`
	Warnings   []string   `json:"warnings"`
}

// object is a part that is written and not looked at again.
type object map[string]any

type build struct {
	GoVersion     string   `json:"go_version"`
	Package       string   `json:"package"`
	Module        string   `json:"module"`
	ModuleVersion string   `json:"module_version,omitempty"`
	OwnModules    []string `json:"own_modules"`
	Flags         []string `json:"flags"`
	Args          []string `json:"args"`
	VCS           string   `json:"vcs,omitempty"`
	Revision      string   `json:"revision,omitempty"`
	Dirty         *bool    `json:"dirty"`
	Race          bool     `json:"race"`
	Cover         bool     `json:"cover"`
	Unoptimized   bool     `json:"unoptimized"`
	Settings      []string `json:"settings"`
}

type artifact struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Part    string `json:"part,omitempty"`
	StartNs int64  `json:"start_ns"`
	EndNs   int64  `json:"end_ns"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
}

// newManifest describes this process. Of the machine it says what the Go
// runtime knows.
func newManifest(r report, partial string) manifest {
	run := object{"start_ns": 0, "end_ns": r.EndNs, "max_rss_bytes": nil, "ending": "exited"}
	run["user_cpu_ns"], run["system_cpu_ns"], _ = cpuTimes()
	if peak, ok := peakBytes(); ok {
		run["max_rss_bytes"] = peak
	}
	return manifest{
		Schema: "whet/recording/1", Tool: "whet/agent", Kind: "program",
		Target: target(), Command: []string{}, Origin: r.Origin, EndNs: r.EndNs, Partial: partial,
		Host:       object{"os": runtime.GOOS, "arch": runtime.GOARCH, "cores": runtime.NumCPU(), "gomaxprocs": r.GOMAXPROCS, "cgroup": "unreadable"},
		Build:      newBuild(),
		Plan:       object{"selected": []string{}, "left_out": []string{}, "instruments": instruments(r)},
		Benchmarks: []string{}, Artifacts: []artifact{}, Sources: []string{}, Warnings: r.Warnings,
		Program: object{"args": os.Args[min(1, len(os.Args)):], "runs": []object{run}},
		Unknown: []object{{
			"what": "exit status", "why": "the recording was written inside the program, before it ended",
			"how": "run it under whet: whet tune PACKAGE -- ARGUMENTS",
		}},
	}
}

func target() string {
	if len(os.Args) == 0 {
		return ""
	}
	return os.Args[0]
}

func instruments(r report) []string {
	kinds := []string{}
	for _, f := range r.Files {
		if !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	return kinds
}

func newBuild() build {
	b := build{GoVersion: runtime.Version(), OwnModules: []string{}, Flags: []string{}, Args: []string{}, Settings: []string{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Package, b.Module, b.ModuleVersion = info.Path, info.Main.Path, info.Main.Version
	if b.Module != "" {
		b.OwnModules = append(b.OwnModules, b.Module)
	}
	for _, s := range info.Settings {
		b.Settings = append(b.Settings, s.Key+"="+s.Value)
		switch s.Key {
		case "vcs":
			b.VCS = s.Value
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			dirty := s.Value == "true"
			b.Dirty = &dirty
		case "-race":
			b.Race = s.Value == "true"
		case "-cover":
			b.Cover = s.Value == "true"
		case "-gcflags":
			b.Unoptimized = strings.Contains(s.Value, "-N") || strings.Contains(s.Value, "-l")
		}
		if strings.HasPrefix(s.Key, "-") {
			b.Flags = append(b.Flags, s.Key+"="+s.Value)
		}
	}
	return b
}

// muchEarlier is worth a warning: the allocation profiles hold it too.
const muchEarlier = 64 << 20

// noteEarlier says so when much was allocated before the agent was started.
func (p *recorder) noteEarlier(a *Agent) {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	if n, ok := number(samples[0].Value); ok && n > muchEarlier {
		a.notes.add("the program had allocated %d bytes before the agent was started: the allocs profile holds them too", n)
	}
}
