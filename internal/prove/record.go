package prove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"whet/internal/format/benchmark"
	"whet/internal/recording"
)

// recorder keeps a proof's raw figures as a recording of kind "prove": one
// file of Go benchmark format a side, which benchstat reads too, and the result.
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
func (r *recorder) finish(s *session, b *binaries, end time.Time) error {
	if r.w == nil {
		return nil
	}
	res, m := s.res, &r.w.Manifest
	m.Tool, m.Kind, m.Target, m.Command = r.o.Version, "prove", r.o.Old+" "+r.o.New, r.o.Command
	m.Host, m.Warnings = res.Host, res.Warnings
	m.Benchmarks, m.Sources = []recording.Benchmark{}, []recording.Source{}
	bin := b.bins[sideNew]
	flags := append([]string{"-trimpath"}, r.o.Flags...)
	if r.o.Tags != "" {
		flags = append(flags, "-tags="+r.o.Tags)
	}
	m.Build = recording.Build{
		GoVersion: bin.GoVersion, Package: bin.Target.ImportPath, Module: bin.Target.Module, ModuleVersion: bin.Target.ModuleVersion,
		Flags: flags, Args: append([]string{}, r.o.Args...), BuildID: bin.BuildID, VCS: bin.VCS, Revision: bin.Revision, Dirty: bin.Dirty,
		Race: bin.Race, Cover: bin.Cover, Unoptimized: bin.Unoptimized, Settings: append([]string{}, bin.Settings...),
	}
	m.Plan = recording.Plan{BudgetNs: int64(r.o.Budget), BenchTime: time.Duration(res.SliceNs).String(), Selected: []string{}, LeftOut: []string{}, Instruments: []string{"bench"}}
	for _, sub := range s.subjects {
		m.Plan.Selected = append(m.Plan.Selected, sub.name)
	}
	endNs := int64(end.Sub(r.origin))
	for _, f := range []struct {
		slot slot
		name string
	}{{slotOld, "old"}, {slotAgain, "old-again"}, {slotNew, "new"}} {
		text, err := s.text(f.slot, b)
		if err != nil {
			return err
		}
		a := recording.Artifact{Path: "bench/" + f.name + ".txt", Kind: recording.KindBench, StartNs: endNs - res.ElapsedNs, EndNs: endNs}
		if err := r.w.Write(a, text); err != nil {
			return err
		}
	}
	doc, err := json.MarshalIndent(res, "", "\t")
	if err != nil {
		return fmt.Errorf("recording: encode the result: %w", err)
	}
	if err := r.w.Write(recording.Artifact{Path: "bench/prove.json", Kind: KindResult, StartNs: endNs, EndNs: endNs}, append(doc, '\n')); err != nil {
		return err
	}
	res.Recording, err = r.w.Finish(time.Duration(endNs), res.Partial)
	return err
}

// text is the series of one slot in Go benchmark format, round after round.
func (s *session) text(sl slot, b *binaries) ([]byte, error) {
	var buf bytes.Buffer
	w := benchmark.NewWriter(&buf)
	w.Set("goos", s.res.Host.OS)
	w.Set("goarch", s.res.Host.Arch)
	w.Set("pkg", b.bins[sl.side()].Target.ImportPath)
	if s.res.Host.CPU != "" {
		w.Set("cpu", s.res.Host.CPU)
	}
	for r := 0; ; r++ {
		any := false
		for _, sub := range s.subjects {
			if r < len(sub.slices[sl]) {
				w.Write(sub.slices[sl][r])
				any = true
			}
		}
		if !any {
			break
		}
	}
	return buf.Bytes(), w.Err()
}
