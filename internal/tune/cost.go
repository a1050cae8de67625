package tune

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"whet/internal/capture"
	"whet/internal/dotwhet"
	loadformat "whet/internal/format/load"
	"whet/internal/format/metrics"
	"whet/internal/load"
	"whet/internal/recording"
	"whet/internal/stat"
)

// Costs are the costs of instruments in the manifest of a recording, measured by whet
// doctor -cost.
const Costs = recording.Part[[]Cost](recording.CostsKey)

// Cost is the cost of an instrument to the measured program: the CPU time of a request
// with the instrument divided by that without, less 1, measured in pairs of slices in
// turns. Low and High enclose the median at 95 %.
type Cost struct {
	Instrument   string  `json:"instrument"`
	Text         string  `json:"text"`
	Pairs        int     `json:"pairs"`
	CPURatio     float64 `json:"cpu_ratio"`
	CPURatioLow  float64 `json:"cpu_ratio_low"`
	CPURatioHigh float64 `json:"cpu_ratio_high"`
}

// The cost of an instrument is measured in slices of a second, alternately with the
// instrument and without, in random order within each pair. It is the CPU time of the
// target per request in the slice with the instrument, divided by that without.
const (
	costSlice      = time.Second
	costConfidence = 0.95
	// fewestPairs is the number that a distribution-free interval of 95 % needs: with
	// five pairs the probability that all are on one side is 2·2⁻⁵, more than 5 %.
	fewestPairs = 6
)

// costInstrument is something that whet does to a target while it measures.
type costInstrument struct {
	name, text                 string
	rates, metrics, cpu, trace bool
}

var costInstruments = []costInstrument{
	{name: "rates", text: fmt.Sprintf("block rate %v, mutex fraction %d", blockRate, mutexFraction), rates: true},
	{name: "metrics", text: fmt.Sprintf("a row of metrics every %v", sampleEvery), metrics: true},
	{name: "cpu", text: "CPU profile", cpu: true},
	{name: "trace", text: "execution trace, on for about a second of a run", trace: true},
	{name: "defaults", text: "everything whet tune always runs: rates, metrics and CPU profile", rates: true, cpu: true, metrics: true},
}

// costPrefix is the beginning of the names of recordings of costs.
const costPrefix = "cost-"

// RecordCost measures the cost of each instrument to a service under load, and writes a
// recording with the costs. The load lasts o.Load.Duration, which determines the number
// of pairs.
func RecordCost(ctx context.Context, o ServiceOptions) (Outcome, error) {
	o.Load.Now = o.Now
	if err := o.ValidateCost(); err != nil {
		return Outcome{}, err
	}
	r := &serviceRecorder{session: newSession(o.Common), o: o}
	if err := r.create(recording.TargetService, costPrefix+dotwhet.Name("", serviceName(o.Load.URL))); err != nil {
		return Outcome{}, err
	}
	defer r.w.Discard()
	err := r.recordCost(ctx, costPairs(o.Load.Duration))
	return r.measured(ctx, err, len(r.costs) > 0)
}

// ValidateCost reports the first option with which RecordCost cannot do.
func (o *ServiceOptions) ValidateCost() error {
	if pairs := costPairs(o.Load.Duration); pairs < fewestPairs {
		return fmt.Errorf("-d %v gives %d pairs per instrument, but an interval needs %d: give at least %v",
			o.Load.Duration, pairs, fewestPairs, time.Duration(fewestPairs*len(costInstruments)*2)*costSlice)
	}
	return o.Validate()
}

func costPairs(d time.Duration) int {
	return int(d / (costSlice * time.Duration(2*len(costInstruments))))
}

