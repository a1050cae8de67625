package record

import (
	"bytes"

	"whet/internal/format/benchmark"
	"whet/internal/gobench"
	"whet/internal/recording"
)

// Build describes the package that was measured and its binary, which may be
// nil, as built with o and run with these arguments.
func Build(t *gobench.Target, b *gobench.Binary, o gobench.BuildOptions, args []string) recording.Build {
	out := recording.Build{Package: t.ImportPath, Module: t.Module, ModuleVersion: t.ModuleVersion}
	for _, own := range t.Own {
		out.OwnModules = append(out.OwnModules, own.Path)
	}
	if b == nil {
		return out
	}
	if o.Tags != "" {
		out.Flags = append(out.Flags, "-tags="+o.Tags)
	}
	out.Flags = append(out.Flags, o.Flags...)
	out.Args = append(out.Args, args...)
	out.GoVersion, out.BuildID, out.Settings = b.GoVersion, b.BuildID, b.Settings
	out.VCS, out.Revision, out.Dirty = b.VCS, b.Revision, b.Dirty
	out.Race, out.Cover, out.Unoptimized = b.Race, b.Cover, b.Unoptimized
	return out
}

// Settings returns the configuration lines of a package's results.
func Settings(h *recording.Host, pkg string) []benchmark.Setting {
	return []benchmark.Setting{{Key: "goos", Value: h.OS}, {Key: "goarch", Value: h.Arch}, {Key: "pkg", Value: pkg}, {Key: "cpu", Value: h.CPU}}
}

// AddResults keeps a package's results in Go benchmark format.
func (r *Recorder) AddResults(path, pkg string, lines []benchmark.Line) {
	if len(lines) == 0 {
		return
	}
	var text bytes.Buffer
	w := benchmark.NewWriter(&text)
	for _, s := range Settings(&r.Manifest.Host, pkg) {
		w.Set(s.Key, s.Value)
	}
	for _, l := range lines {
		w.Write(l)
	}
	r.Keep(r.Write(recording.Artifact{Path: path, Kind: recording.KindBench, EndNs: r.Now()}, text.Bytes()))
}
