package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"whet/agent"
	"whet/internal/recording"
)

// snapshots are the profiles that cost the program nothing but writing them,
// and how their text form begins.
var snapshots = []struct{ kind, head string }{
	{recording.KindGoroutine, "goroutine profile: total "},
	{recording.KindHeap, "heap profile: "},
	{recording.KindAllocs, "heap profile: "},
	{recording.KindBlock, "--- contention:"},
	{recording.KindMutex, "--- mutex:"},
	{recording.KindThreads, "threadcreate profile: total "},
}

// FlightRecorder is the flight recorder's name in Target.Unknown.
const FlightRecorder = "flight recorder"

// titles are for people.
var titles = map[string]string{
	recording.KindCPU:       "CPU profile",
	recording.KindTrace:     "execution trace",
	recording.KindFlight:    FlightRecorder,
	recording.KindMetrics:   "runtime metrics",
	recording.KindGoroutine: "goroutine profile",
	recording.KindHeap:      "heap profile",
	recording.KindAllocs:    "allocation profile",
	recording.KindBlock:     "block profile",
	recording.KindMutex:     "mutex profile",
	recording.KindThreads:   "thread creation profile",
}

const (
	importAgent = "write the agent into its module (whet agent DIR) and serve its Handler at /debug/whet/, or let whet start it (-- ./cmd/server …)"
	importPprof = `import _ "net/http/pprof" in the program and serve it on this port`
)

// find asks at every place where instruments may be. What fails below the
// protocol fails at every path, and is returned at once.
func (t *Target) find(ctx context.Context, root *url.URL, o TargetOptions) error {
	header := t.header
	var first *statusError // the refusal worth telling when nothing is found
	remember := func(err error) bool {
		var r *statusError
		if !errors.As(err, &r) {
			return errors.Is(err, ErrNoInstruments)
		}
		if r.status != http.StatusNotFound && first == nil {
			first = r
		}
		return true
	}
	agents := []*url.URL{root.JoinPath("debug/whet/")}
	if o.Socket != "" {
		agents = append(agents, root)
	}
	t.header = withToken(header, o.Token)
	for _, base := range agents {
		t.at(base, o.Socket)
		st, err := t.status(ctx)
		if err == nil {
			t.Kind = KindAgent
			return t.offersOfAgent(ctx, st)
		}
		if !remember(err) {
			return err
		}
	}
	agent := first
	t.header = header // the token is the agent's alone
	for _, base := range []*url.URL{root.JoinPath("debug/pprof/"), root} {
		t.at(base, o.Socket)
		heads, err := t.heads(ctx, "")
		if err == nil {
			t.Kind = KindPprof
			t.offersOfPprof(heads, agent)
			return nil
		}
		if !remember(err) {
			return err
		}
	}
	t.at(root, o.Socket)
	if first != nil {
		return first
	}
	return fmt.Errorf("%w: the server offers neither the agent nor net/http/pprof; %s; or %s", ErrNoInstruments, importPprof, importAgent)
}

// withToken adds the agent's token, in a header of its own: Authorization may
// be needed by what stands before the program.
func withToken(header http.Header, token string) http.Header {
	if token == "" {
		return header
	}
	header = header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	header.Set("X-Whet-Token", token)
	return header
}

// heads fetches the beginning of each snapshot in text below a path. Those
// that are not there are missing from the map; with none at all, the error is
// a refusal or ErrNoInstruments.
func (t *Target) heads(ctx context.Context, below string) (map[string][]byte, error) {
	heads := make(map[string][]byte)
	var refusal error = ErrNoInstruments
	for _, s := range snapshots {
		head, err := t.head(ctx, below+s.kind)
		var r *statusError
		switch {
		case err == nil && len(head) >= len(s.head) && string(head[:len(s.head)]) == s.head:
			heads[s.kind] = head
		case errors.As(err, &r):
			if r.status != http.StatusNotFound && refusal == ErrNoInstruments {
				refusal = err
			}
			if r.status == http.StatusUnauthorized || r.status == http.StatusForbidden {
				return nil, err
			}
		case err != nil:
			return nil, err
		}
	}
	if len(heads) == 0 {
		return nil, refusal
	}
	return heads, nil
}

