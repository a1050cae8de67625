package cli

import (
	"flag"
	"fmt"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"time"

	"whet/internal/lazyregexp"
	"whet/internal/quantity"
)

// StringList collects a flag that may be given several times.
type StringList []string

func (l *StringList) String() string { return strings.Join(*l, " ") }

func (l *StringList) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// PercentFlag is a share, given as 2% or 0.02.
type PercentFlag struct{ Share *float64 }

func (p PercentFlag) String() string {
	if p.Share == nil {
		return ""
	}
	return strconv.FormatFloat(*p.Share*100, 'g', -1, 64) + "%"
}

func (p PercentFlag) Set(s string) error {
	digits, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fmt.Errorf("%q is not a share like 2%% or 0.02", s)
	}
	if percent {
		v /= 100
	}
	*p.Share = v
	return nil
}

// DurationFlag is a time; a number alone is in seconds. Every flag of a time is
// one, so that they are written alike in all verbs.
type DurationFlag struct {
	Time *time.Duration
	Hint string // ends the error of a text that was meant as something else
}

// Duration declares a flag of a time; its value is the default.
func Duration(fs *flag.FlagSet, d *time.Duration, name, usage string) {
	fs.Var(DurationFlag{Time: d}, name, usage)
}

func (f DurationFlag) String() string {
	if f.Time == nil {
		return ""
	}
	return f.Time.String()
}

func (f DurationFlag) Set(s string) error {
	d, err := quantity.ParseDuration(s)
	if err != nil {
		if !quantity.LooksNumeric(s) {
			err = fmt.Errorf("%w%s", err, f.Hint)
		}
		return err
	}
	*f.Time = d
	return nil
}

// SecondsFlag is a time in whole seconds, as pprof has them.
type SecondsFlag struct{ N *int }

func (f SecondsFlag) String() string {
	if f.N == nil {
		return ""
	}
	return strconv.Itoa(*f.N)
}

func (f SecondsFlag) Set(s string) error {
	d, err := quantity.ParseDuration(s)
	if err == nil && d%time.Second != 0 {
		err = fmt.Errorf("%q is not a whole number of seconds", s)
	}
	if err == nil {
		*f.N = int(d / time.Second)
	}
	return err
}

// BenchTimeFlag is the length of a benchmark's run: a time, or a number of calls like
// 100x. Package gobench checks its syntax.
type BenchTimeFlag struct{ Text *string }

func (f BenchTimeFlag) String() string {
	if f.Text == nil {
		return ""
	}
	return *f.Text
}

func (f BenchTimeFlag) Set(s string) error {
	if _, err := strconv.ParseUint(s, 10, 31); err == nil {
		s += "s"
	}
	*f.Text = s
	return nil
}

// schemeless is a URL as people type it: a host with a port, which {port} may
// stand for.
var schemeless = lazyregexp.Pattern{Text: `^(?:[\w.-]*|\[[0-9a-fA-F:.]+\]):(?:\d+|\{port\})(?:[/?]|$)`}

// AsURL returns the URL that an operand names: "localhost:8080/x" is
// "http://localhost:8080/x" unless there is such a file. ok is false where it
// names none.
func AsURL(operand string) (url string, ok bool) {
	if strings.Contains(operand, "://") {
		return operand, true
	}
	if !strings.Contains(operand, ":") || !schemeless.Regexp().MatchString(operand) {
		return operand, false
	}
	if _, err := os.Stat(operand); err == nil {
		return operand, false
	}
	return "http://" + operand, true
}

// HeaderList collects -H 'Name: value'.
type HeaderList textproto.MIMEHeader

func (h *HeaderList) String() string { return "" }

func (h *HeaderList) Set(s string) error {
	name, value, ok := strings.Cut(s, ":")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return fmt.Errorf("%q is not a header like 'Authorization: Bearer x'", s)
	}
	textproto.MIMEHeader(*h).Add(name, strings.TrimSpace(value))
	return nil
}

// ParseSwitch reads the value of a switch.
func ParseSwitch(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "", "1", "t", "true", "y", "yes":
		return true, nil
	case "0", "f", "false", "n", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}
