package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Rates are the sampling rates of a program's profilers. Nil is unknown: the runtime
// does not report the block rate, so an agent knows it only after setting it.
type Rates struct {
	BlockNs        *int64 `json:"block_rate_ns"`
	MutexFraction  *int64 `json:"mutex_fraction"`
	MemProfileRate *int64 `json:"mem_profile_rate"`
}

// Status is the agent's report about its program.
type Status struct {
	Schema         string    `json:"schema"`
	AgentVersion   int       `json:"agent_version"` // of its source; 0: before it had versions
	PID            int64     `json:"pid"`
	GoVersion      string    `json:"go_version"`
	GOMAXPROCS     int       `json:"gomaxprocs"`
	Origin         time.Time `json:"origin"` // the program's wall time of 0 ns
	NowNs          int64     `json:"now_ns"` // since the agent's origin, on the program's monotonic clock
	UserCPUNs      *int64    `json:"user_cpu_ns"`
	SystemCPUNs    *int64    `json:"system_cpu_ns"`
	Rates          Rates     `json:"rates"`
	FlightRecorder bool      `json:"flight_recorder"`
	CPUProfiling   bool      `json:"cpu_profiling"`
}

const (
	agentSchema = "whet/agent/"
	agentNewest = 1
	maxStatus   = 64 << 10
)

// Status asks the agent how its program is.
func (t *Target) Status(ctx context.Context) (*Status, error) {
	if t.Kind != KindAgent {
		return nil, fmt.Errorf("fetch status from %s: %w", t.address, ErrNotOffered)
	}
	st, err := t.status(ctx)
	if err != nil {
		return nil, fmt.Errorf("fetch status from %s: %w", t.address, err)
	}
	return st, nil
}

func (t *Target) status(ctx context.Context) (*Status, error) {
	a, err := t.ask(ctx, http.MethodGet, "status", nil, 0, maxStatus)
	if errors.As(err, new(unfitError)) {
		return nil, ErrNoInstruments
	}
	if err != nil {
		return nil, err
	}
	return parseStatus(a.data)
}

// parseStatus tells the agent from anything else that answers: that is
// ErrNoInstruments.
func parseStatus(data []byte) (*Status, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil || !strings.HasPrefix(head.Schema, agentSchema) {
		return nil, ErrNoInstruments
	}
	version, err := strconv.Atoi(strings.TrimPrefix(head.Schema, agentSchema))
	if err != nil || version < 1 {
		return nil, ErrNoInstruments
	}
	if version > agentNewest {
		return nil, fmt.Errorf("the agent speaks version %d of its protocol, this whet %d: update whet", version, agentNewest)
	}
	st := new(Status)
	if err := json.Unmarshal(data, st); err != nil {
		return nil, fmt.Errorf("read the agent's status: %w", err)
	}
	if st.NowNs < 0 {
		return nil, errors.New("read the agent's status: its clock is before its origin")
	}
	return st, nil
}

// SetRates sets the agent's block rate and mutex fraction, and returns the
// rates in force before. Less than 0 leaves one as it is.
func (t *Target) SetRates(ctx context.Context, blockNs, mutexFraction int64) (before Rates, err error) {
	if t.Kind != KindAgent {
		return Rates{}, fmt.Errorf("set rates of %s: %w", t.address, ErrNotOffered)
	}
	query := url.Values{}
	if blockNs >= 0 {
		query.Set("block_rate_ns", strconv.FormatInt(blockNs, 10))
	}
	if mutexFraction >= 0 {
		query.Set("mutex_fraction", strconv.FormatInt(mutexFraction, 10))
	}
	a, err := t.ask(ctx, http.MethodPost, "rates", query, 0, maxStatus)
	if err != nil {
		return Rates{}, fmt.Errorf("set rates of %s: %w", t.address, err)
	}
	if err := json.Unmarshal(a.data, &before); err != nil {
		return Rates{}, fmt.Errorf("set rates of %s: read its answer: %w", t.address, err)
	}
	return before, nil
}

// clockTrips is the number of questions that Clock asks. Most of the uncertainty is
// waiting for a processor on either side, and one quick trip is enough.
const clockTrips = 8

// Clock relates the agent's clock to ours: offset is our time of the agent's
// 0 ns, with our monotonic clock in it, and is wrong by at most uncertainty.
//
// The agent reads n = now_ns between our sending at a and our receiving at b.
// Whenever that was, our clock stood between a and b: with the midpoint
// m = a + (b-a)/2 it is wrong by at most (b-a)/2, and so is
//
//	offset = m - n.
//
// Both clocks are monotonic, so that nothing here depends on wall time, and a
// jump of it on either side does no harm. Of several trips the quickest
// bounds the error best. Trips to another process than the last one's count
// for nothing.
func (t *Target) Clock(ctx context.Context) (offset time.Time, uncertainty time.Duration, err error) {
	offset, uncertainty, _, err = t.clock(ctx)
	if err != nil {
		err = fmt.Errorf("compare clocks with %s: %w", t.address, err)
	}
	return offset, uncertainty, err
}

func (t *Target) clock(ctx context.Context) (offset time.Time, uncertainty time.Duration, last *Status, err error) {
	if t.Kind != KindAgent {
		return time.Time{}, 0, nil, ErrNotOffered
	}
	for range clockTrips {
		a := t.now()
		st, err := t.status(ctx)
		if err != nil {
			return time.Time{}, 0, nil, err
		}
		b := t.now()
		half := b.Sub(a) / 2
		if last == nil || !sameProcess(last, st) || half < uncertainty {
			offset, uncertainty = a.Add(half).Add(-time.Duration(st.NowNs)), half
		}
		last = st
	}
	return offset, uncertainty, last, nil
}

// sameProcess compares what does not change in a process's life. In a
// container every process may have the same number.
func sameProcess(a, b *Status) bool { return a.PID == b.PID && a.Origin.Equal(b.Origin) }
