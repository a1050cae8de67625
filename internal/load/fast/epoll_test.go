//go:build linux

package fast

import (
	"bytes"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whet/internal/load/engine"
	"whet/internal/load/record"
)

// pair is a loop with one connection whose first request is on its way, and the
// service's end of it. The job wants a second request.
func pair(t *testing.T) (l *loop, poll *epoll, service int) {
	t.Helper()
	j := job(t, listen(t, "tcp", "127.0.0.1:0", silent))
	j.Origin, j.Requests = time.Now(), 2
	j.Recorder = record.New(record.Plan{Origin: j.Origin, Duration: j.Duration, Requests: 2})
	p, err := newPlan(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	l = newLoop(p, 0, 1, 1)
	p.loops = []*loop{l}
	if l.t, err = newEpoll(l); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.t.shutdown)
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	poll = l.t.(*epoll)
	c := &l.conns[0]
	c.fd, c.state = int32(ends[0]), ready
	if errno := poll.interest(c, unix.EPOLL_CTL_ADD); errno != 0 {
		t.Fatal(errno)
	}
	l.resume(c, j.Now())
	t.Cleanup(func() { l.hangUp(c) })
	return l, poll, ends[1]
}

// say sends an answer with a body of n bytes.
func say(t *testing.T, service, n int) {
	t.Helper()
	b := append([]byte("HTTP/1.1 200 OK\r\nContent-Length: "+strconv.Itoa(n)+"\r\n\r\n"), bytes.Repeat([]byte("x"), n)...)
	if k, err := unix.Write(service, b); k != len(b) || err != nil {
		t.Fatal(k, err)
	}
}

// result is what was recorded so far.
func result(j *engine.Job) *record.Result { return j.Recorder.Finish(j.Now(), true) }

// An answer with the end of the connection behind it: the next request is not
// sent into that, and costs no error.
func TestAnswerAndEnd(t *testing.T) {
	l, poll, service := pair(t)
	say(t, service, 5)
	if err := unix.Close(service); err != nil {
		t.Fatal(err)
	}
	if err := poll.wait(int64(time.Second), 0); err != nil {
		t.Fatal(err)
	}
	c := &l.conns[0]
	if !c.busy || c.state != connecting {
		t.Errorf("under way %v, state %d; want a request that connects", c.busy, c.state)
	}
	if r := result(l.job); r.Requests != 1 || r.Status[200] != 1 {
		t.Errorf("%d requests, errors %v", r.Requests, r.Errors)
	}
}

// What comes behind an answer is no answer to the next request, also where it is
// read apart from the first.
func TestUnasked(t *testing.T) {
	l, poll, service := pair(t)
	say(t, service, 5)
	say(t, service, 5)
	if err := unix.Close(service); err != nil {
		t.Fatal(err)
	}
	poll.buf = poll.buf[:len("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nxxxxx")]
	if err := poll.wait(int64(time.Second), 0); err != nil {
		t.Fatal(err)
	}
	c := &l.conns[0]
	if !c.busy || c.state != connecting {
		t.Errorf("under way %v, state %d; want a request that connects", c.busy, c.state)
	}
	if r := result(l.job); r.Requests != 1 || r.Bytes != 5 {
		t.Errorf("%d requests, %d bytes, errors %v", r.Requests, r.Bytes, r.Errors)
	}
}

// An answer that takes more reads than one connection gets at a time is told of
// again.
func TestManyReads(t *testing.T) {
	l, poll, service := pair(t)
	defer unix.Close(service)
	poll.buf = poll.buf[:10]
	say(t, service, 1000)
	waits := 0
	for l.job.Recorder.Answers() == 0 && waits < 100 {
		if err := poll.wait(int64(time.Second), 0); err != nil {
			t.Fatal(err)
		}
		waits++
	}
	if r := result(l.job); r.Bytes != 1000 || waits < 1000/10/readsAtOnce {
		t.Errorf("%d bytes in %d waits", r.Bytes, waits)
	}
}

// A kernel that cannot wait for less than milliseconds is waited for all the
// same.
func TestCoarse(t *testing.T) {
	l, poll, service := pair(t)
	defer unix.Close(service)
	poll.coarse = true
	if err := poll.wait(2e6+1, 0); err != nil || l.job.Recorder.Answers() != 0 {
		t.Fatal(err)
	}
	say(t, service, 5)
	if err := poll.wait(3e5, 0); err != nil {
		t.Fatal(err)
	}
	if n := l.job.Recorder.Answers(); n != 1 {
		t.Errorf("%d answers", n)
	}
}
