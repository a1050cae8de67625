package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"

	"whet/internal/load/engine"
	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/loadresult"
)

// Features are the abilities of an engine beyond HTTP/1.1 to one address.
type Features struct {
	HTTP2   bool // over TLS, and without as h2c
	Cookies bool
	Hosts   bool // several addresses in one job
}

// Run runs the suite on an engine. Each case gets an engine of its own.
func Run(t *testing.T, open func() engine.Engine, f Features) {
	s := &runner{open: open, features: f}
	t.Run("answers", s.answers)
	t.Run("counts", s.counts)
	t.Run("failures", s.failures)
	t.Run("sending", s.sending)
	t.Run("transports", s.transports)
	t.Run("stopping", s.stopping)
	t.Run("checking", s.checking)
	if f.Hosts {
		t.Run("hosts", s.hosts)
	}
	if f.Cookies {
		t.Run("cookies", s.cookies)
	}
	if f.HTTP2 {
		t.Run("http2", s.http2)
	}
}

// runner runs the cases of the suite.
type runner struct {
	open     func() engine.Engine
	features Features
}

// patience bounds what is to end by itself. Nothing is asserted about how long
// it takes before.
const patience = time.Minute

// shortTimeout is that of requests that nobody answers.
const shortTimeout = 40 * time.Millisecond

var errPatience = errors.New("the engine did not end")

// outcome is the result of a load against a test server.
type outcome struct {
	*loadresult.Result
	report engine.Report
}

