package message

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"whet/internal/quantity"
)

// longestThink bounds a random time: an exponential one has no maximum.
const longestThink = time.Hour

// Think is a user's waiting time between a response and the next request. The zero
// value is no wait.
type Think struct {
	mean        time.Duration
	exponential bool
}

// ParseThink reads a think time: "100ms" is constant, "exp:100ms" is exponential with
// that mean, like that of independent users.
func ParseThink(text string) (Think, error) {
	duration, exponential := strings.CutPrefix(strings.TrimSpace(text), "exp:")
	d, err := quantity.ParseDuration(duration)
	switch {
	case err != nil:
		return Think{}, fmt.Errorf("think time %.60q: write one like 100ms, or exp:100ms for exponential times with that mean", text)
	case d < 0:
		return Think{}, fmt.Errorf("think time %s: is below 0", d)
	case d > longestThink:
		return Think{}, fmt.Errorf("think time %s: is more than %s", d, longestThink)
	case d == 0 && exponential:
		return Think{}, errors.New("think time exp:0s: exponential times need a mean above 0")
	}
	return Think{mean: d, exponential: exponential}, nil
}

// None reports whether there is no think time.
func (t Think) None() bool { return t.mean == 0 }

// Mean returns the expected think time.
func (t Think) Mean() time.Duration { return t.mean }

// Draw returns the next think time. An exponential one is at most an hour.
func (t Think) Draw(rng *rand.Rand) time.Duration {
	if !t.exponential {
		return t.mean
	}
	return time.Duration(min(rng.ExpFloat64()*float64(t.mean), float64(longestThink)))
}

// String returns the think time as ParseThink reads it.
func (t Think) String() string {
	if t.exponential {
		return "exp:" + t.mean.String()
	}
	return t.mean.String()
}
