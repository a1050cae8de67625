package read

import (
	"math"

	"whet/internal/analyze/scaling"
	"whet/internal/diagnose"
	"whet/internal/record"
	"whet/internal/recording"
)

// processors returns how a benchmark grows with processors; nil: it was not asked.
func (a *Reading) processors(b *record.Benchmark) *diagnose.Processors {
	unknown := math.NaN()
	var turns []scaling.Turn
	for _, t := range b.Turns {
		turn := scaling.Turn{Processors: t.Procs, Ns: t.NsPerOp, CPUNs: unknown, Busy: unknown, Wanted: unknown}
		if t.Iterations > 0 && t.WallNs > 0 && t.CPUNs > 0 {
			turn.CPUNs, turn.Busy = float64(t.CPUNs)/float64(t.Iterations), float64(t.CPUNs)/float64(t.WallNs)
			if t.RunDelayNs != nil {
				turn.Wanted = turn.Busy + float64(*t.RunDelayNs)/float64(t.WallNs)
			}
		}
		turns = append(turns, turn)
	}
	by := scaling.ByProcessors(turns)
	if by == nil {
		return nil
	}
	h := &a.rec.Host
	p := &diagnose.Processors{Processors: by, Machine: scaling.Machine{Cores: h.Cores}, OneIterations: b.OneIterations}
	if h.CPULimitCores != nil {
		p.Machine.Cores = min(p.Machine.Cores, int(math.Ceil(*h.CPULimitCores)))
	}
	if h.ThreadsPerCore != nil && *h.ThreadsPerCore > 0 {
		p.Machine.Physical = max(h.Cores / *h.ThreadsPerCore, 1)
	}
	for _, artifact := range a.rec.Artifacts {
		if artifact.Kind != recording.KindCPU || artifact.Part != recording.PartOne || artifact.Benchmark != b.Name {
			continue
		}
		frames, err := a.readProfile(artifact)
		if err == nil {
			frames = withoutPreemption(frames)
			p.OneColumn, err = frames.TypeIndex(columns[recording.KindCPU])
		}
		if err != nil {
			a.warn("%v", err)
			continue
		}
		p.One = a.classify(frames)
	}
	return p
}