// head returns the first bytes of a profile in text, and drops the rest: of a
// goroutine dump that may be 100 MB.
func (t *Target) head(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := t.within(ctx, 0)
	defer cancel()
	request, err := t.request(ctx, http.MethodGet, path, url.Values{"debug": {"1"}})
	if err != nil {
		return nil, err
	}
	response, err := open(t.client, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(response.Body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, breach(ctx, err, n)
	}
	return head[:n], nil
}

func (t *Target) offersOfAgent(ctx context.Context, st *Status) error {
	heads, err := t.heads(ctx, "pprof/")
	if err != nil && !errors.As(err, new(*statusError)) && !errors.Is(err, ErrNoInstruments) {
		return err
	}
	t.offerSnapshots(heads)
	t.compareVersions(st.AgentVersion)
	t.rates, t.procs = st.Rates, max(st.GOMAXPROCS, 0)
	t.offers = append(t.offers, recording.KindMetrics)
	if st.FlightRecorder {
		t.offers = append(t.offers, recording.KindFlight)
	} else {
		t.lacks(titles[recording.KindFlight], "the agent has none", "enable it in the call that starts the agent")
	}
	return nil
}

// compareVersions says where the program's agent is not the one that this whet
// knows: it speaks the same protocol, and may know more of it or less.
func (t *Target) compareVersions(version int) {
	switch {
	case version < agent.Version:
		t.lacks(fmt.Sprintf("data of agents of version %d", agent.Version), fmt.Sprintf("the program's agent is of version %d", version),
			"write its source anew (whet agent DIR) or update the module that it is from, and build the program again")
	case version > agent.Version:
		t.lacks(fmt.Sprintf("data of agents of version %d", version), fmt.Sprintf("the program's agent is newer than those that this whet knows, of version %d", agent.Version), "update whet")
	}
}

// offersOfPprof says what net/http/pprof has. agent is what the server said
// when the agent was asked for, if it was more than that there is none.
func (t *Target) offersOfPprof(heads map[string][]byte, agent *statusError) {
	t.offerSnapshots(heads)
	if rate, ok := memProfileRate(heads[recording.KindHeap]); ok {
		t.rates.MemProfileRate = &rate
	}
	how := importAgent
	switch {
	case agent == nil:
	case agent.status == http.StatusUnauthorized, agent.status == http.StatusForbidden:
		how = fmt.Sprintf("if the agent runs there, pass its token (/debug/whet/ answers %d); else %s", agent.status, importAgent)
	default:
		how = fmt.Sprintf("if the agent runs there, it fails (/debug/whet/: %s): fix that; else %s", agent.text, importAgent)
	}
	t.lacks(titles[recording.KindMetrics], "net/http/pprof serves no runtime/metrics: whet reads a heap and a goroutine profile once a second instead", how)
	t.lacks(titles[recording.KindFlight], "net/http/pprof serves none", how)
	t.lacks("block rate", "net/http/pprof can neither set nor report the rate: an empty block profile may mean that it is off", how)
	fraction, ok := mutexFraction(heads[recording.KindMutex])
	if !ok {
		t.lacks("mutex fraction", "net/http/pprof cannot set the fraction and does not report it here", how)
		return
	}
	t.rates.MutexFraction = &fraction
	if fraction == 0 {
		t.lacks("waits for mutexes", "mutex profiling is off in the program, and net/http/pprof cannot set its fraction", "call runtime.SetMutexProfileFraction(10) in the program; or "+how)
	}
}

func (t *Target) offerSnapshots(heads map[string][]byte) {
	t.offers = []string{recording.KindCPU, recording.KindTrace}
	for _, s := range snapshots {
		if heads[s.kind] != nil {
			t.offers = append(t.offers, s.kind)
		} else {
			t.lacksPage(s.kind)
		}
	}
}

func (t *Target) lacksPage(kind string) {
	t.lacks(titles[kind], "the server has no such page", "serve it beside the other profiles: "+importPprof)
}

// lacks notes once what the target does not offer.
func (t *Target) lacks(what, why, how string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(t.unknown, func(u recording.Unknown) bool { return u.What == what }) {
		t.unknown = append(t.unknown, recording.Unknown{What: what, Why: why, How: how})
	}
}
