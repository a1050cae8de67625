package hdrlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"whet/internal/hist"
)

// Bounds on what is read.
const (
	maxLine     = 4 << 20
	maxInflated = 8 << 20
	maxWarnings = 20
	maxSeconds  = 1e11 // some three thousand years
)

// Head is the head of a log.
type Head struct {
	Start time.Time // zero: unknown
	// Warnings list omitted and changed data.
	Warnings []string
}

// Read reads a log and hands out its intervals one after the other; each may be
// kept. A line that cannot be read ends it, with the line's number: a merge that
// left some intervals out would be wrong without looking it.
func Read(r io.Reader, each func(*Interval) error) (*Head, error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine) // it grows with the lines: many logs may be open at a time
	p := parser{head: new(Head)}
	for s.Scan() {
		p.line++
		i, err := p.parse(s.Bytes())
		if err != nil {
			return nil, fmt.Errorf("read histogram log: line %d: %w", p.line, err)
		}
		if i == nil {
			continue
		}
		if err := each(i); err != nil {
			return nil, err
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("read histogram log: line %d: longer than %d MiB: this is not an interval log", p.line+1, maxLine>>20)
	case err != nil:
		return nil, fmt.Errorf("read histogram log: %w", err)
	case p.intervals == 0 && p.line == 0:
		return nil, errors.New("read histogram log: empty")
	}
	return p.head, nil
}

type parser struct {
	head      *Head
	line      int
	intervals int
	start     *moment
	base      *moment
	exact     *hist.Exact // of the interval that follows
}

// moment is a time since 1970 with its nanoseconds.
type moment struct{ seconds, nanos int64 }

func (m moment) time() time.Time { return time.Unix(m.seconds, m.nanos).UTC() }

// warn notes what is odd about the line at hand.
func (p *parser) warn(format string, args ...any) {
	if len(p.head.Warnings) < maxWarnings {
		p.head.Warnings = append(p.head.Warnings, fmt.Sprintf("line %d: ", p.line)+fmt.Sprintf(format, args...))
	}
}

func (p *parser) parse(line []byte) (*Interval, error) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0 || line[0] == '"':
		return nil, nil // the legend
	case line[0] == '#':
		return nil, p.comment(string(line[:min(len(line), 300)]))
	}
	return p.interval(line)
}

// comment reads the lines that say when the log began; all others are skipped.
func (p *parser) comment(line string) error {
	for _, c := range []struct {
		prefix string
		to     **moment
	}{{"#[StartTime: ", &p.start}, {"#[BaseTime: ", &p.base}} {
		text, ok := strings.CutPrefix(line, c.prefix)
		if !ok {
			continue
		}
		m, err := parseSeconds(text[:span(text)])
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Trim(c.prefix, "#[: "), err)
		}
		*c.to = &m
		if c.to == &p.start {
			p.head.Start = m.time()
		}
	}
	if text, ok := strings.CutPrefix(line, exactPrefix); ok {
		e, err := parseExact(text)
		if err != nil {
			p.warn("%v: the buckets alone are used", err)
		}
		p.exact = e
	}
	return nil
}

// span returns the length of the number that a text begins with.
func span(s string) int {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' {
			return i
		}
	}
	return len(s)
}

// parseSeconds reads a decimal number of seconds to the nanosecond; further
// digits are cut off.
func parseSeconds(s string) (moment, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt("0"+whole, 10, 64)
	digits := (fraction + "000000000")[:9]
	nanos, err2 := strconv.ParseInt(digits, 10, 64)
	if err != nil || err2 != nil || nanos < 0 || whole == "" && fraction == "" || strings.Trim(fraction, "0123456789") != "" {
		return moment{}, fmt.Errorf("%.40q is not a number of seconds", s)
	}
	if n > maxSeconds {
		return moment{}, fmt.Errorf("%.40q is more than the limit of %.0g seconds", s, float64(maxSeconds))
	}
	return moment{n, nanos}, nil
}

// parseExact reads what exactLine wrote.
func parseExact(text string) (*hist.Exact, error) {
	var e hist.Exact
	f := strings.Fields(strings.TrimSuffix(text, "]"))
	if len(f) != 5 || f[1] != "max" || f[3] != "sum" {
		return nil, errors.New("the exact values cannot be read")
	}
	var err, err2 error
	e.Min, err = strconv.ParseInt(f[0], 10, 64)
	e.Max, err2 = strconv.ParseInt(f[2], 10, 64)
	sum, ok := new(big.Int).SetString(f[4], 10)
	if err != nil || err2 != nil || !ok || len(f[4]) > 40 || sum.Sign() < 0 || sum.BitLen() > 128 {
		return nil, errors.New("the exact values are not numbers")
	}
	e.SumLow = new(big.Int).And(sum, new(big.Int).SetUint64(1<<64-1)).Uint64()
	e.SumHigh = new(big.Int).Rsh(sum, 64).Uint64()
	return &e, nil
}

func (p *parser) interval(line []byte) (*Interval, error) {
	i := new(Interval)
	if rest, ok := bytes.CutPrefix(line, []byte("Tag=")); ok {
		tag, rest, ok := bytes.Cut(rest, []byte(","))
		if !ok {
			return nil, errors.New("nothing follows the tag")
		}
		i.Tag, line = string(tag), rest
	}
	fields := bytes.SplitN(line, []byte(","), 5)
	if len(fields) != 4 {
		return nil, fmt.Errorf("%.40q is not an interval: want START,LENGTH,MAX,HISTOGRAM", line)
	}
	start, err := parseSeconds(string(fields[0]))
	if err != nil {
		return nil, fmt.Errorf("its start: %w", err)
	}
	length, err := parseSeconds(string(fields[1]))
	if err != nil {
		return nil, fmt.Errorf("its length: %w", err)
	}
	if length.seconds > 1e9 {
		return nil, fmt.Errorf("length: %.40q seconds are more than thirty years", fields[1])
	}
	if i.Start = p.at(start); i.Start.Unix() > maxSeconds {
		return nil, fmt.Errorf("its start: %.40q after the log's is more than the limit of %.0g seconds", fields[0], float64(maxSeconds))
	}
	i.Length = time.Duration(length.seconds)*time.Second + time.Duration(length.nanos)
	exact := p.exact
	p.exact = nil
	if i.Histogram, err = decode(fields[3], exact); err != nil && exact != nil {
		var bad error
		if i.Histogram, bad = decode(fields[3], nil); bad == nil {
			p.warn("%v: the buckets alone are used", err)
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("its histogram: %w", err)
	}
	p.intervals++
	return i, nil
}

const year = 365 * 24 * 3600

// at returns when an interval began.
func (p *parser) at(m moment) time.Time {
	if p.start == nil {
		p.start = &m
	}
	if p.base == nil {
		p.base = new(moment)
		if m.seconds < p.start.seconds-year {
			*p.base = *p.start
		}
	}
	return moment{p.base.seconds + m.seconds, p.base.nanos + m.nanos}.time()
}
