package slo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Bounds are bounds that must all hold.
type Bounds []Bound

// Bound is one of them.
type Bound struct {
	Metric Metric
	Op     Op
	// Value is in nanoseconds for a time, a share of 1 for errors, and per
	// second for the throughput.
	Value float64
}

// Metric is the metric of a bound.
type Metric struct {
	Kind Kind
	// Percent is the quantile's, between 0 and 100; else 0.
	Percent float64
	Times   Times // of a quantile, a mean or a maximum
}

// Kind is a sort of metric.
type Kind int

const (
	Quantile Kind = iota
	Mean
	Max
	Errors
	Throughput
)

// Times are the times that a metric is taken of.
type Times int

const (
	Usual    Times = iota // response times in an open loop, service times in a closed one
	Service               // from the actual send
	Response              // from the intended send
)

// Op compares a value with a bound's.
type Op string

const (
	Less    Op = "<"
	AtMost  Op = "<="
	More    Op = ">"
	AtLeast Op = ">="
)

// Holds reports whether the value keeps the bound.
func (b Bound) Holds(value float64) bool {
	switch b.Op {
	case Less:
		return value < b.Value
	case AtMost:
		return value <= b.Value
	case More:
		return value > b.Value
	}
	return value >= b.Value
}

// String returns the metric as Parse reads it.
func (m Metric) String() string {
	prefix := ""
	switch m.Times {
	case Service:
		prefix = "service."
	case Response:
		prefix = "response."
	}
	switch m.Kind {
	case Quantile:
		return prefix + "p" + strconv.FormatFloat(m.Percent, 'f', -1, 64)
	case Mean:
		return prefix + "mean"
	case Max:
		return prefix + "max"
	case Errors:
		return "errors"
	}
	return "throughput"
}

// String returns the bounds as Parse reads them.
func (b Bounds) String() string {
	parts := make([]string, len(b))
	for i := range b {
		parts[i] = b[i].String()
	}
	return strings.Join(parts, ",")
}

// String returns the bound as Parse reads it.
func (b Bound) String() string {
	var value string
	switch b.Metric.Kind {
	case Errors:
		// In percent, unless that would be another share when it is read again.
		value = strconv.FormatFloat(b.Value*100, 'f', -1, 64) + "%"
		if back, err := parseShare(value); err != nil || back != b.Value {
			value = strconv.FormatFloat(b.Value, 'f', -1, 64)
		}
	case Throughput:
		value = strconv.FormatFloat(b.Value, 'f', -1, 64) + "/s"
	default:
		value = time.Duration(b.Value).String()
	}
	return b.Metric.String() + string(b.Op) + value
}

const (
	longest    = 4 << 10 // of a text with bounds
	mostBounds = 64
	example    = "write bounds like p99<50ms,errors<0.1%,throughput>1000/s"
)

// Parse reads bounds. Spaces around names, operators and values do not count.
func Parse(s string) (Bounds, error) {
	if len(s) > longest {
		return nil, fmt.Errorf("parse bounds: %d bytes are too many; %s", len(s), example)
	}
	if strings.TrimSpace(s) == "" {
		return nil, fmt.Errorf("parse bounds: no bounds; %s", example)
	}
	parts := strings.Split(s, ",")
	if len(parts) > mostBounds {
		return nil, fmt.Errorf("parse bounds: %d bounds are too many; give at most %d", len(parts), mostBounds)
	}
	var out Bounds
	for i, part := range parts {
		b, err := parseBound(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("parse bound %d, %q: %w", i+1, strings.TrimSpace(part), err)
		}
		for _, o := range out {
			if o.Metric == b.Metric && o.upper() == b.upper() {
				return nil, fmt.Errorf("parse bound %d, %q: %s is bounded on this side already, by %q", i+1, strings.TrimSpace(part), b.Metric, o)
			}
		}
		out = append(out, b)
	}
	return out, nil
}

// upper reports whether values above the bound break it.
func (b Bound) upper() bool { return b.Op == Less || b.Op == AtMost }

