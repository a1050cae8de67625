package quantity

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a time that a user typed, such as 30s or 500ms. A whole
// number alone is in seconds, as in wrk, ab and pprof.
func ParseDuration(s string) (time.Duration, error) {
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%.60q is no time: write one like 30s, 500ms or 2m", s)
	}
	return d, nil
}

// LooksNumeric reports whether a text was meant as a number, with a unit or not.
func LooksNumeric(s string) bool {
	return s == "" || strings.Contains("+-.0123456789", s[:1])
}
