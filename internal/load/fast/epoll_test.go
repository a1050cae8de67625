//go:build linux

package fast

import (
	"bytes"
	"net"
	"strconv"
	"testing"
	"time"

	"whet/internal/load/engine"
	"whet/internal/load/record"
	"whet/internal/loadresult"
)

// pair returns a loop with one connection whose first request is on its way, and the
// service's end of it. The job wants a second request.
func pair(t *testing.T) (l *loop, poll *epoll, service net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	j := job(t, listener.Addr().String())
	j.Origin, j.Requests = time.Now(), 2
	j.Recorder = record.New(record.Plan{Origin: j.Origin, Duration: j.Duration, Requests: 2})
	l = oneLoop(t, j, newEpoll, 1)
	poll = l.t.(*epoll)
	c := &l.conns[0]
	t.Cleanup(func() { l.hangUp(c) })
	l.resume(c, j.Now())
	if service, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	if err := poll.wait(int64(time.Second), 0); err != nil || c.state != ready {
		t.Fatal(c.state, err)
	}
	if _, err := service.Read(make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	return l, poll, service
}

// say sends an answer with a body of n bytes.
func say(t *testing.T, service net.Conn, n int) {
	t.Helper()
	b := append([]byte("HTTP/1.1 200 OK\r\nContent-Length: "+strconv.Itoa(n)+"\r\n\r\n"), bytes.Repeat([]byte("x"), n)...)
	if _, err := service.Write(b); err != nil {
		t.Fatal(err)
	}
}

// result returns what was recorded so far.
func result(j *engine.Job) *loadresult.Result { return j.Recorder.Finish(j.Now(), true) }

// An answer with the end of the connection after it: the next request is not
// sent into that, and costs no error.
func TestAnswerAndEnd(t *testing.T) {
	l, poll, service := pair(t)
	say(t, service, 5)
	service.Close()
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

// What comes after an answer is no answer to the next request, also where it is
// read apart from the first.
func TestUnasked(t *testing.T) {
	l, poll, service := pair(t)
	say(t, service, 5)
	say(t, service, 5)
	service.Close()
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
// again, and each wait has found one thing, in however many pieces.
func TestManyReads(t *testing.T) {
	l, poll, service := pair(t)
	poll.buf = poll.buf[:10]
	say(t, service, 1000)
	l.waits++
	for range 1000 { // a busy machine takes its time, and a wait a millisecond
		if l.job.Recorder.Answers() > 0 {
			break
		}
		found := l.found
		if err := poll.wait(int64(time.Second), 0); err != nil {
			t.Fatal(err)
		}
		if l.found > found+1 {
			t.Fatalf("one wait found %d things", l.found-found)
		}
		l.waits++
	}
	if r := result(l.job); r.Bytes != 1000 || l.found < 1000/10/readsAtOnce {
		t.Errorf("%d bytes in %d waits", r.Bytes, l.found)
	}
}

// A kernel that cannot wait for less than milliseconds is waited for all the
// same.
func TestCoarse(t *testing.T) {
	l, poll, service := pair(t)
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
