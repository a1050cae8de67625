package capture

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"whet/agent"
	"whet/internal/recording"
)

// standIn is an agent by its protocol, on a clock of the test's own.
type standIn struct {
	mu      sync.Mutex
	clock   time.Time       // of the world
	trips   []time.Duration // of each question: there and back in turns; then none
	began   time.Time       // of the agent, on the world's clock
	origin  time.Time       // what the agent says of it, by its own wall clock
	pid     int64
	set     []string // queries of POST rates
	metrics http.HandlerFunc
}

func (s *standIn) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *standIn) travel() {
	if len(s.trips) > 0 {
		s.clock = s.clock.Add(s.trips[0])
		s.trips = s.trips[1:]
	}
}

// restart makes it another process.
func (s *standIn) restart(pid int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pid, s.began, s.origin = pid, s.clock, s.origin.Add(time.Minute)
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/debug/whet/")
	if r.Header.Get("X-Whet-Token") != "t0ken" {
		http.Error(w, "send the agent's token", http.StatusUnauthorized)
		return
	}
	switch name, isProfile := strings.CutPrefix(path, "pprof/"); {
	case isProfile:
		pprof.Handler(name).ServeHTTP(w, r)
	case path == "metrics":
		s.metrics(w, r)
	case path == "rates" && r.Method == http.MethodPost:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.set = append(s.set, r.URL.Query().Encode())
		io.WriteString(w, `{"block_rate_ns":null,"mutex_fraction":5,"mem_profile_rate":524288}`)
	case path == "flight":
		http.Error(w, "there is no flight recorder", http.StatusNotFound)
	case path == "status":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.travel()
		st := Status{Schema: "whet/agent/1", AgentVersion: agent.Version, PID: s.pid, GoVersion: "go1.26", GOMAXPROCS: 2, Origin: s.origin, NowNs: int64(s.clock.Sub(s.began))}
		s.travel()
		json.NewEncoder(w).Encode(st)
	default:
		http.NotFound(w, r)
	}
}

func newStandIn(t *testing.T) (*standIn, *Target) {
	t.Helper()
	clock := time.Now()
	s := &standIn{clock: clock.Add(time.Hour), began: clock, origin: time.Date(1970, 1, 1, 0, 0, 0, 1, time.UTC), pid: 7}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	target := find(t, TargetOptions{Base: server.URL, Token: "t0ken", Now: s.now})
	if target.Kind != KindAgent {
		t.Fatalf("found %s", target.Kind)
	}
	return s, target
}

func TestClock(t *testing.T) {
	const ms = time.Millisecond
	s, target := newStandIn(t)

	// The quickest of the trips, there in 2 ms and back in 4 ms: the agent read
	// its clock 2 ms after the question, and the midpoint says 3 ms. So the
	// offset is 1 ms late, and the uncertainty of 3 ms covers it. What the
	// agent says of wall time is half a century off and plays no part.
	s.trips = []time.Duration{20 * ms, 1 * ms, 2 * ms, 4 * ms, 1 * ms, 30 * ms, 90 * ms, 90 * ms}
	for range clockTrips - 4 {
		s.trips = append(s.trips, 50*ms, 50*ms)
	}
	offset, uncertainty, err := target.Clock(t.Context())
	if err != nil || offset.Sub(s.began) != 1*ms || uncertainty != 3*ms {
		t.Errorf("offset wrong by %v ± %v, %v; want 1ms ± 3ms", offset.Sub(s.began), uncertainty, err)
	}
	// It holds our monotonic clock, which Round strips.
	if offset == offset.Round(0) {
		t.Errorf("%v has no monotonic clock", offset)
	}
	if len(s.trips) != 0 {
		t.Errorf("%d trips were not made", len(s.trips)/2)
	}

	// Whatever the trips, the error is within the uncertainty.
	for i := range 20 {
		d := time.Duration(i)
		for range clockTrips {
			s.trips = append(s.trips, d*ms, (20-d)*3*ms)
		}
		offset, uncertainty, err := target.Clock(t.Context())
		if wrong := offset.Sub(s.began).Abs(); err != nil || wrong > uncertainty {
			t.Errorf("%v there, %v back: wrong by %v, uncertain by %v: %v", d*ms, (20-d)*3*ms, wrong, uncertainty, err)
		}
	}
}

