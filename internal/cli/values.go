package cli

import (
	"fmt"
	"net/textproto"
	"strconv"
	"strings"
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
