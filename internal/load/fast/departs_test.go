//go:build linux

package fast

import (
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"whet/internal/load/record"
)

// stepping drives a loop of n connections by a clock that goes on by a
// millisecond each time that it is read, until each has a request with the
// service, whose ends of the connections it returns. reads is how often the clock
// was read.
func stepping(t *testing.T, transport func(*loop) (transport, error), n int) (l *loop, service []net.Conn, reads *int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	j := job(t, listener.Addr().String())
	j.Origin, reads = time.Now(), new(int64)
	j.Clock = func() time.Time { *reads++; return j.Origin.Add(time.Duration(*reads) * time.Millisecond) }
	j.Recorder = record.New(record.Plan{Origin: j.Origin, Duration: j.Duration})
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	l = oneLoop(t, j, transport, n)
	if err := l.t.enter(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.finish(j.Now()) })
	for i := range l.conns {
		l.resume(&l.conns[i], j.Now())
	}
	connected := func(c *conn) bool { return c.state == ready }
	for until := time.Now().Add(time.Minute); !all(l.conns, connected) && time.Now().Before(until); {
		if err := l.t.wait(int64(10*time.Millisecond), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.t.wait(0, 0); err != nil { // what is queued goes out
		t.Fatal(err)
	}
	for range n {
		s, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if _, err := s.Read(make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
		service = append(service, s)
	}
	return l, service, reads
}

func all(conns []conn, is func(*conn) bool) bool {
	return !slices.ContainsFunc(conns, func(c conn) bool { return !is(&c) })
}

// Where several answers are read before the next requests are sent, each of those
// counts as sent when it is: after all answers.
func TestSentWhenWritten(t *testing.T) {
	const n = 5
	l, service, reads := stepping(t, newEpoll, n)
	for _, s := range service {
		say(t, s, 5)
	}
	before := *reads
	for l.job.Recorder.Answers() < n {
		if before = *reads; l.t.wait(int64(time.Second), 0) != nil {
			t.Fatal("wait failed")
		}
	}
	// The clock is read once for each answer of the batch, and then once for each
	// request.
	var sent []int64
	for i := range l.conns {
		sent = append(sent, l.conns[i].sent/1e6)
	}
	slices.Sort(sent)
	batch := (*reads - before) / 2
	for i, at := range sent[n-batch:] {
		if want := before + batch + int64(i) + 1; at != want {
			t.Errorf("sent at %d ms, answers read at %d to %d ms; want the last %d from then on", sent, before+1, before+batch, batch)
			break
		}
	}
}

// Requests over io_uring count as sent when the kernel gets them, which is once
// for those of a batch.
func TestSentWhenSubmitted(t *testing.T) {
	byIOUring(t)
	const n = 5
	l, service, reads := stepping(t, newUring, n)
	for _, s := range service {
		say(t, s, 5)
	}
	for l.job.Recorder.Answers() < n {
		if err := l.t.wait(int64(time.Second), 0); err != nil {
			t.Fatal(err)
		}
	}
	before := *reads
	if err := l.t.wait(0, 0); err != nil {
		t.Fatal(err)
	}
	if *reads != before+1 {
		t.Fatalf("the clock was read %d times for a submission", *reads-before)
	}
	late := 0
	for i := range l.conns {
		if l.conns[i].sent == *reads*1e6 {
			late++
		}
	}
	if late == 0 {
		t.Error("no request counts as sent when it was submitted")
	}
}

// A request that was chosen within the warm-up belongs to it, and is not among
// the number that was asked for, whenever it goes to the kernel. One that has a
// connection made for it was sent when that began.
func TestDeparts(t *testing.T) {
	j := job(t, "127.0.0.1:1")
	j.Warmup = 100
	l, _ := byHand(t, j, 1)
	c := &l.conns[0]
	for _, k := range []struct {
		state              state
		chosen, gone, want int64
	}{{ready, 99, 101, 99}, {ready, 100, 101, 101}, {closed, 100, 101, 100}} {
		c.state = k.state
		l.begin(c, -1, k.chosen)
		l.departs(c, k.gone)
		l.departs(c, k.gone+50) // a second part
		if c.sent != k.want {
			t.Errorf("chosen at %d, gone at %d, connection %d: sent at %d, want %d", k.chosen, k.gone, k.state, c.sent, k.want)
		}
		l.delist(c)
	}
}
