package events

import (
	"fmt"
	"math"
	"time"

	"whet/internal/format/metrics"
	"whet/internal/quantity"
	"whet/internal/stat"
)

const (
	shortestStall = int64(200 * time.Millisecond)
	timesTypical  = 3    // of the usual while without an answer
	byChance      = 1e-3 // recordings in which chance alone may show one
)

// stalls finds the whiles without progress.
func stalls(in *Input, lives [][]metrics.Row) []Event {
	if len(in.Answers) > 0 && in.BinNs > 0 && in.BinNs <= farthest/int64(len(in.Answers)) && usable(in.Load.StartNs) {
		return unanswered(in)
	}
	var out []Event
	for _, rows := range lives {
		out = append(out, idle(in, rows)...)
	}
	return out
}

// gap is a run of bins without an answer.
type gap struct {
	first, bins int
	open        bool // no answer came after it
}

// unanswered finds stalls in the answers of a load. A gap of k empty bins lies
// between an answer in the bin before and one in the bin after, so it lasted
// k to k+2 bins, and began and ended within a bin.
func unanswered(in *Input) []Event {
	var gaps []gap
	var total int64
	last := -1 // bin with the last answer
	for i, n := range in.Answers {
		if n <= 0 {
			continue
		}
		if last >= 0 && i-last > 1 {
			gaps = append(gaps, gap{first: last + 1, bins: i - last - 1})
		}
		total += int64(n)
		last = i
	}
	if last < 0 {
		return nil
	}
	if end := len(in.Answers); end-last > 1 {
		gaps = append(gaps, gap{first: last + 1, bins: end - last - 1, open: true})
	}

	bin := float64(in.BinNs)
	long := func(g gap) float64 { // how long it lasted, as the middle of what it can have
		if g.open {
			return (float64(g.bins) + 0.5) * bin
		}
		return float64(g.bins+1) * bin
	}
	typical := typicalGap(in.Answers, gaps, bin)
	// Any of len(in.Answers) bins might begin a gap.
	chance := math.Log(float64(len(in.Answers)) / byChance)

	var out []Event
	for _, g := range gaps {
		l := long(g)
		rate := float64(total) / (float64(len(in.Answers)-g.bins) * bin) // of all the rest
		if l < max(float64(shortestStall), timesTypical*typical) || rate*l < chance {
			continue
		}
		// Half a bin before the first empty one, half a bin after the last.
		start := in.Load.StartNs + int64(g.first)*in.BinNs - in.BinNs/2
		e := Event{
			Kind: Stall, StartNs: start, EndNs: start + int64(l), Value: l,
			Low: float64(g.bins) * bin, High: float64(g.bins+2) * bin,
		}
		if g.open {
			e.High = float64(g.bins+1) * bin
			e.Text = fmt.Sprintf("no request was answered in the last %s ± %s of the load", quantity.Nanoseconds(l), quantity.Nanoseconds(bin/2))
		} else {
			e.Text = fmt.Sprintf("no request was answered for %s ± %s", quantity.Nanoseconds(l), quantity.Nanoseconds(bin))
		}
		e.Text += fmt.Sprintf(" (its start is known to ± %s), where %s were expected%s",
			quantity.Nanoseconds(bin/2), quantity.Count(math.Round(rate*l)), meanwhile(in.Rows, e.StartNs, e.EndNs))
		out = append(out, e)
	}
	return out
}

// typicalGap returns how long the gap is in which a moment lies, as the median over
// all moments; 0 for one in a bin with answers. Services that answer seldom, or
// in batches, are in gaps most of the time.
func typicalGap(answers []int32, gaps []gap, bin float64) float64 {
	lengths := make([]float64, 0, len(answers))
	for _, g := range gaps {
		for range g.bins {
			lengths = append(lengths, float64(g.bins)*bin)
		}
	}
	for len(lengths) < len(answers) {
		lengths = append(lengths, 0)
	}
	return stat.Median(lengths)
}

// meanwhile says what the process did during a stall: a process that waits uses
// no CPU.
func meanwhile(rows []metrics.Row, start, end int64) string {
	var first, last *metrics.Row
	for i := range rows {
		r := &rows[i]
		if r.TimeNs < start || r.TimeNs > end {
			continue
		}
		if _, ok := cpu(r); !ok {
			continue
		}
		if first == nil {
			first = r
		}
		last = r
	}
	if first == nil || first == last || metrics.Restarted(first, last) {
		return ""
	}
	a, _ := cpu(first)
	b, _ := cpu(last)
	return fmt.Sprintf("; the process used %s cores meanwhile", quantity.Count(round(float64(b-a)/float64(last.TimeNs-first.TimeNs))))
}

// round keeps two decimals, which is what a tenth of a second can tell.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// cpu returns the process's user and system time.
func cpu(r *metrics.Row) (int64, bool) {
	if r.UserCPUNs == nil || r.SystemCPUNs == nil {
		return 0, false
	}
	return *r.UserCPUNs + *r.SystemCPUNs, true
}
