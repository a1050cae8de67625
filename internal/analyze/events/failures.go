package events

import (
	"fmt"

	"whet/internal/quantity"
	"whet/internal/stat"
)

const (
	// A burst has at least this many failures a second; they are a share that
	// is, with this confidence, above leastShare and above timesUsual times the
	// usual one.
	leastFailures   = 5
	leastShare      = 0.01
	timesUsual      = 3
	burstConfidence = 0.999
	// From allFailing on a second counts as one in which everything fails.
	allFailing = 0.99
)

// failures finds the seconds in which more requests failed than usual.
func failures(seconds []Second) []Event {
	var shares []float64
	works := false // at some time most requests came through
	for _, s := range seconds {
		if share := s.share(); share >= 0 {
			shares = append(shares, share)
			works = works || share < 0.5 && s.Requests >= leastFailures
		}
	}
	if len(shares) == 0 {
		return nil
	}
	// A quarter, so that a burst may last for most of the load.
	usual := stat.Quantile(shares, 0.25)

	var out []Event
	var run []Second
	end := func() {
		if len(run) > 0 {
			out = append(out, burst(run, len(shares) > len(run), usual))
		}
		run = nil
	}
	for _, s := range seconds {
		share := s.share()
		bad := share >= 0 && s.Errors >= leastFailures &&
			(share >= allFailing && works ||
				stat.Wilson(int(s.Errors), int(s.Requests), burstConfidence).Low > max(leastShare, timesUsual*usual))
		switch {
		case bad:
			run = append(run, s)
		case share >= 0:
			end()
		}
	}
	end()
	return out
}

// share returns the part of a second's requests that failed; negative where there
// were none, or the numbers cannot be.
func (s Second) share() float64 {
	if s.Requests <= 0 || s.Errors < 0 || s.Errors > s.Requests || s.Requests > 1<<31 || !usable(s.StartNs) || s.LengthNs < 0 || !usable(s.LengthNs) {
		return -1
	}
	return float64(s.Errors) / float64(s.Requests)
}

// burst returns the event of some seconds that follow each other.
func burst(run []Second, others bool, usual float64) Event {
	var requests, errors int64
	for _, s := range run {
		requests += s.Requests
		errors += s.Errors
	}
	first, last := run[0], run[len(run)-1]
	iv := stat.Wilson(int(errors), int(requests), 0.95)
	e := Event{
		Kind: Errors, StartNs: first.StartNs, EndNs: last.StartNs + last.LengthNs, Value: iv.Center, Low: iv.Low, High: iv.High,
		Text: fmt.Sprintf("%s of %s requests failed (%s) within %s",
			quantity.Count(float64(errors)), quantity.Count(float64(requests)), quantity.Percent(iv.Center), length(last.StartNs+last.LengthNs-first.StartNs)),
	}
	if others {
		e.Text += ", usually " + quantity.Percent(usual)
	}
	return e
}
