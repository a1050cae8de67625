package load

import (
	"fmt"

	"whet/internal/load/record"
	"whet/internal/quantity"
)

// busyShare is the share of its processors' time from which on a generator has
// nothing left: what it does not use goes to the kernel's work for others. An
// event loop that is that busy may still find, whenever it looks, that most
// requests are with the service: then both are at their limits, and the
// service's is the one that counts.
const busyShare = 0.9

// validity finds out whether the generator was the bottleneck. Its reason comes
// first of all that is said.
func (w *warner) validity() {
	res := w.res
	g := &res.Generator
	ours := res.Errors[record.NoFiles] + res.Errors[record.NoPorts]
	switch {
	case res.Requests > 0 && float64(ours) >= 0.01*float64(res.Requests):
		res.Invalid = fmt.Sprintf("the generator ran out of what it needs: %s of the requests failed for want of file descriptors or ports",
			quantity.Percent(float64(ours)/float64(res.Requests)))
	case float64(g.Still) > stillShare*float64(res.End.Sub(res.Start)):
		res.Invalid = fmt.Sprintf("the generator %s", w.still())
	case g.Share > busyShare && !w.report.KeptUp && (!res.Open || w.waited()):
		res.Invalid = fmt.Sprintf("the generator was the bottleneck: it used %s of its %s; the service may do more than these figures say",
			quantity.Percent(g.Share), quantity.Plural(g.Processors, "processor"))
	case res.LateRatio() > 0.01 && res.Response.Count() > 0 && 2*res.Lateness.Quantile(0.99) >= res.Response.Quantile(0.99):
		res.Invalid = fmt.Sprintf("the generator was the bottleneck: it sent %s of the requests more than %v after they were due and could have been, and its lateness is more than half of the response times at p99 (%s of %s)",
			quantity.Percent(res.LateRatio()), record.LateAfter,
			quantity.Nanoseconds(float64(res.Lateness.Quantile(0.99))), quantity.Nanoseconds(float64(res.Response.Quantile(0.99))))
	}
	if res.Invalid != "" {
		w.add("%s", res.Invalid)
	}
	if g.Still > 0 && res.Invalid == "" {
		w.add("the generator %s", w.still())
	}
	w.sharing()
	if length := res.End.Sub(res.Start); length > 0 && float64(g.PauseTime) >= pausedShare*float64(length) {
		w.add("the generator's own collector stopped it %s, for %s in all and up to %s at a time: that is in the service times", quantity.Plural(int(g.Pauses), "time"),
			quantity.Nanoseconds(float64(g.PauseTime)), quantity.Nanoseconds(float64(g.LongestPause)))
	}
}

// stillShare is the share of the load's time from which on standing still makes
// its figures none of the service's.
const stillShare = 0.1

// still says for how long the generator stood still.
func (w *warner) still() string {
	return fmt.Sprintf("stood still for %s: it was stopped, or its machine had no processor for it; the times hold that",
		quantity.Nanoseconds(float64(w.res.Generator.Still)))
}

// sharing says that target and generator take the processors from each other.
func (w *warner) sharing() {
	g, t := &w.res.Generator, &w.check.target
	switch {
	case !t.known || g.Shared == 0 || t.own:
	case t.ours.count() == 1 && t.ours == t.theirs:
		w.add("generator and target share one processor: each takes it from the other; give them processors of their own (taskset -c)")
	case w.check.scarce:
		w.add("generator and target shared %s and used them up: the figures are those of both together; give them processors of their own (taskset -c), or drive the load from another machine",
			quantity.Plural(g.Shared, "processor"))
	}
	if w.check.others > 0 {
		w.add("other programs took %s of the processors that the generator may use, and nothing was left over: throughput may be too low and times too long",
			quantity.Percent(w.check.others))
	}
}

// pausedShare is the share of the load's time from which on the pauses of the
// generator's collector are spoken of.
const pausedShare = 0.05
