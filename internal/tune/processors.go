package tune

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"whet/internal/callstack"
	"whet/internal/format/benchmark"
	"whet/internal/format/profile"
	"whet/internal/gobench"
	"whet/internal/quantity"
	"whet/internal/record"
	"whet/internal/recording"
	"whet/internal/stat"
)

const (
	// processorsShare is the divisor of the budget for runs on one processor.
	processorsShare = 10
	// processorsTurn is the longest of them, and leastTurn the shortest that says
	// anything: starting a process takes some 10 ms.
	processorsTurn = 500 * time.Millisecond
	leastTurn      = 80 * time.Millisecond
)

const oneStep = "runs at one processor"

// wantsOne reports whether it can be asked of a benchmark how it grows with processors:
// the length of a run that the user chose is not known, and long set-up takes all of
// the time that there is for it.
func (r *recorder) wantsOne(s *benchmarkRun) bool {
	return s.parallel && !s.failed && s.Procs > 1 && s.setup == 0 && s.perCall > 0 && r.o.BenchTime == ""
}

// processors runs a parallel benchmark in turns at one processor and at as many as
// it was measured on. Those at one have a CPU profile, which says where the others
// spend more. A benchmark that cannot run at one processor loses this step alone.
func (r *recorder) processors(ctx context.Context, s *benchmarkRun) error {
	share := min(r.forProcessors/time.Duration(max(r.parallel, 1)), r.turn)
	r.parallel--
	pairs := stat.MedianValues(0.95) // of runs, at one processor and at all
	turn := min(share/time.Duration(2*pairs), processorsTurn)
	if turn < leastTurn {
		return nil
	}
	began := r.o.Now()
	end := began.Add(share)
	defer func() { r.forProcessors -= r.o.Now().Sub(began) }()
	r.progress(Progress{Stage: "processors", Benchmark: s.Name})
	one := &oneProcessor{benchmarkRun: s, turn: turn, perCall: map[int]float64{1: s.perCall * float64(s.Procs), s.Procs: s.perCall}}
	defer one.store(r)
	for i := range pairs {
		order := [2]int{1, s.Procs}
		if i%2 > 0 {
			order = [2]int{s.Procs, 1}
		}
		var pair [2]record.Turn
		for j, procs := range order {
			left := end.Sub(r.o.Now())
			if left < turn/2 {
				return nil
			}
			t, err := one.run(ctx, r, procs, left)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if gobench.KindTimeout.Of(err) && len(s.turns) > 0 {
				return nil // its time is over
			}
			if err != nil {
				r.w.Warn("%s at %s, to see how it grows with processors: %v", s.Name, quantity.Plural(procs, "processor"), err)
				return nil
			}
			pair[j] = t
		}
		s.turns = append(s.turns, pair[0], pair[1])
	}
	return nil
}

// oneProcessor is a benchmark while it is run at one processor and at all.
type oneProcessor struct {
	*benchmarkRun
	turn    time.Duration
	perCall map[int]float64 // ns, by processors
	cpu     [][]byte        // of the runs at one
	start   int64
	end     int64
}

// run makes one run, of at most the time left.
func (o *oneProcessor) run(ctx context.Context, r *recorder, procs int, left time.Duration) (t record.Turn, err error) {
	n := gobench.Iterations(o.turn, o.perCall[procs]*o.stretch)
	run := gobench.Run{Bench: o.Name, BenchTime: fmt.Sprintf("%dx", n), Scheduling: true, CPU: fmt.Sprint(procs), Args: r.o.Args, Timeout: left, Output: r.out}
	rel := "profiles/" + o.slug + ".cpu-one-part.pb.gz"
	if procs == 1 {
		if run.CPUProfile, err = r.w.File(rel); err != nil {
			return t, err
		}
		defer os.Remove(run.CPUProfile)
	}
	r.out.begin(o.Name)
	res, err := r.bin.Run(ctx, run)
	if err != nil {
		return t, err
	}
	t = record.Turn{Procs: procs, WallNs: int64(res.End.Sub(res.Start)), CPUNs: int64(res.UserCPU + res.SystemCPU)}
	if seen := scheduling(res.Scheduling); seen != nil {
		t.RunDelayNs = &seen.RunDelayNs
	}
	var line *benchmark.Line
	for i := range res.Lines {
		if res.Lines[i].Name == o.Name {
			line = &res.Lines[i]
		}
	}
	if line == nil || !(line.NsPerOp > 0) {
		return t, errors.New("it reported no time")
	}
	t.Iterations, t.NsPerOp = line.N, line.NsPerOp
	o.perCall[procs] = line.NsPerOp
	if procs != 1 {
		return t, nil
	}
	data, p, err := record.ReadProfile(run.CPUProfile, rel)
	if err != nil {
		return t, err
	}
	o.keep(r, res, data, p)
	return t, nil
}

// keep adds the CPU profile of a run at one processor.
func (o *oneProcessor) keep(r *recorder, res *gobench.Result, data []byte, p *callstack.Frames) {
	o.oneIterations += r.calls(res, o.Name, p)
	r.frames.AddLoops(o.loops, p, r.w.Keep)
	if len(o.cpu) == 0 {
		o.start = r.w.Since(res.Start)
	}
	o.end = r.w.Since(res.End)
	o.cpu = append(o.cpu, data)
}

// store keeps the sum of the CPU profiles.
func (o *oneProcessor) store(r *recorder) {
	if len(o.cpu) == 0 {
		return
	}
	data, err := profile.Merge(o.cpu...)
	if err != nil {
		r.w.Warn("merge CPU profiles of %s at one processor: %v", o.Name, err)
		return
	}
	r.w.Keep(r.w.Write(recording.Artifact{Path: "profiles/" + o.slug + ".cpu-one.pb.gz", Kind: recording.KindCPU, Part: recording.PartOne, Benchmark: o.Name, StartNs: o.start, EndNs: o.end}, data))
}
