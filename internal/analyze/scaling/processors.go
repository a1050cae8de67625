package scaling

import (
	"math"

	"whet/internal/stat"
)

// Turn is a run of a benchmark's process at a number of processors.
type Turn struct {
	Processors int
	Ns         float64 // wall time of an operation, as the benchmark counts it
	CPUNs      float64 // CPU time of the process, by its operations
	// Busy is how many processors the process used on average, and Wanted how many it
	// used or was ready to use while other processes had them; NaN is unknown.
	Busy, Wanted float64
}

// Processors is the dependence of an operation's time on the number of processors.
//
// Let t be an operation's wall time, c its CPU time, b = c/t the processors in use, and
// p their number; subscripts 1 and p say where it was measured. Then
//
//	t1/tp = p · (bp/p) · (c1/cp) / b1
//
// so that what an operation at p processors lacks of p-fold speed is in two factors:
// p/bp, processors that have nothing to do, and cp/c1, work that one processor does not
// have: waiting in a loop, and memory that processors take from each other.
//
// It misleads where one processor alone runs at a higher clock than all of them do, and
// where a hypervisor hides that its processors are threads of fewer cores: both look like
// work that one does not have.
type Processors struct {
	Processors int
	Pairs      int
	// OneNs and Ns are the medians of an operation's time, at one processor and at all.
	OneNs, Ns float64
	// Speedup is OneNs/Ns by pairs of consecutive runs, with its 95 % interval, which
	// is wider with few pairs: see Coverage.
	Speedup stat.Interval
	// CPURatio is the CPU time of an operation at all processors by that at one.
	CPURatio float64
	// Busy and OneBusy are the processors in use on average, Wanted and OneWanted those
	// that it had use for; NaN is unknown.
	Busy, OneBusy, Wanted, OneWanted float64
}

// ByProcessors compares runs at one processor with those at several: turns come in pairs,
// in either order. It is nil where there is no pair.
func ByProcessors(turns []Turn) *Processors {
	var p Processors
	var one, all [4][]float64 // ns, CPU, busy, wanted
	for i := 0; i+1 < len(turns); i += 2 {
		a, b := turns[i], turns[i+1]
		if a.Processors > b.Processors {
			a, b = b, a
		}
		if a.Processors != 1 || b.Processors < 2 || p.Processors != 0 && b.Processors != p.Processors || !(a.Ns > 0) || !(b.Ns > 0) || math.IsInf(a.Ns, 0) || math.IsInf(b.Ns, 0) {
			continue
		}
		p.Processors = b.Processors
		p.Pairs++
		for j, v := range [4]float64{a.Ns, a.CPUNs, a.Busy, a.Wanted} {
			one[j] = append(one[j], v)
		}
		for j, v := range [4]float64{b.Ns, b.CPUNs, b.Busy, b.Wanted} {
			all[j] = append(all[j], v)
		}
	}
	if p.Pairs == 0 {
		return nil
	}
	p.OneNs, p.Ns = stat.Median(one[0]), stat.Median(all[0])
	p.Speedup = stat.RatioInterval(one[0], all[0], confidence)
	p.CPURatio = stat.RatioInterval(all[1], one[1], confidence).Center
	p.OneBusy, p.Busy = stat.Median(one[2]), stat.Median(all[2])
	p.OneWanted, p.Wanted = stat.Median(one[3]), stat.Median(all[3])
	return &p
}

// Verdict is whether more processors make an operation faster.
type Verdict string

const (
	Scales    Verdict = "scales"           // at least enoughOf what the processors could give
	Stops     Verdict = "does not scale"   // less, by all of the interval
	Unclear   Verdict = "unclear"          // the interval holds both, or there are too few pairs
	NotBusy   Verdict = "does not compute" // one processor is idle most of the time: more are of no use
	Disturbed Verdict = "disturbed"        // other processes had the processors
)

const (
	enoughOf = 0.75
	// notBusy is so little use of one processor that an operation waits for other things.
	notBusy = 0.5
	// disturbed is the share of the processors it had use for that others had.
	disturbed = 0.2
)

// Machine describes the machine of a measurement.
type Machine struct {
	Cores    int // that the process may use, as the system counts them; 0: unknown
	Physical int // how many of them do not share their units with another; 0: unknown
}

// most returns the number of processors that can work at once.
func (p *Processors) most(m Machine) float64 {
	if m.Cores > 0 && m.Cores < p.Processors {
		return float64(m.Cores)
	}
	return float64(p.Processors)
}

// gain returns how many times as fast they can make it: two threads of one core do little
// more than one, whatever they run.
func (p *Processors) gain(m Machine) float64 {
	if m.Physical > 0 {
		return min(p.most(m), float64(m.Physical))
	}
	return p.most(m)
}

// Answer compares the speed-up with the processors available.
func (p *Processors) Answer(m Machine) Verdict {
	most, gain := p.most(m), p.gain(m)
	switch {
	case p.Busy < (1-disturbed)*min(p.Wanted, most), p.OneBusy < (1-disturbed)*min(p.OneWanted, 1):
		return Disturbed
	case p.OneBusy < notBusy:
		return NotBusy
	case p.Speedup.Coverage < confidence:
		return Unclear
	case p.Speedup.Low >= enoughOf*gain:
		return Scales
	case p.Speedup.High < enoughOf*gain:
		return Stops
	}
	return Unclear
}

// MoreWork reports whether an operation lacks speed rather because it takes more CPU
// time at all processors than because these have nothing to do. Of threads that share
// cores each takes as many times the CPU time as there are of them to a core, for the
// same work. Where the CPU time is not known it does not.
func (p *Processors) MoreWork(m Machine) bool {
	return p.CPURatio*p.gain(m)/p.most(m) > p.most(m)/p.Busy
}