// job returns a closed loop of two connections to a plain server, of as many
// requests as are set.
func job(t testing.TB, network, dial string, requests int64, targets ...message.Target) *engine.Job {
	t.Helper()
	set, err := message.New(targets, message.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	j := &engine.Job{
		Messages: set, Connections: 2, Streams: 1, KeepAlive: true,
		Requests: requests, Duration: time.Hour, Timeout: patience,
	}
	for range set.Hosts() {
		j.Addresses = append(j.Addresses, engine.Address{Network: network, Dial: dial})
	}
	return j
}

// to returns a job of GET requests to a server.
func (s *server) to(requests int64) *engine.Job {
	return job(s.t, "tcp", s.addr(), requests, message.Target{URL: "http://" + s.addr() + "/"})
}

// drive does a job, and checks what holds for each: the engine ends, leaves
// nothing open, and what it recorded agrees with itself. Behind it, no server
// that is given has a connection any more.
func (s *runner) drive(t *testing.T, ctx context.Context, j *engine.Job, servers ...*server) outcome {
	t.Helper()
	ctx, cancel := context.WithCancelCause(ctx)
	limit := patience
	if j.Requests == 0 && j.Duration < time.Hour {
		limit += j.Warmup + j.Duration
	}
	defer time.AfterFunc(limit, func() { cancel(errPatience) }).Stop()

	e := s.open()
	goroutines, files := goleak.IgnoreCurrent(), descriptors(t)
	j.Origin = time.Now()
	j.Recorder = record.New(record.Plan{
		Origin: j.Origin, Warmup: j.Warmup, Duration: j.Duration, Requests: j.Requests,
		Open: j.Open(), Targets: j.Messages.Len(),
	})
	report, err := e.Drive(ctx, j)
	result := j.Recorder.Finish(j.Now(), ctx.Err() != nil)
	if err != nil {
		t.Fatalf("drive: %v", err)
	}
	if context.Cause(ctx) == errPatience {
		t.Fatalf("%v: %d requests, errors %v", errPatience, result.Requests, result.Errors)
	}
	result.InFlight, result.OldestInFlight = report.InFlight, report.OldestInFlight
	cancel(nil)

	for _, server := range servers {
		server.release()
		if n := server.left(); n > 0 {
			t.Errorf("%d connections are still open after the load", n)
		}
	}
	// goleak gives them half a second to end, in which a busy machine may not come
	// to run each of them.
	err = goleak.Find(goroutines)
	for until := time.Now().Add(patience); err != nil && time.Now().Before(until); {
		err = goleak.Find(goroutines)
	}
	if err != nil {
		t.Errorf("after the load: %v", err)
	}
	// A server may still be about to accept a connection that is gone.
	now := descriptors(t)
	for until := time.Now().Add(patience); now > files && time.Now().Before(until); now = descriptors(t) {
		runtime.Gosched()
	}
	if now > files {
		t.Errorf("%d file descriptors before the load, %d after it", files, now)
	}
	agrees(t, j, result)
	return outcome{result, report}
}

// agrees checks that a result agrees with itself.
func agrees(t *testing.T, j *engine.Job, r *loadresult.Result) {
	t.Helper()
	var unanswered int64
	for kind, n := range r.Errors {
		switch kind {
		case loadresult.Status4xx, loadresult.Status5xx, loadresult.WrongAnswer:
		default:
			unanswered += n
		}
		example := r.Examples[kind]
		if n <= 0 || example == "" || len(example) > 210 || strings.ContainsFunc(example, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%d of %q, example %q", n, kind, example)
		}
	}
	if len(r.Examples) != len(r.Errors) {
		t.Errorf("errors %v, examples %v", r.Errors, r.Examples)
	}
	if r.Answered()+unanswered != r.Requests {
		t.Errorf("%d requests: %d answered, %d not: %v", r.Requests, r.Answered(), unanswered, r.Errors)
	}
	timed := r.Answered() + r.Errors[loadresult.TimedOut]
	switch {
	case !j.Open() && r.Service.Count() != timed:
		t.Errorf("%d service times, %d answered, %d timed out", r.Service.Count(), r.Answered(), r.Errors[loadresult.TimedOut])
	case j.Open() && (r.Response.Count() != timed || r.Service.Count() > timed):
		t.Errorf("%d response times, %d service times, %d answered, %d timed out", r.Response.Count(), r.Service.Count(), r.Answered(), r.Errors[loadresult.TimedOut])
	}
	if r.Service.Count() > 0 && r.Service.Min() < 0 || r.Response.Count() > 0 && r.Response.Min() < 0 {
		t.Errorf("shortest service time %d ns, response time %d ns", r.Service.Min(), r.Response.Min())
	}
	var requests, failed, answered int64
	for _, second := range r.Seconds {
		requests, failed = requests+second.Requests, failed+second.Errors
	}
	for _, n := range r.Answers {
		answered += int64(n)
	}
	if requests != r.Requests || failed != r.Failed() || answered != r.Answered() {
		t.Errorf("%d requests, %d failed and %d answered; in the seconds %d, %d and %d", r.Requests, r.Failed(), r.Answered(), requests, failed, answered)
	}
	if most := j.Connections * j.Streams; r.InFlight < 0 || r.InFlight > most {
		t.Errorf("%d requests under way at the end, of %d at most", r.InFlight, most)
	}
	if sent := r.Requests - r.Errors[loadresult.Refused]; j.Requests > 0 && sent > j.Requests {
		t.Errorf("%d requests over connections, %d were to be sent", sent, j.Requests)
	}
}

// all checks that every request of a load got the same.
func (r outcome) all(t *testing.T, requests int64, status int, kind string) {
	t.Helper()
	want := fmt.Sprint(map[int]int64{status: requests})
	if status == 0 {
		want = fmt.Sprint(map[int]int64{})
	}
	errs := fmt.Sprint(map[string]int64{kind: requests})
	if kind == "" {
		errs = fmt.Sprint(map[string]int64{})
	}
	if r.Requests != requests || fmt.Sprint(r.Status) != want || fmt.Sprint(r.Errors) != errs {
		t.Errorf("%d requests, status %v, errors %v %q; want %d, %s, %s", r.Requests, r.Status, r.Errors, r.Examples, requests, want, errs)
	}
}
