package explore

import (
	"bytes"
	"strconv"
	"strings"

	"whet/internal/cli"
	"whet/internal/format/exectrace"
	"whet/internal/recording"
	"whet/internal/report/trace"
)

// worstWindow is how -window calls the snapshot of the worst moment.
const worstWindow = "worst"

// traceWindows returns the traces of a recording, numbered from 1 on; the snapshot of the
// worst moment comes last and has a name.
func traceWindows(rec *recording.Recording) (out []trace.Window, artifacts []recording.Artifact) {
	add := func(kind, part string) {
		for _, a := range rec.Artifacts {
			if a.Kind != kind || a.Part != part {
				continue
			}
			name := strconv.Itoa(len(out) + 1)
			if part == recording.PartWorst {
				name = worstWindow
			}
			out = append(out, trace.Window{Name: name, Path: a.Path, Benchmark: a.Benchmark, StartNs: a.StartNs, EndNs: a.EndNs})
			artifacts = append(artifacts, a)
		}
	}
	add(recording.KindTrace, "")
	add(recording.KindFlight, "")
	add(recording.KindFlight, recording.PartWorst)
	return out, artifacts
}

// recorded returns the trace of a recording that -window names, else the first.
func (v *traceView) recorded(name string) (exectrace.Source, error) {
	rec, err := recording.Open(name)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	windows, artifacts := traceWindows(rec)
	if len(windows) == 0 {
		return nil, cli.UsageError("%s has no execution trace: whet tune and whet record take traces of programs, services and benchmarks", name)
	}
	shown := 0
	if v.window != "" {
		shown = -1
		var names []string
		for i := range windows {
			names = append(names, windows[i].Name)
			if windows[i].Name == v.window {
				shown = i
			}
		}
		if shown < 0 && v.window == worstWindow {
			return nil, cli.UsageError("%s has no snapshot of a worst moment (taken for services with the agent, when a request takes much longer than the others); its windows are %s", name, strings.Join(names, ", "))
		}
		if shown < 0 {
			return nil, cli.UsageError("%s has no window %q: its windows are %s", name, v.window, strings.Join(names, ", "))
		}
	}
	data, err := rec.Read(artifacts[shown])
	if err != nil {
		return nil, err
	}
	windows[shown].Shown = true
	v.windows = windows
	return bytes.NewReader(data), nil
}
