package prove

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/document"
	"whet/internal/format/benchmark"
	"whet/internal/prove/sides"
	"whet/internal/recording"
)

// recorder keeps a proof's raw figures as a recording of kind "prove": files
// of Go benchmark format, which benchstat reads too, and the result.
type recorder struct {
	o      *Options
	origin time.Time
	w      *recording.Writer // nil: none is wanted
}

func newRecorder(o *Options, origin time.Time) (*recorder, error) {
	r := &recorder{o: o, origin: origin}
	if o.Out == "" {
		return r, nil
	}
	var err error
	r.w, err = recording.Create(o.Out, origin)
	return r, err
}

func (r *recorder) discard() {
	if r.w != nil {
		r.w.Discard()
	}
}

// KindResult is the artifact that holds the result as JSON.
const KindResult = "prove"

// finish writes the recording and enters its name into the result.
func (r *recorder) finish(s *session, pair *sides.Pair, end time.Time) error {
	if r.w == nil {
		return nil
	}
	res, m := s.res, &r.w.Manifest
	m.Tool, m.Kind, m.Target, m.Command = r.o.Version, "prove", r.o.Old.Operand+" "+r.o.New.Operand, recording.CommandLine(r.o.Command)
	m.Host, m.Warnings = res.Host, res.Warnings
	m.Sources = []recording.Source{}
	bin := pair.Binary(compare.New, 0)
	flags := append([]string{"-trimpath"}, r.o.Flags...)
	if r.o.Tags != "" {
		flags = append(flags, "-tags="+r.o.Tags)
	}
	m.Build = recording.Build{
		GoVersion: bin.GoVersion, Package: bin.Target.ImportPath, Module: bin.Target.Module, ModuleVersion: bin.Target.ModuleVersion,
		Flags: append(flags, r.o.New.Flags...), Args: append([]string{}, r.o.Args...), BuildID: bin.BuildID, VCS: bin.VCS, Revision: res.New.Revision, Dirty: res.New.Dirty,
		Race: bin.Race, Cover: bin.Cover, Unoptimized: bin.Unoptimized, Settings: append([]string{}, bin.Settings...),
	}
	m.Plan = recording.Plan{BudgetNs: int64(r.o.Budget), BenchTime: time.Duration(res.SliceNs).String(), Selected: []string{}, LeftOut: append([]string{}, s.leftOut...), Instruments: []string{"bench"}}
	for _, sub := range s.subjects {
		m.Plan.Selected = append(m.Plan.Selected, s.label(sub.pkg, sub.name))
	}
	endNs := int64(end.Sub(r.origin))
	for _, f := range []struct {
		name string
		pick func(compare.Round) (compare.Slice, string)
	}{
		{"old", func(r compare.Round) (compare.Slice, string) { return r.Old, "" }},
		{"new", func(r compare.Round) (compare.Slice, string) { return r.New, "" }},
		{"again", func(r compare.Round) (compare.Slice, string) { return r.Again, r.AgainOf.String() }},
	} {
		text, err := s.text(f.pick)
		if err != nil {
			return err
		}
		a := recording.Artifact{Path: "bench/" + f.name + ".txt", Kind: recording.KindBench, StartNs: endNs - res.ElapsedNs, EndNs: endNs}
		if err := r.w.Write(a, text); err != nil {
			return err
		}
	}
	doc, err := document.Format(res)
	if err != nil {
		return fmt.Errorf("recording: encode the result: %w", err)
	}
	if err := r.w.Write(recording.Artifact{Path: "bench/prove.json", Kind: KindResult, StartNs: endNs, EndNs: endNs}, doc); err != nil {
		return err
	}
	res.Recording, err = r.w.Finish(time.Duration(endNs), res.Partial)
	return err
}

// text are this run's slices that pick takes, in Go benchmark format, round
// after round. Both sides stand under new's import path, so that benchstat
// compares them; the slices of doubled sides have a key "side".
func (s *session) text(pick func(compare.Round) (compare.Slice, string)) ([]byte, error) {
	var buf bytes.Buffer
	if s.outcome == nil { // nothing was measured
		return nil, nil
	}
	w := benchmark.NewWriter(&buf)
	w.Set("goos", s.res.Host.OS)
	w.Set("goarch", s.res.Host.Arch)
	if s.res.Host.CPU != "" {
		w.Set("cpu", s.res.Host.CPU)
	}
	for _, unit := range slices.Sorted(maps.Keys(s.units)) {
		w.Unit(unit, s.units[unit])
	}
	for r, more := 0, true; more; r++ {
		more = false
		for i, sub := range s.subjects {
			series := &s.outcome.Series[i]
			if r >= len(series.Rounds)-series.Earlier {
				continue
			}
			more = true
			slice, side := pick(series.Rounds[series.Earlier+r])
			w.Set("pkg", series.Package)
			if side != "" {
				w.Set("side", side)
			}
			w.Write(lineOf(sub, slice))
		}
	}
	return buf.Bytes(), w.Err()
}

// lineOf is a slice as the line that package testing prints, with CPU time as
// a metric more.
func lineOf(b *subject, slice compare.Slice) benchmark.Line {
	l := benchmark.Line{Name: b.name, Procs: b.procs, N: b.n, NsPerOp: slice[compare.NsPerOp]}
	for _, m := range b.metrics {
		v, ok := slice[m.Unit]
		switch {
		case !ok || m.Unit == compare.NsPerOp:
		case m.Unit == compare.BytesPerOp:
			l.BytesPerOp = &v
		case m.Unit == compare.AllocsPerOp:
			l.AllocsPerOp = &v
		default:
			l.Metrics = append(l.Metrics, benchmark.Metric{Unit: m.Unit, Value: v})
		}
	}
	return l
}