func (r *serviceRecorder) recordCost(ctx context.Context, pairs int) error {
	defer r.stopServer()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	target, err := r.reach(ctx)
	if err != nil {
		return err
	}
	if target == nil || target.Kind != capture.KindAgent {
		return errors.New("the target does not report its CPU time, so its cost cannot be measured: import whet/agent in it, or let whet start it (whet doctor -cost URL -- ./cmd/server)")
	}
	defer target.Close()
	served, stop := r.whileServed(ctx)
	defer stop()
	lo := r.o.Load
	lo.Duration += time.Minute // ended below
	driving, halt := context.WithCancel(served)
	defer halt()
	running, err := load.Start(driving, lo)
	if err != nil {
		return err
	}
	r.progress(Progress{Stage: "warming up"})
	select {
	case <-running.Started():
	case <-running.Done():
	}
	c := &costMeter{target: target, load: running}
	before, err := target.SetRates(served, 0, 0)
	if err != nil {
		return c.failed(r, err)
	}
	defer c.setBack(ctx, rate(before.BlockNs), rate(before.MutexFraction))
	r.deadline = r.c.Now().Add(time.Duration(2*pairs*len(costInstruments)) * costSlice)
	with, without := make([][]float64, len(costInstruments)), make([][]float64, len(costInstruments))
	for range pairs {
		for _, i := range rand.Perm(len(costInstruments)) {
			in := costInstruments[i]
			r.progress(Progress{Stage: "cost of " + in.name})
			first := rand.IntN(2) == 0
			a, err := c.slice(served, in, first)
			if err != nil {
				return c.failed(r, err)
			}
			b, err := c.slice(served, in, !first)
			if err != nil {
				return c.failed(r, err)
			}
			if !first {
				a, b = b, a
			}
			with[i], without[i] = append(with[i], a), append(without[i], b)
		}
	}
	halt()
	<-running.Done()
	for i, in := range costInstruments {
		ratio := stat.RatioInterval(with[i], without[i], costConfidence)
		r.costs = append(r.costs, Cost{
			Instrument: in.name, Text: in.text, Pairs: len(with[i]),
			CPURatio: ratio.Center - 1, CPURatioLow: ratio.Low - 1, CPURatioHigh: ratio.High - 1,
		})
	}
	r.result.URL = recording.Redacted(lo.URL)
	loadformat.ServicePart.Set(&r.w.Manifest, &r.result)
	Costs.Set(&r.w.Manifest, &r.costs)
	return nil
}

// costMeter measures slices.
type costMeter struct {
	target *capture.Target
	load   *load.Running
}

func (c *costMeter) failed(r *serviceRecorder, err error) error {
	if r.server != nil { // its connections break a little before it is known to be over
		wait := time.NewTimer(time.Second)
		defer wait.Stop()
		select {
		case <-r.server.Done():
		case <-wait.C:
		}
	}
	if dead := r.died(); dead != nil {
		return dead
	}
	return err
}

// setBack sets rates after Ctrl-C too, but does not wait long for a target that
// hangs.
func (c *costMeter) setBack(ctx context.Context, blockNs, fraction int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	_, _ = c.target.SetRates(ctx, blockNs, fraction) // a target that has ended has none
}

// slice returns the target's CPU time for each request, in nanoseconds, over
// one slice with or without an instrument.
func (c *costMeter) slice(ctx context.Context, in costInstrument, on bool) (float64, error) {
	if on && in.rates {
		if _, err := c.target.SetRates(ctx, int64(blockRate), mutexFraction); err != nil {
			return 0, err
		}
		defer c.setBack(ctx, 0, 0)
	}
	working, end := context.WithCancel(ctx)
	defer end()
	var sampling sync.WaitGroup
	var sampled error
	if on && in.metrics {
		sampling.Go(func() {
			_, sampled = c.target.Metrics(working, time.Now(), sampleEvery, func(metrics.Row) {})
		})
	}
	seconds := int(costSlice / time.Second)
	cpu0, n0, err := c.read(ctx)
	if err != nil {
		return 0, err
	}
	timer := time.NewTimer(costSlice)
	defer timer.Stop()
	switch {
	case on && in.cpu:
		_, err = c.target.Profile(ctx, recording.KindCPU, seconds)
	case on && in.trace:
		_, err = c.target.Trace(ctx, seconds, 0)
	default:
		select {
		case <-timer.C:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	cpu1, n1, readErr := c.read(ctx)
	end()
	sampling.Wait()
	if err = errors.Join(err, readErr, sampled); err != nil {
		return 0, err
	}
	if n1 <= n0 || cpu1 <= cpu0 {
		return 0, errors.New("no request was answered within a second: raise -c, or give a quicker path")
	}
	return float64(cpu1-cpu0) / float64(n1-n0), nil
}

// read returns the CPU time the target has used and the requests it has answered.
func (c *costMeter) read(ctx context.Context) (cpu, requests int64, err error) {
	st, err := c.target.Status(ctx)
	if err != nil {
		return 0, 0, err
	}
	if st.UserCPUNs == nil || st.SystemCPUNs == nil {
		return 0, 0, errors.New("the target's system does not report CPU time: measure the cost on Linux, macOS or Windows")
	}
	return *st.UserCPUNs + *st.SystemCPUNs, c.load.Completed(), nil
}
