package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"whet/internal/quantity"
)

// Examples are examples of rates, for messages and usage.
const Examples = `"5000/s", "300/m", "100/s..20000/s" (a ramp), "100/s:10s,200/s:20s" (steps)`

// The limits of what Parse takes.
const (
	maxPieces = 1000
	maxPlan   = 10_000 * time.Hour
)

// Parse reads a plan: pieces with commas between them, each a rate, or two with
// ".." between them for a ramp, and then the piece's duration after a colon.
//
// A rate is a number of arrivals, with k or M for thousands and millions where
// wanted, and after a slash the time it is for: s, m, h or a duration such as
// 100ms; without it a second. The last piece may lack its duration: a ramp then
// takes d, and a constant rate goes on. The last rate goes on in any case.
func Parse(text string, d time.Duration) (Schedule, error) {
	s, err := parse(text, d)
	if err != nil {
		return Schedule{}, fmt.Errorf("rate %s: %w", clipped(text), err)
	}
	return s, nil
}

func parse(text string, d time.Duration) (Schedule, error) {
	if strings.TrimSpace(text) == "" {
		return Schedule{}, fmt.Errorf("is empty; write one like %s", Examples)
	}
	pieces := strings.Split(text, ",")
	if len(pieces) > maxPieces {
		return Schedule{}, fmt.Errorf("has %d pieces; the limit is %d", len(pieces), maxPieces)
	}
	var legs []leg
	var span time.Duration
	var some bool
	for i, piece := range pieces {
		l, err := parseLeg(piece, d, i == len(pieces)-1)
		if err != nil {
			return Schedule{}, err
		}
		if span += l.length; span > maxPlan {
			return Schedule{}, fmt.Errorf("lasts more than %s", plain(maxPlan))
		}
		some = some || l.from > 0 || l.to > 0
		legs = append(legs, l)
	}
	if !some {
		return Schedule{}, errors.New("plans no arrivals; without a rate, connections send as fast as they are answered")
	}
	return build(legs), nil
}

// parseLeg reads a piece.
func parseLeg(text string, d time.Duration, last bool) (leg, error) {
	text = strings.TrimSpace(text)
	rates, length, timed := strings.Cut(text, ":")
	first, second, ramp := strings.Cut(rates, "..")
	var l leg
	var err error
	if l.from, err = parseRate(first); err != nil {
		return leg{}, err
	}
	l.to = l.from
	if ramp {
		if l.to, err = parseRate(second); err != nil {
			return leg{}, err
		}
	}
	switch {
	case timed:
		if l.length, err = quantity.ParseDuration(strings.TrimSpace(length)); err != nil {
			return leg{}, fmt.Errorf("%s is not a duration; write one like 10s or 2m", clipped(strings.TrimSpace(length)))
		}
		if l.length <= 0 {
			return leg{}, fmt.Errorf("piece %s has no duration", clipped(text))
		}
	case !last:
		return leg{}, fmt.Errorf("piece %s needs a duration because more follow: %s:10s", clipped(text), text)
	case ramp:
		if l.length = d; d <= 0 {
			return leg{}, fmt.Errorf("ramp %s needs a duration: %s:30s", clipped(text), text)
		}
	}
	return l, nil
}

// parseRate reads a rate, in arrivals per second.
func parseRate(text string) (float64, error) {
	text = strings.TrimSpace(text)
	count, unit, per := strings.Cut(text, "/")
	seconds := 1.0
	if per {
		d, ok := parseUnit(strings.TrimSpace(unit))
		if !ok {
			return 0, fmt.Errorf("%s is not a unit of time; write s, m, h or a duration such as 100ms", clipped(strings.TrimSpace(unit)))
		}
		seconds = d.Seconds()
	}
	count, scale := scaled(strings.TrimSpace(count))
	n, ok := parseCount(count)
	if !ok {
		return 0, fmt.Errorf("%s is not a rate; write one like %s", clipped(text), Examples)
	}
	rate := n * scale / seconds
	if rate > MaxRate {
		return 0, fmt.Errorf("%s is more than %g/s, one per nanosecond", clipped(text), float64(MaxRate))
	}
	if rate == 0 && n > 0 {
		return 0, fmt.Errorf("%s is too low", clipped(text))
	}
	return rate, nil
}

// scaled takes k or M off a number.
func scaled(count string) (rest string, scale float64) {
	if rest, ok := strings.CutSuffix(count, "k"); ok {
		return rest, 1e3
	}
	if rest, ok := strings.CutSuffix(count, "M"); ok {
		return rest, 1e6
	}
	return count, 1
}

// parseCount reads a decimal number that is not below 0. strconv also takes
// infinities, hexadecimal and signs.
func parseCount(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// parseUnit reads what a rate is for.
func parseUnit(text string) (time.Duration, bool) {
	switch text {
	case "s", "sec", "second":
		return time.Second, true
	case "m", "min", "minute":
		return time.Minute, true
	case "h", "hour":
		return time.Hour, true
	case "ms", "us", "µs", "ns":
		text = "1" + text
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}

// clipped quotes what was read, bounded.
func clipped(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Quote(text)
}

// String returns the plan in the syntax of Parse, with a note for a Poisson plan.
func (s Schedule) String() string {
	if !s.Open() {
		return "no arrivals"
	}
	var b strings.Builder
	for i, p := range s.pieces[:s.given] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(rateText(p.from))
		if p.to != p.from {
			b.WriteString("..")
			b.WriteString(rateText(p.to))
		}
		b.WriteByte(':')
		b.WriteString(plain(p.length))
	}
	if s.lastGiven() {
		if s.given > 0 {
			b.WriteByte(',')
		}
		b.WriteString(rateText(s.pieces[len(s.pieces)-1].from))
	}
	if s.poisson {
		fmt.Fprintf(&b, ", Poisson arrivals, seed %d", s.seed)
	}
	return b.String()
}

// lastGiven reports whether the rate that goes on is another than the last
// piece's, and so was asked for by itself.
func (s Schedule) lastGiven() bool {
	return s.given == 0 || s.pieces[s.given-1].to != s.pieces[s.given].from
}

// rateText prints a rate in the unit in which it is a whole number, if there is
// one, so that 300/m does not become five times a repeating fraction.
func rateText(rate float64) string {
	for _, u := range []struct {
		name    string
		seconds float64
	}{{"s", 1}, {"m", 60}, {"h", 3600}} {
		n := rate * u.seconds
		if n == float64(int64(n)) && n/u.seconds == rate {
			return strconv.FormatFloat(n, 'f', -1, 64) + "/" + u.name
		}
	}
	return strconv.FormatFloat(rate, 'f', -1, 64) + "/s"
}

// plain returns a duration without parts that are 0: 1m, not 1m0s.
func plain(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
