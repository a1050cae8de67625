package load

import (
	"fmt"

	"whet/internal/loadresult"
	"whet/internal/quantity"
)

// busyShare is the share of its processors' time at which a generator is saturated: the
// kernel uses the rest for other work. A saturated event loop may still find that most
// requests are with the service whenever it looks: then both are at their limits, and
// the service's limit counts.
const busyShare = 0.9

// validity finds out whether the generator was the bottleneck. Its reason comes
// first of all warnings.
func (w *warner) validity() {
	res := w.res
	g := &res.Generator
	ours := res.Errors[loadresult.NoFiles] + res.Errors[loadresult.NoPorts]
	switch {
	case res.Requests > 0 && float64(ours) >= 0.01*float64(res.Requests):
		res.Invalid = fmt.Sprintf("the generator ran out of file descriptors or ports: %s of the requests failed for that reason",
			quantity.Percent(float64(ours)/float64(res.Requests)))
	case float64(g.Still) > stillShare*float64(res.End.Sub(res.Start)):
		res.Invalid = fmt.Sprintf("the generator %s", w.still())
	case g.Share > busyShare && !w.report.KeptUp && (!res.Open || w.waited()):
		res.Invalid = fmt.Sprintf("the generator was the bottleneck: it used %s of its %s; the service may do more than these figures say",
			quantity.Percent(g.Share), quantity.Plural(g.Processors, "processor"))
	case w.isLate() && res.Response.Count() > 0 && 2*res.Lateness.Quantile(0.99) >= res.Response.Quantile(0.99):
		res.Invalid = w.tooLate()
	}
	if res.Invalid != "" {
		w.add("%s", res.Invalid)
	}
	if g.Still > 0 && res.Invalid == "" {
		w.add("the generator %s", w.still())
	}
	w.sends()
	w.sharing()
	if length := res.End.Sub(res.Start); length > 0 && float64(g.PauseTime) >= pausedShare*float64(length) {
		w.add("the generator stopped %s for garbage collection, %s in all and up to %s at a time; service times include it", quantity.Plural(int(g.Pauses), "time"),
			quantity.Nanoseconds(float64(g.PauseTime)), quantity.Nanoseconds(float64(g.LongestPause)))
	}
}

// stillShare is the share of the load's time without running at which the figures are
// not the service's.
const stillShare = 0.1

// still describes how long the generator did not run.
func (w *warner) still() string {
	return fmt.Sprintf("did not run for %s: it was stopped, or the machine had no processor for it; the times include that",
		quantity.Nanoseconds(float64(w.res.Generator.Still)))
}

// isLate reports whether an open loop sent more than one request in a hundred late, not
// counting the time in which it did not run and the catching up afterwards, which have
// their own warning.
func (w *warner) isLate() bool {
	res := w.res
	still := 0.0
	if length := res.End.Sub(res.Start); length > 0 {
		still = float64(res.Generator.Still) / float64(length)
	}
	return res.LateRatio() > 0.01+2*still
}

// crowded returns the user of the processors when requests were due, and a remedy; ""
// means the generator itself, as far as known. A generator that uses more than half of
// its processors is slow by itself.
func (w *warner) crowded() (who, remedy string) {
	g, c := &w.res.Generator, w.check
	switch {
	case g.Share > 0.5:
	case c.scarce && g.Shared > 0:
		return fmt.Sprintf("generator and target shared and saturated %s", quantity.Plural(g.Shared, "processor")),
			"give each its own processors (taskset -c), or drive the load from another machine"
	case c.others > 0:
		return fmt.Sprintf("other programs took %s of the generator's processors and left none idle", quantity.Percent(c.others)),
			"measure while the machine is quieter"
	// Requests due at random times meet these waits in proportion to their share of the
	// time.
	case c.crowd > w.res.LateRatio()/2:
		return fmt.Sprintf("the generator's threads waited %s in all for processors that others used", quantity.Nanoseconds(float64(c.queued))),
			"measure while the machine is quieter"
	}
	return "", ""
}

// tooLate says that a result is more about late sends than about the service.
func (w *warner) tooLate() string {
	late, p99 := w.late(), fmt.Sprintf("more than half of the p99 response time (%s of %s)",
		quantity.Nanoseconds(float64(w.res.Lateness.Quantile(0.99))), quantity.Nanoseconds(float64(w.res.Response.Quantile(0.99))))
	w.saidLate = true
	who, remedy := w.crowded()
	if who == "" {
		return fmt.Sprintf("the generator was the bottleneck: it sent %s, and lateness accounts for %s", late, p99)
	}
	w.saidCrowded = true
	return fmt.Sprintf("the machine was too busy to send in time: %s; whet sent %s, and lateness accounts for %s; %s", who, late, p99, remedy)
}

// late returns the requests that were sent late.
func (w *warner) late() string {
	return fmt.Sprintf("%s of the requests more than %s after they were due and a connection was free", quantity.Percent(w.res.LateRatio()), quantity.Nanoseconds(float64(loadresult.LateAfter)))
}

// sends says that requests were sent late, and why.
func (w *warner) sends() {
	if w.saidLate || !w.isLate() {
		return
	}
	who, remedy := w.crowded()
	if who == "" {
		w.add("the generator could not keep up: it sent %s; response times include the delay", w.late())
		return
	}
	w.saidCrowded = true
	w.add("the machine was busy: %s; whet sent %s; response times include the delay; %s", who, w.late(), remedy)
}

// sharing says that target and generator take the processors from each other, or
// others from both, where that was not yet said.
func (w *warner) sharing() {
	g, t := &w.res.Generator, &w.check.target
	switch {
	case w.saidCrowded:
	case t.known && g.Shared > 0 && !t.own && t.ours.count() == 1 && t.ours == t.theirs:
		w.add("generator and target share one processor and slow each other; give each its own (taskset -c)")
	case w.check.scarce && g.Shared > 0:
		w.add("generator and target shared and saturated %s: the figures describe both together; give each its own processors (taskset -c), or drive the load from another machine",
			quantity.Plural(g.Shared, "processor"))
	case w.check.others > 0:
		w.add("other programs took %s of the generator's processors and left none idle: throughput may be too low and times too long; measure while the machine is quieter",
			quantity.Percent(w.check.others))
	}
}

// pausedShare is the share of the load's time from which on the pauses of the
// generator's collector are spoken of.
const pausedShare = 0.05
