package main

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"time"

	"whet/bench/ledger"
	"whet/internal/quantity"
	"whet/internal/stat"
)

// versions returns the versions of the tools, where Debian's packages know them.
func versions(ctx context.Context) []string {
	var out []string
	for _, name := range []string{"wrk", "hey", "nghttp2-client", "nginx"} {
		text, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f", "${Version}", name).Output()
		if err == nil {
			out = append(out, name+" "+strings.TrimSpace(string(text)))
		}
	}
	return out
}

// confidence is the confidence of the intervals: five rounds, from the least to the
// greatest, cover the median with 93.75 %.
const confidence = 0.90

func find(id string) *work {
	for i := range works {
		if works[i].id == id {
			return &works[i]
		}
	}
	return nil
}

func of(runs []Run, f func(Run) float64) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = f(r)
	}
	return out
}

func perSecond(r Run) float64   { return r.PerSecond }
func p50(r Run) float64         { return float64(r.P50Ns) }
func ownShare(r Run) float64    { return r.share(r.CPUNs) }
func targetShare(r Run) float64 { return r.share(r.TargetCPUNs) }

// render makes the tables.
func render(s *Samples) string {
	var b strings.Builder
	rounds := 0
	t := ledger.Table{Head: []string{"target, connections", "whet's engine", "beside", "whet/s", "other/s", "throughput, whet/other", "CPU a request, whet", "other", "whet/other", "p50 service time, whet", "other", "processor of whet, its target", "of the other, its target", "asked", "reached"}}
	for _, p := range s.Pairs {
		w := find(p.ID)
		if w == nil || len(p.Whet) == 0 {
			continue
		}
		rounds = max(rounds, len(p.Whet))
		rate := stat.RatioInterval(of(p.Whet, perSecond), of(p.Other, perSecond), confidence)
		cpu := stat.RatioInterval(of(p.Whet, Run.cpuPerRequest), of(p.Other, Run.cpuPerRequest), confidence)
		name := fmt.Sprintf("%s, %s", w.target, quantity.Count(float64(w.connections)))
		if w.secure {
			name += ", TLS"
		}
		if w.streams > 0 {
			name += fmt.Sprintf(", HTTP/2 of %s", quantity.Plural(w.streams, "stream"))
		}
		engine := w.engine
		if engine == "" {
			engine = "its choice: " + p.Whet[0].Engine
		}
		asked, reached := w.demand(&p, rate, cpu)
		t.Rows = append(t.Rows, []string{
			name, engine, w.against, median(p.Whet, perSecond, quantity.Count), median(p.Other, perSecond, quantity.Count), interval(rate),
			median(p.Whet, Run.cpuPerRequest, quantity.Nanoseconds), median(p.Other, Run.cpuPerRequest, quantity.Nanoseconds), interval(cpu),
			median(p.Whet, p50, times), median(p.Other, p50, times),
			median(p.Whet, ownShare, quantity.Percent) + ", " + median(p.Whet, targetShare, quantity.Percent),
			median(p.Other, ownShare, quantity.Percent) + ", " + median(p.Other, targetShare, quantity.Percent),
			asked, reached,
		})
	}
	write(&b, t)
	write(&b, openTable(s))
	write(&b, restTable(s))
	fmt.Fprintf(&b, "%s, %v a run; intervals cover the median with at least %s", quantity.Plural(max(rounds, len(s.Opens)/len(targets)), "round"), time.Duration(s.LengthNs), quantity.Percent(confidence))
	if !s.Verb {
		b.WriteString("; driven by package load, not by whet load")
	}
	if len(s.Versions) > 0 {
		b.WriteString("; " + strings.Join(s.Versions, ", "))
	}
	if n := invalid(s); n > 0 {
		fmt.Fprintf(&b, "; in %s whet said itself that the generator was the bottleneck, with exit status %d", quantity.Plural(n, "run"), exitInvalid)
	}
	if failed := failed(s); failed > 0 {
		fmt.Fprintf(&b, "; %s requests failed", quantity.Count(float64(failed)))
	}
	b.WriteString(".\n")
	return b.String()
}

func write(b *strings.Builder, t ledger.Table) {
	if len(t.Rows) > 0 {
		b.WriteString(t.Markdown() + "\n")
	}
}

func median(runs []Run, f func(Run) float64, print func(float64) string) string {
	return print(stat.Median(of(runs, f)))
}

// times prints a quantile; h2load gives none.
func times(ns float64) string {
	if ns == 0 {
		return "unknown"
	}
	return quantity.Nanoseconds(ns)
}

func interval(i stat.Interval) string {
	return fmt.Sprintf("%.3f (%.3f to %.3f)", i.Center, i.Low, i.High)
}

// leastThroughput is how far below what is asked the interval may begin.
const leastThroughput = 0.97

