//go:build linux

package fast

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// oneLoop returns a job's only loop, which a test steps through itself.
func oneLoop(t *testing.T, j *engine.Job, transport func(*loop) (transport, error), n int) *loop {
	t.Helper()
	p, err := newPlan(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	l := newLoop(p, 0, 1, n)
	p.loops = []*loop{l}
	if l.t, err = transport(l); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.t.shutdown)
	return l
}

// byHand returns a loop over a transport that carries nothing, by a clock that goes on
// by a millisecond each time that it is read.
func byHand(t *testing.T, j *engine.Job, connections int) (*loop, *silentTransport) {
	t.Helper()
	now := time.Now()
	j.Origin = now
	j.Clock = func() time.Time { now = now.Add(time.Millisecond); return now }
	j.Recorder = record.New(record.Plan{Origin: j.Origin, Duration: j.Duration, Open: j.Open()})
	silent := new(silentTransport)
	return oneLoop(t, j, func(*loop) (transport, error) { return silent, nil }, connections), silent
}

// Requests that are sent one after the other have moments of their own, however
// many are found to be due at once: those of an open loop, and of a closed one
// after pauses.
func TestSentInTurn(t *testing.T) {
	const n = 10
	for _, plan := range []schedule.Schedule{schedule.Constant(1e6), {}} {
		j := job(t, "127.0.0.1:1")
		j.Arrivals = plan
		l, _ := byHand(t, j, n)
		for i := range l.conns {
			c := &l.conns[i]
			c.state = ready
			if plan.Open() {
				l.idle.push(c.index)
			} else {
				l.later(c, 0)
			}
		}
		l.pass(int64(time.Second))
		var sent []int64
		for i := range l.conns {
			sent = append(sent, l.conns[i].sent)
		}
		slices.Sort(sent)
		for i := 1; i < n; i++ {
			if sent[i]-sent[i-1] != int64(time.Millisecond) {
				t.Fatalf("open %v: sent at %v", plan.Open(), sent)
			}
		}
	}
}

// A socket whose queue stays full is tried at the same pace, however often its
// request has timed out meanwhile.
func TestFullQueueTimesOut(t *testing.T) {
	j := job(t, "unix.example")
	j.Addresses[0] = engine.Address{Network: "unix", Dial: "/s"}
	j.Timeout = 10 * time.Millisecond
	l, transport := byHand(t, j, 1)
	transport.connected = func(c *conn) { l.connected(c, unix.EAGAIN) }
	l.later(&l.conns[0], 0)
	tries := 0
	for range 200 {
		before := transport.connects
		l.pass(j.Now())
		tries = max(tries, transport.connects-before)
	}
	if r := j.Recorder.Finish(j.Now(), true); r.Errors[loadresult.TimedOut] < 5 || tries > 2 {
		t.Errorf("%d timeouts, up to %d tries at once", r.Errors[loadresult.TimedOut], tries)
	}
}

// One connection and arrivals each 10 ms, after a warm-up of 100 ms. It is busy
// from the first on; the others of the warm-up are let go, and at 150 ms it is sent
// that of 100 ms: its response time holds the 50 ms that it waited for the service,
// and not what nine others would have taken.
func TestWarmupLeavesNothing(t *testing.T) {
	j := job(t, "127.0.0.1:1")
	j.Arrivals, j.Warmup, j.Duration = schedule.Constant(100), 100*time.Millisecond, time.Second
	l, _ := byHand(t, j, 1)
	c := &l.conns[0]
	c.state = ready
	l.idle.push(0)
	const ms = int64(time.Millisecond)
	for at := int64(0); at < 90; at += 7 {
		l.launch(at * ms)
		if want := at/10*10 + 10; l.due != want*ms {
			t.Fatalf("at %d ms the next arrival is that of %v, want %d ms", at, time.Duration(l.due), want)
		}
	}
	if c.due != 0 {
		t.Fatalf("the connection has the arrival of %v", time.Duration(c.due))
	}
	l.release(c, 150*ms)
	if l.launch(150 * ms); c.due != 100*ms || l.due != 110*ms {
		t.Errorf("at 150 ms it is sent the arrival of %v, and the next is that of %v", time.Duration(c.due), time.Duration(l.due))
	}
}
