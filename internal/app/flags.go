package app

import (
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// notParsed is package flag's word for a value of the wrong kind.
var notParsed = regexp.MustCompile(`^invalid (?:boolean )?value .* for (?:flag )?-(\S+): parse error$`)

// parseError says what a flag takes where package flag says that it could not
// parse a value.
func parseError(fs *flag.FlagSet, err error) string {
	text := err.Error()
	m := notParsed.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	what := ""
	if g, ok := fs.Lookup(m[1]).Value.(flag.Getter); ok {
		switch g.Get().(type) {
		case int, int64:
			what = "give a whole number"
		case uint, uint64:
			what = "give a whole number from 0"
		case float64:
			what = "give a number"
		case time.Duration:
			what = "give a time like 30s or 500ms"
		case bool:
			what = "it takes no value"
		}
	}
	if what == "" {
		return text
	}
	return strings.TrimSuffix(text, "parse error") + what
}

// stringList collects a flag that may be given several times.
type stringList []string

func (l *stringList) String() string { return strings.Join(*l, " ") }

func (l *stringList) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// percentFlag is a share, given as 2% or 0.02.
type percentFlag struct{ share *float64 }

func (p percentFlag) String() string {
	if p.share == nil {
		return ""
	}
	return strconv.FormatFloat(*p.share*100, 'g', -1, 64) + "%"
}

func (p percentFlag) Set(s string) error {
	digits, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fmt.Errorf("%q is not a share like 2%% or 0.02", s)
	}
	if percent {
		v /= 100
	}
	*p.share = v
	return nil
}
