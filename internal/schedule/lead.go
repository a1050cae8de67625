package schedule

import "time"

// Peak returns the highest rate of the plan, in arrivals per second.
func (s Schedule) Peak() float64 {
	var peak float64
	for _, p := range s.pieces {
		peak = max(peak, p.from, p.to)
	}
	return peak
}

// Planned returns the number of arrivals that are planned before a moment since the origin; of
// arrivals at random it is the expected number.
func (s Schedule) Planned(elapsed time.Duration) float64 {
	if !s.Open() || elapsed <= 0 {
		return 0
	}
	return s.expected(elapsed)
}

// Led returns the same plan after a lead at its first rate, for a warm-up before the
// plan begins. A constant plan does not change.
func (s Schedule) Led(lead time.Duration) Schedule {
	if len(s.pieces) < 2 || lead <= 0 {
		return s
	}
	legs := []leg{{s.pieces[0].from, s.pieces[0].from, lead}}
	for _, p := range s.pieces { // the last one without a length: its rate goes on
		legs = append(legs, leg{p.from, p.to, p.length})
	}
	led := build(legs)
	led.poisson, led.seed = s.poisson, s.seed
	return led
}