// A restart between two trips: the offset is the new process's, however much
// quicker the old one's trips were.
func TestClockOfARestartedProgram(t *testing.T) {
	for _, pid := range []int64{7, 8} { // in a container the number stays
		s, target := newStandIn(t)
		questions := 0
		restarting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if questions++; questions == clockTrips {
				s.restart(pid)
				s.trips = []time.Duration{time.Second, time.Second}
			}
			s.ServeHTTP(w, r)
		})
		server := serve(t, restarting)
		moved, err := http.NewRequest(http.MethodGet, server.URL+"/debug/whet/", nil)
		if err != nil {
			t.Fatal(err)
		}
		target.base = moved.URL
		offset, uncertainty, err := target.Clock(t.Context())
		if err != nil || offset.Sub(s.began) != 0 || uncertainty != time.Second {
			t.Errorf("offset %v ± %v, %v", offset.Sub(s.began), uncertainty, err)
		}
	}
}

func TestStatusAndRates(t *testing.T) {
	s, target := newStandIn(t)
	st, err := target.Status(t.Context())
	if err != nil || st.PID != 7 || st.GOMAXPROCS != 2 || st.NowNs != int64(time.Hour) || st.UserCPUNs != nil {
		t.Errorf("%+v, %v", st, err)
	}
	before, err := target.SetRates(t.Context(), 10_000, 10)
	if err != nil || before.BlockNs != nil || before.MutexFraction == nil || *before.MutexFraction != 5 || *before.MemProfileRate != 524288 {
		t.Errorf("%+v, %v", before, err)
	}
	for _, r := range [][2]int64{{0, -1}, {-1, 0}} {
		if _, err := target.SetRates(t.Context(), r[0], r[1]); err != nil {
			t.Error(err)
		}
	}
	if got := fmt.Sprint(s.set); got != "[block_rate_ns=10000&mutex_fraction=10 block_rate_ns=0 mutex_fraction=0]" {
		t.Error(got)
	}
	if u := target.Unknown(); len(u) != 1 || u[0].What != titles[recording.KindFlight] {
		t.Errorf("unknown %v", u)
	}
	if _, err := target.Flight(t.Context()); err == nil || !strings.Contains(err.Error(), ErrNotOffered.Error()) {
		t.Error(err)
	}
	if _, err := target.Profile(t.Context(), recording.KindMutex, 0); err != nil {
		t.Error(err)
	}
}

// FuzzStatus: what is taken for the agent's status says so itself, and writes
// to what is read again as the same.
func FuzzStatus(f *testing.F) {
	f.Add([]byte(`{"schema":"whet/agent/1","pid":7,"now_ns":5,"origin":"2026-11-20T10:00:00Z","rates":{"mutex_fraction":5}}`))
	f.Add([]byte(`{"schema":"whet/agent/2"}`))
	f.Add([]byte(`<html>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		st, err := parseStatus(data)
		if err != nil {
			if st != nil {
				t.Error("a status and an error")
			}
			return
		}
		if !strings.HasPrefix(st.Schema, agentSchema) || st.NowNs < 0 {
			t.Errorf("accepted %+v", st)
		}
		out, err := json.Marshal(st)
		if err != nil {
			return // JSON cannot hold a year of five digits
		}
		again, err := parseStatus(out)
		if err != nil || again.PID != st.PID || again.NowNs != st.NowNs || !again.Origin.Equal(st.Origin) {
			t.Errorf("%+v read again as %+v, %v", st, again, err)
		}
	})
}

// An agent of another version is told by what is unknown of it, in one line that says
// what to do; one of the same is not.
func TestAgentVersions(t *testing.T) {
	for version, want := range map[int]string{agent.Version - 1: "whet agent DIR", agent.Version: "", agent.Version + 1: "update whet"} {
		target := new(Target)
		target.compareVersions(version)
		said := ""
		for _, u := range target.Unknown() {
			said += fmt.Sprintf("%s: %s: %s", u.What, u.Why, u.How)
		}
		if said == "" != (want == "") || !strings.Contains(said, want) || want != "" && !strings.Contains(said, fmt.Sprintf("version %d", max(version, agent.Version))) {
			t.Errorf("of version %d is said %q", version, said)
		}
	}
}
