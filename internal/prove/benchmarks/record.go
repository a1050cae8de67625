package benchmarks

import (
	"bytes"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/gobench"
	"whet/internal/prove/sides"
	"whet/internal/record"
	"whet/internal/recording"
)

// record keeps the raw figures as a recording of kind "prove": files of Go
// benchmark format, which benchstat reads too, and the result.
func (s *session) record(rec *record.Recorder, pair *sides.Pair) error {
	res, m := s.Result, &rec.Manifest
	m.Host, m.Warnings = res.Host, res.Warnings
	bin := pair.Binary(compare.New, 0)
	m.Build = record.Build(bin.Target, bin, gobench.BuildOptions{Tags: s.o.Tags, Flags: slices.Concat([]string{"-trimpath"}, s.o.Flags, s.o.SideFlags[compare.New])}, s.o.Args)
	m.Build.Revision, m.Build.Dirty = res.New.Revision, res.New.Dirty // the binary is of a copy
	m.Plan = recording.Plan{BudgetNs: int64(s.o.Budget), BenchTime: time.Duration(res.SliceNs).String(), LeftOut: s.leftOut, Instruments: []string{"bench"}}
	for _, sub := range s.subjects {
		m.Plan.Selected = append(m.Plan.Selected, s.label(sub.pkg, sub.name))
	}
	end := rec.Now()
	for _, part := range []string{"old", "new", "again"} {
		var text bytes.Buffer
		err := compare.WriteBenchmarks(&text, res, s.ownRounds(), part)
		if err == nil {
			err = rec.Write(recording.Artifact{Path: "bench/" + part + ".txt", Kind: recording.KindBench, StartNs: end - res.ElapsedNs, EndNs: end}, text.Bytes())
		}
		if err != nil {
			return err
		}
	}
	doc, err := document.Format(res)
	if err == nil {
		err = rec.Write(recording.Artifact{Path: "bench/prove.json", Kind: recording.KindProof, StartNs: end, EndNs: end}, doc)
	}
	if err := rec.Ending(err); err != nil {
		return err
	}
	res.Recording, err = rec.Finish(res.Partial)
	return err
}

// ownRounds returns the series with this run's rounds alone; none where nothing was
// measured.
func (s *session) ownRounds() []compare.Series {
	if s.outcome == nil {
		return nil
	}
	out := slices.Clone(s.outcome.Series)
	for i := range out {
		out[i].Rounds = out[i].Rounds[out[i].Earlier:]
	}
	return out
}
