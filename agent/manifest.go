//go:build go1.26

package agent

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
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
	Build      object     `json:"build"`
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
		Schema: "whet/recording/1", Tool: "whet/agent " + strconv.Itoa(Version), Kind: "program",
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

func newBuild() object {
	own, flags, settings := []string{}, []string{}, []string{}
	b := object{"go_version": runtime.Version(), "package": "", "module": "", "args": []string{}, "dirty": nil, "race": false, "cover": false, "unoptimized": false}
	if info, ok := debug.ReadBuildInfo(); ok {
		b["package"], b["module"], b["module_version"] = info.Path, info.Main.Path, info.Main.Version
		if info.Main.Path != "" {
			own = append(own, info.Main.Path)
		}
		for _, s := range info.Settings {
			settings = append(settings, s.Key+"="+s.Value)
			switch s.Key {
			case "vcs":
				b["vcs"] = s.Value
			case "vcs.revision":
				b["revision"] = s.Value
			case "vcs.modified":
				b["dirty"] = s.Value == "true"
			case "-race", "-cover":
				b[s.Key[1:]] = s.Value == "true"
			case "-gcflags":
				b["unoptimized"] = strings.Contains(s.Value, "-N") || strings.Contains(s.Value, "-l")
			}
			if strings.HasPrefix(s.Key, "-") {
				flags = append(flags, s.Key+"="+s.Value)
			}
		}
	}
	b["own_modules"], b["flags"], b["settings"] = own, flags, settings
	return b
}

// muchEarlier is worth a warning: the allocation profiles hold it too.
const muchEarlier = 64 << 20

// noteEarlier says so when much was allocated before the agent was started.
func (p *recorder) noteEarlier(a *Agent) {
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(samples)
	if n, ok := number(samples[0].Value); ok && n > muchEarlier {
		a.notes.add("the program had allocated %d bytes before the agent started: the allocs profile includes them", n)
	}
}