// demand says what is asked of a comparison, and whether its medians reach it; nothing
// is asked of some.
func (w *work) demand(p *Pair, rate, cpu stat.Interval) (asked, reached string) {
	var what []string
	ok := true
	if w.cpu > 0 {
		what = append(what, fmt.Sprintf("CPU ≤ %.2f", w.cpu))
		ok = ok && cpu.Center <= w.cpu
	}
	if w.throughput > 0 {
		what = append(what, fmt.Sprintf("throughput ≥ %.2f, interval ≥ %.2f", w.throughput, w.throughput*leastThroughput))
		ok = ok && rate.Center >= w.throughput && rate.Low >= w.throughput*leastThroughput
	}
	if w.p50 {
		what = append(what, "p50 no worse")
		// wrk cuts off what is less than a microsecond.
		ok = ok && math.Floor(stat.Median(of(p.Whet, p50))/1e3) <= math.Floor(stat.Median(of(p.Other, p50))/1e3)
	}
	if len(what) == 0 {
		return "", ""
	}
	return strings.Join(what, ", "), yes(ok)
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "**no**"
}

// openTable is of the open loops.
func openTable(s *Samples) ledger.Table {
	t := ledger.Table{Head: []string{"open loop at half of the peak", "rate", "late, p50", "p99", "p99.9", "most", "sent in their second", "processor of whet, its target", "asked", "reached"}}
	for _, name := range targets {
		var rate, late50, late99, late999, most, in []float64
		var runs []Run
		for _, o := range s.Opens {
			if o.Target != name {
				continue
			}
			rate, late50, late99 = append(rate, o.Rate), append(late50, float64(o.LateP50Ns)), append(late99, float64(o.LateP99Ns))
			late999, most = append(late999, float64(o.LateP999Ns)), append(most, float64(o.LateMaxNs))
			share := math.NaN()
			if o.Due > 0 {
				share = float64(o.InTime) / float64(o.Due)
			}
			in, runs = append(in, share), append(runs, o.Run)
		}
		if len(runs) == 0 {
			continue
		}
		ns := func(v []float64) string { return quantity.Nanoseconds(stat.Median(v)) }
		t.Rows = append(t.Rows, []string{
			name, quantity.Count(stat.Median(rate)) + "/s", ns(late50), ns(late99), ns(late999), ns(most), share(stat.Median(in)),
			median(runs, ownShare, quantity.Percent) + ", " + median(runs, targetShare, quantity.Percent),
			"p99.9 < 1 ms, 99.9 % in their second", yes(stat.Median(late999) < 1e6 && stat.Median(in) >= 0.999),
		})
	}
	return t
}

// share prints a share that is near the whole.
func share(v float64) string {
	if math.IsNaN(v) {
		return "unknown"
	}
	return fmt.Sprintf("%.3f %%", math.Floor(v*1e5)/1e3)
}

// restTable is of memory and allocations.
func restTable(s *Samples) ledger.Table {
	t := ledger.Table{Head: []string{"", "whet", "wrk", "asked", "reached"}}
	for _, name := range targets {
		peaks := make(map[string][]float64)
		made := int64(math.MaxInt64) // in the run with the fewest
		for _, m := range s.Memory {
			if m.Target == name {
				peaks[m.Generator] = append(peaks[m.Generator], float64(m.PeakBytes))
				if m.Generator == "whet" {
					made = min(made, m.Made)
				}
			}
		}
		if whet := peaks["whet"]; len(whet) > 0 {
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("peak of resident memory at %s connections, %s; at least %s were made", quantity.Count(manyConnections), name, quantity.Count(float64(made))),
				quantity.Bytes(stat.Median(whet)), quantity.Bytes(stat.Median(peaks["wrk"])), "< 64 MiB", yes(stat.Median(whet) < 64<<20 && made >= manyConnections),
			})
		}
	}
	for _, m := range s.Course {
		early, late := m.at(5*time.Second), m.at(time.Hour)
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("resident memory after 5 s and after %v, 64 connections, %s", time.Duration(m.Run.WallNs).Round(time.Second), m.Target),
			quantity.Bytes(float64(early)) + ", " + quantity.Bytes(float64(late)), "", "no growth", yes(float64(late) <= 1.02*float64(early)),
		})
	}
	for _, a := range s.Allocations {
		each := float64(a.Mallocs) / float64(a.Requests)
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("allocations of the whole generator in %s requests, %s", quantity.Count(float64(a.Requests)), a.Engine),
			fmt.Sprintf("%s (%.5f a request)", quantity.Count(float64(a.Mallocs)), each), "", "0 a request", yes(each < 0.001),
		})
	}
	return t
}

// invalid returns how many of whet's runs were not valid by its own word.
func invalid(s *Samples) int {
	n := 0
	for _, p := range s.Pairs {
		for _, r := range p.Whet {
			if r.Invalid {
				n++
			}
		}
	}
	for _, o := range s.Opens {
		if o.Run.Invalid {
			n++
		}
	}
	return n
}

// failed returns the number of requests that failed in all runs.
func failed(s *Samples) int64 {
	var n int64
	for _, p := range s.Pairs {
		for i := range p.Whet {
			n += p.Whet[i].Failed + p.Other[i].Failed
		}
	}
	for _, o := range s.Opens {
		n += o.Run.Failed
	}
	for _, m := range append(s.Memory, s.Course...) {
		n += m.Run.Failed
	}
	return n
}