func parseBound(s string) (Bound, error) {
	if s == "" {
		return Bound{}, fmt.Errorf("empty; %s", example)
	}
	at := strings.IndexAny(s, "<>=")
	if at < 0 {
		return Bound{}, fmt.Errorf("no operator (< <= > >=); %s", example)
	}
	end := at + 1
	if strings.HasPrefix(s[end:], "=") {
		end++
	}
	op := Op(s[at:end])
	switch op {
	case Less, AtMost, More, AtLeast:
	default:
		return Bound{}, fmt.Errorf("%q is not an operator: use one of < <= > >=", string(op))
	}
	m, err := parseMetric(strings.TrimSpace(s[:at]))
	if err != nil {
		return Bound{}, err
	}
	b := Bound{Metric: m, Op: op}
	text := strings.TrimSpace(s[end:])
	switch m.Kind {
	case Errors:
		b.Value, err = parseShare(text)
	case Throughput:
		b.Value, err = parseRate(text)
	default:
		b.Value, err = parseTime(text)
	}
	if err != nil {
		return Bound{}, err
	}
	return b, b.possible()
}

// possible reports an error for a bound that is kept or broken by every result.
func (b Bound) possible() error {
	switch {
	case b.Metric.Kind == Errors && (b.Op == Less && b.Value == 0 || b.Op == More && b.Value == 1):
		return fmt.Errorf("no share of errors meets it; for no errors write errors<=0%%")
	case b.Metric.Kind == Errors && (b.Op == AtMost && b.Value == 1 || b.Op == AtLeast && b.Value == 0):
		return fmt.Errorf("every share of errors meets it; for no errors write errors<=0%%")
	case b.Metric.Kind != Errors && b.Value == 0:
		return fmt.Errorf("give a value above 0")
	}
	return nil
}

func parseMetric(s string) (Metric, error) {
	var m Metric
	name := s
	if rest, ok := strings.CutPrefix(s, "service."); ok {
		m.Times, name = Service, rest
	} else if rest, ok := strings.CutPrefix(s, "response."); ok {
		m.Times, name = Response, rest
	}
	switch name {
	case "mean":
		m.Kind = Mean
		return m, nil
	case "max":
		m.Kind = Max
		return m, nil
	case "errors", "throughput":
		if m.Times != Usual {
			return Metric{}, fmt.Errorf("%s is not a time: omit %q", name, s[:len(s)-len(name)])
		}
		if m.Kind = Errors; name == "throughput" {
			m.Kind = Throughput
		}
		return m, nil
	}
	digits, ok := strings.CutPrefix(name, "p")
	if !ok || !isDecimal(digits) {
		return Metric{}, fmt.Errorf("unknown metric %q: use p50, p99, p99.9 or another quantile, mean, max, errors or throughput, with service. or response. before a time", s)
	}
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(p > 0 && p < 100) {
		return Metric{}, fmt.Errorf("%q: a quantile lies between p0 and p100; for the largest time write max", s)
	}
	m.Percent = p
	return m, nil
}

func parseTime(s string) (float64, error) {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a time: write it like 50ms or 1.5s", s)
	case d < 0:
		return 0, fmt.Errorf("%q is negative", s)
	case d > longestTime:
		return 0, fmt.Errorf("%q is longer than %v", s, longestTime)
	}
	return float64(d), nil
}

// longestTime keeps nanoseconds exact in a float64.
const longestTime = 1000 * time.Hour

func parseShare(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	digits = strings.TrimSpace(digits)
	v, err := strconv.ParseFloat(digits, 64)
	if !isDecimal(digits) || err != nil {
		return 0, fmt.Errorf("%q is not a share: write it like 0.1%% or 0.001", s)
	}
	if percent {
		v /= 100
	}
	if v > 1 {
		return 0, fmt.Errorf("%q is more than all requests: write a share like 0.1%% or 0.001", s)
	}
	return v, nil
}

func parseRate(s string) (float64, error) {
	digits := strings.TrimSpace(strings.TrimSuffix(s, "/s"))
	v, err := strconv.ParseFloat(digits, 64)
	if !isDecimal(digits) || err != nil { // also if it does not fit a float64
		return 0, fmt.Errorf("%q is not a rate: write it like 1000/s", s)
	}
	return v, nil
}

// isDecimal reports whether s is digits with at most one point: no sign, no
// exponent, no name of a number.
func isDecimal(s string) bool {
	points, digits := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			points++
		case '0' <= c && c <= '9':
			digits++
		default:
			return false
		}
	}
	return digits > 0 && points <= 1
}
