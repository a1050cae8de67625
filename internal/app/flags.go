package app

import (
	"fmt"
	"strconv"
	"strings"
)

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
