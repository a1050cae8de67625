//go:build go1.26

package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// environment is the JSON that whet hands to a program that it has built with
// the agent inside.
type environment struct {
	Dir            string `json:"dir"` // absolute, private, exists
	Token          string `json:"token"`
	Serve          bool   `json:"serve"`
	Continuous     bool   `json:"continuous"`
	BlockRateNs    int64  `json:"block_rate_ns"`
	MutexFraction  int64  `json:"mutex_fraction"`
	MemProfileRate int64  `json:"mem_profile_rate"`
	Trace          bool   `json:"trace"`
}

// exitLimit bounds what a program waits for the agent's next file when it ends.
const exitLimit = 1800 * time.Millisecond

// startFromEnvironment starts an agent as text, the value of WHET_AGENT, says.
// Only the entry file that whet adds to such a build calls it, from init. The
// agent writes nothing to the program's output; its warnings are in agent.json.
//
// stop may be called once from an exit hook, on any goroutine: it does not
// panic, and ends about two seconds after its last file whatever the program holds.
func startFromEnvironment(text string) (stop func(), err error) {
	var e environment
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return nil, fmt.Errorf("read WHET_AGENT: %w", err)
	}
	s, err := e.settings()
	if err != nil {
		return nil, fmt.Errorf("read WHET_AGENT: %w", err)
	}
	a := start(s)
	if a.inert != "" {
		a.Stop()
		return nil, fmt.Errorf("start the agent: %s", a.inert)
	}
	return func() { a.end("exit", exitLimit) }, nil
}

func (e environment) settings() (settings, error) {
	if !filepath.IsAbs(e.Dir) {
		return settings{}, fmt.Errorf("the directory %q is not absolute", e.Dir)
	}
	if e.Serve && e.Token == "" {
		return settings{}, errors.New("serving requires a token")
	}
	s := settings{dir: e.Dir, token: e.Token, log: func(string) {}}
	if e.Serve {
		s.socket = filepath.Join(e.Dir, "s")
	}
	if e.BlockRateNs > 0 {
		s.rates.BlockRateNs = &e.BlockRateNs
	}
	if e.MutexFraction > 0 {
		s.rates.MutexFraction = &e.MutexFraction
	}
	if e.MemProfileRate > 0 {
		s.rates.MemProfileRate = &e.MemProfileRate
	}
	if e.Continuous {
		s.continuous = &schedule{cpu: true, segment: 10 * time.Second, cumulative: 10 * time.Second, row: rowEvery, traceFirst: traceFirst}
		if e.Trace {
			s.continuous.traceLength = traceLength
		}
	}
	return s, nil
}
