package read

import (
	"bytes"
	"slices"
	"strings"

	"whet/internal/analyze/sched"
	"whet/internal/analyze/wall"
	"whet/internal/diagnose"
	"whet/internal/format/exectrace"
	"whet/internal/recording"
)

// readWaiting gives a subject the waits of the execution traces of one benchmark, or
// with "" of a run. The view of wall time warns of a trace that cannot be read; for
// benchmarks there is no warning.
func (a *Reading) readWaiting(s *diagnose.Subject, benchmark string, w *wall.Result) {
	artifacts := a.artifacts(recording.KindTrace, benchmark)
	if len(artifacts) == 0 {
		artifacts = a.artifacts(recording.KindFlight, benchmark)
	}
	var results []*sched.Result
	var sources []wall.Trace
	for _, artifact := range artifacts {
		r, err := sched.Analyze(bytes.NewReader(artifact.data), sched.Options{Limits: exectrace.DefaultLimits()})
		if err != nil {
			if benchmark != "" {
				a.warn("read the execution trace %s: %v", artifact.Path, err)
			}
			continue
		}
		results = append(results, r)
		sources = append(sources, wall.Trace{Name: artifact.Path, Source: bytes.NewReader(artifact.data), StartNs: artifact.StartNs})
	}
	if len(results) == 0 {
		return
	}
	if w == nil && slices.ContainsFunc(results, servesHTTP) {
		w, _ = wall.Analyze(sources) // of a trace that was read just now
	}
	s.Trace = diagnose.NewTrace(results, w)
}

// servesHTTP reports whether there are requests to look for.
func servesHTTP(r *sched.Result) bool {
	return slices.ContainsFunc(r.Kinds, func(k sched.Kind) bool {
		return strings.HasPrefix(k.Start, "net/http.(*") && strings.Contains(strings.ToLower(k.Start), "serve")
	})
}
