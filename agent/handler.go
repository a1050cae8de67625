//go:build go1.26

package agent

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	agentSchema = "whet/agent/1"
	prefix      = "/debug/whet/"
	maxRequests = 8 // at a time
	maxBody     = 4 << 10
	// writeLimit is what an answer may take to be written: a reader that has
	// stopped reading must not hold a slot for ever.
	writeLimit = 30 * time.Second
)

// Handler returns a handler that serves the agent's instruments under /debug/whet/ or,
// wrapped in http.StripPrefix, under any other path.
func (a *Agent) Handler() http.Handler { return http.HandlerFunc(a.serve) }

// refusal is an error with the status of its answer.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

func (a *Agent) serve(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			a.notes.add("answering %.60q failed: %v", r.URL.Path, p)
			answerError(w, refuse(http.StatusInternalServerError, "the agent failed: %v", p))
		}
	}()
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := a.route(w, r); err != nil {
		answerError(w, err)
	}
}

func answerError(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if e, ok := err.(*refusal); ok {
		status = e.status
	}
	h := w.Header()
	h.Del("Content-Disposition")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, strings.ReplaceAll(err.Error(), "\n", "; "))
}

func (a *Agent) route(w http.ResponseWriter, r *http.Request) error {
	if a.inert != "" {
		return refuse(http.StatusServiceUnavailable, "%s", a.inert)
	}
	if !a.authorized(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return refuse(http.StatusUnauthorized, "send the agent's token: Authorization: Bearer TOKEN")
	}
	select {
	case <-a.stopping:
		return refuse(http.StatusServiceUnavailable, "the agent was stopped")
	default:
	}
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	default:
		return refuse(http.StatusServiceUnavailable, "%d requests are being answered: try again when one has ended", maxRequests)
	}
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, prefix), "/")
	method := http.MethodGet
	var serve func(http.ResponseWriter, *http.Request) error
	switch {
	case path == "status":
		serve = a.serveStatus
	case strings.HasPrefix(path, "pprof/"):
		serve = func(w http.ResponseWriter, r *http.Request) error {
			return a.serveProfile(w, r, strings.TrimPrefix(path, "pprof/"))
		}
	case path == "metrics":
		serve = a.serveMetrics
	case path == "rates":
		method, serve = http.MethodPost, a.serveRates
	case path == "flight" && r.Method == http.MethodPost:
		method, serve = http.MethodPost, a.serveLend
	case path == "flight":
		serve = a.serveFlight
	case path == "files":
		serve = a.serveFiles
	case path == "flush":
		method, serve = http.MethodPost, a.serveFlush
	default:
		return refuse(http.StatusNotFound, "the agent has no %.60q: it has status, pprof/, metrics, rates, flight, files and flush", path)
	}
	if r.Method != method {
		w.Header().Set("Allow", method)
		return refuse(http.StatusMethodNotAllowed, "%s takes %s, not %.20s", path, method, r.Method)
	}
	return serve(w, r)
}

// authorized compares in a time that does not depend on how much of the token
// is right, nor on its length.
func (a *Agent) authorized(r *http.Request) bool {
	if a.settings.token == "" {
		return true
	}
	given := r.Header.Get("X-Whet-Token")
	if given == "" { // Authorization may be for a proxy on the way
		given, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	want, have := sha256.Sum256([]byte(a.settings.token)), sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(want[:], have[:]) == 1
}

// status is what GET status answers.
type status struct {
	Schema         string    `json:"schema"`
	AgentVersion   int       `json:"agent_version"`
	PID            int       `json:"pid"`
	GoVersion      string    `json:"go_version"`
	GOMAXPROCS     int       `json:"gomaxprocs"`
	Origin         time.Time `json:"origin"`
	NowNs          int64     `json:"now_ns"`
	UserCPUNs      *int64    `json:"user_cpu_ns"`
	SystemCPUNs    *int64    `json:"system_cpu_ns"`
	Rates          rates     `json:"rates"`
	FlightRecorder bool      `json:"flight_recorder"`
	CPUProfiling   bool      `json:"cpu_profiling"` // by the agent
	Warnings       []string  `json:"warnings"`
}

func (a *Agent) serveStatus(w http.ResponseWriter, r *http.Request) error {
	s := status{
		Schema: agentSchema, AgentVersion: Version, PID: os.Getpid(), GoVersion: runtime.Version(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Origin: a.origin, NowNs: a.since(), Rates: a.dials.now(), FlightRecorder: a.recorder() != nil,
		CPUProfiling: a.cpuProfiling(), Warnings: a.notes.all(),
	}
	if user, system, ok := cpuTimes(); ok {
		s.UserCPUNs, s.SystemCPUNs = &user, &system
	}
	return answerJSON(w, s)
}

func (a *Agent) serveRates(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		return refuse(http.StatusBadRequest, "read rates: %v", err)
	}
	var set rates
	for _, one := range []struct {
		name string
		to   **int64
	}{{"block_rate_ns", &set.BlockRateNs}, {"mutex_fraction", &set.MutexFraction}} {
		if !r.Form.Has(one.name) {
			continue
		}
		n, err := strconv.ParseInt(r.Form.Get(one.name), 10, 32)
		if err != nil || n < 0 {
			return refuse(http.StatusBadRequest, "%s=%.20q is not a number from 0 to %d", one.name, r.Form.Get(one.name), 1<<31-1)
		}
		*one.to = &n
	}
	if set == (rates{}) {
		return refuse(http.StatusBadRequest, "give block_rate_ns, mutex_fraction or both")
	}
	return answerJSON(w, a.dials.set(set))
}

func (a *Agent) serveFiles(w http.ResponseWriter, r *http.Request) error {
	if a.continuous == nil {
		return refuse(http.StatusNotFound, "the agent writes no files: it was not configured to record")
	}
	return answerJSON(w, a.continuous.files.report())
}

func (a *Agent) serveFlush(w http.ResponseWriter, r *http.Request) error {
	if a.continuous == nil {
		return refuse(http.StatusNotFound, "the agent writes no files: it was not configured to record")
	}
	if err := a.continuous.do(r.Context(), a.continuous.flush); err != nil {
		return refuse(http.StatusServiceUnavailable, "flush: %v", err)
	}
	return a.serveFiles(w, r)
}

func answerJSON(w http.ResponseWriter, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(data, '\n'))
	return nil
}

// seconds reads a duration from a query, within bounds.
func seconds(query url.Values, name string, otherwise, most time.Duration) (time.Duration, error) {
	text := query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s > 0) || s > most.Seconds() {
		return 0, refuse(http.StatusBadRequest, "%s=%.20q is not a number of seconds above 0 and up to %.0f", name, text, most.Seconds())
	}
	return time.Duration(s * float64(time.Second)), nil
}

// allow lets an answer take d and the time to write it, also where the server
// has a shorter limit. A server without deadlines has none here either.
func allow(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d + writeLimit))
}
