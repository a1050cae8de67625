package conformance

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whet/internal/load/message"
	"whet/internal/load/record"
	"whet/internal/loadresult"
	"whet/internal/schedule"
)

// failures checks that what fails is told by its kind, and that a load survives
// it.
func (s *runner) failures(t *testing.T) {
	t.Run("refused", s.refused)
	t.Run("no such socket", s.noSocket)
	t.Run("no such host", s.noHost)
	t.Run("timeouts", s.timeouts)
	t.Run("some of each", s.someOfEach)
	t.Run("closed between requests", s.closedBetween)
	t.Run("broken off", s.brokenOff)
	t.Run("starts again", s.startsAgain)
}

// refused asks where nobody listens.
func (s *runner) refused(t *testing.T) {
	l := tcp(t, "127.0.0.1:0")
	address := l.Addr().String()
	l.Close()
	got := s.drive(t, t.Context(), job(t, "tcp", address, 8, message.Target{URL: "http://" + address + "/"}))
	got.all(t, 8, 0, loadresult.Refused)
	if got.Service.Count() != 0 {
		t.Errorf("%d service times of connections that were refused", got.Service.Count())
	}
	// A connection that waited after each of 150 refusals, up to 100 ms, would come to
	// a hundred of them within the timeout.
	t.Run("open loop", func(t *testing.T) {
		j := job(t, "tcp", address, 0, message.Target{URL: "http://" + address + "/"})
		j.Arrivals, j.Duration, j.Connections, j.Timeout = schedule.Constant(1500), 100*time.Millisecond, 1, 10*time.Second
		got := s.drive(t, t.Context(), j)
		got.all(t, 150, 0, loadresult.Refused)
	})
}

// noSocket asks over a Unix socket that is not there, and one that nobody
// listens on any more.
func (s *runner) noSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	target := message.Target{URL: "http://socket.example/"}
	got := s.drive(t, t.Context(), job(t, "unix", path, 4, target))
	if got.Requests != 4 || got.Failed() != 4 || len(got.Errors) != 1 {
		t.Errorf("%d requests, errors %v", got.Requests, got.Errors)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	got = s.drive(t, t.Context(), job(t, "unix", path, 4, target))
	got.all(t, 4, 0, loadresult.Refused)
}

// noHost asks a name that no resolver knows (RFC 6761).
func (s *runner) noHost(t *testing.T) {
	got := s.drive(t, t.Context(), job(t, "tcp", "nobody.invalid:80", 4, message.Target{URL: "http://nobody.invalid/"}))
	if got.Requests != 4 || got.Failed() != 4 || got.Errors[loadresult.Refused] != 0 {
		t.Errorf("%d requests, errors %v", got.Requests, got.Errors)
	}
}

// timeouts are counted with the time they were waited for, wherever in an
// answer the server stalls.
func (s *runner) timeouts(t *testing.T) {
	for name, text := range map[string]string{
		"before the answer":       "",
		"after continue":          "HTTP/1.1 100 Continue\r\n\r\n",
		"within the status line":  "HTTP/1.1 2",
		"within the head":         "HTTP/1.1 200 OK\r\nContent-Le",
		"before the body":         "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
		"within the body":         "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe",
		"between chunks":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"before the last newline": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r",
		"within what has no end":  "HTTP/1.1 200 OK\r\n\r\nhello",
	} {
		t.Run(name, func(t *testing.T) {
			s.untilFrom(t, shortTimeout, func(timeout time.Duration) bool { return s.timesOut(t, timeout, text) })
		})
	}
	t.Run("endless body", func(t *testing.T) {
		chunk := strings.Repeat("x", 64<<10)
		s.untilFrom(t, shortTimeout, func(timeout time.Duration) bool {
			server := answering(t, func(c *conn, _ *serverRequest) bool {
				for c.send("HTTP/1.1 200 OK\r\n\r\n"); c.send(chunk); {
				}
				return false
			})
			j := server.to(4)
			j.Timeout = timeout
			got := s.drive(t, t.Context(), j, server)
			got.all(t, 4, 0, loadresult.TimedOut)
			return got.Bytes > 0
		})
	})
}

// timesOut drives a load whose answers end within a text. It is false where the
// machine was so busy that the text did not come within each timeout.
func (s *runner) timesOut(t *testing.T, timeout time.Duration, text string) bool {
	const requests = 6
	server := answering(t, func(c *conn, _ *serverRequest) bool {
		c.send(text)
		c.last()
		return false
	})
	j := server.to(requests)
	j.Timeout = timeout
	got := s.drive(t, t.Context(), j, server)
	got.all(t, requests, 0, loadresult.TimedOut)
	if got.Service.Count() != requests || time.Duration(got.Service.Min()) < j.Timeout*99/100 {
		t.Errorf("%d service times, the shortest %v of a timeout of %v", got.Service.Count(), time.Duration(got.Service.Min()), j.Timeout)
	}
	begun := int64(0)
	if strings.Contains(text, "200 OK") && strings.Contains(text, "\r\n\r\n") {
		begun = requests
	}
	example := got.Examples[loadresult.TimedOut]
	if got.Begun > begun || got.Begun == 0 && example != record.ErrTimeout.Error() || got.Begun == requests && example != record.ErrHalfAnswer.Error() {
		t.Errorf("%d of %d answers had begun, example %q", got.Begun, requests, example)
	}
	n := server.connections.Load()
	if n > requests || server.again.Load() > 0 {
		t.Errorf("%d connections, %d used again after a timeout", n, server.again.Load())
	}
	return n == requests && server.requests.Load() == requests && got.Begun == begun
}

// someOfEach fails in every way in turn, with good answers between. Where more
// requests time out than the server lets hang, the machine was too busy for the
// timeout, and there is a longer one.
func (s *runner) someOfEach(t *testing.T) {
	s.untilFrom(t, 60*time.Millisecond, func(timeout time.Duration) bool { return s.someOfEachWithin(t, timeout) })
}

// someOfEachWithin is false where there were timeouts that the server is not to
// blame for.
func (s *runner) someOfEachWithin(t *testing.T, timeout time.Duration) bool {
	const rounds = 6
	server := answering(t, func(c *conn, q *serverRequest) bool {
		switch q.nth % 7 {
		case 0:
			return c.give("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
		case 1:
			return c.give("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
		case 2:
			c.reset()
		case 3:
			return c.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell")
		case 4:
			c.send("nonsense\r\n\r\n")
			c.last()
		case 5:
			c.stall()
		default:
			return c.give(sized("hello"))
		}
		return false
	})
	j := server.to(7 * rounds)
	j.Connections, j.Timeout = 3, timeout
	got := s.drive(t, t.Context(), j, server)
	want := map[string]int64{
		loadresult.Status4xx: rounds, loadresult.Status5xx: rounds, loadresult.Reset: rounds,
		loadresult.ShortBody: rounds, loadresult.BadAnswer: rounds, loadresult.TimedOut: rounds,
	}
	if got.Requests == 7*rounds && got.Errors[loadresult.TimedOut] > rounds {
		return false
	}
	if fmt.Sprint(got.Errors) != fmt.Sprint(want) || got.Status[http.StatusOK] != rounds || got.Requests != 7*rounds {
		t.Errorf("%d requests, status %v, errors %v %q", got.Requests, got.Status, got.Errors, got.Examples)
	}
	if n := server.requests.Load(); n != 7*rounds {
		t.Errorf("the server got %d requests of %d", n, 7*rounds)
	}
	return true
}

// closedBetween closes each connection after its second answer without saying
// so. A request that was sent into that gets no answer, and is not sent again
// unseen: the answers recorded are those that the server gave.
func (s *runner) closedBetween(t *testing.T) {
	server := answering(t, func(c *conn, q *serverRequest) bool {
		return c.give(sized("hello")) && c.asked < 2
	})
	got := s.drive(t, t.Context(), server.to(60), server)
	if got.Requests != 60 || got.Answered() != server.answers.Load() || got.Failed() != got.Errors[loadresult.Reset] {
		t.Errorf("%d requests, %d answered, errors %v %q; the server gave %d answers", got.Requests, got.Answered(), got.Errors, got.Examples, server.answers.Load())
	}
	if n := server.requests.Load(); n != server.answers.Load() {
		t.Errorf("the server got %d requests and gave %d answers", n, server.answers.Load())
	}
}

// brokenOff ends each connection at its third request, in every place of an answer:
// by the end of what is sent, and by a reset. Each request that the server saw is
// reported, under the same name whatever the engine; net/http's own pool would send
// some again, unseen.
func (s *runner) brokenOff(t *testing.T) {
	for _, c := range []struct{ name, text, end, reset string }{
		{"before the answer", "", loadresult.Reset, loadresult.Reset},
		{"within the status line", "HTTP/1.1 2", loadresult.Reset, loadresult.Reset},
		{"within the head", "HTTP/1.1 200 OK\r\nContent-Le", loadresult.Reset, loadresult.Reset},
		{"after continue", "HTTP/1.1 100 Continue\r\n\r\n", loadresult.Reset, loadresult.Reset},
		{"before the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", loadresult.ShortBody, loadresult.Reset},
		{"within the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", loadresult.ShortBody, loadresult.Reset},
		{"between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", loadresult.ShortBody, loadresult.Reset},
	} {
		for how, kind := range map[string]string{"ended": c.end, "reset": c.reset} {
			t.Run(c.name+", "+how, func(t *testing.T) {
				var broken atomic.Int64
				server := answering(t, func(conn *conn, _ *serverRequest) bool {
					if conn.asked < 3 {
						return conn.give(sized("hello"))
					}
					broken.Add(1)
					conn.send(c.text)
					if how == "reset" {
						conn.reset()
						return false
					}
					conn.half()
					conn.last()
					return false
				})
				got := s.drive(t, t.Context(), server.to(30), server)
				if n := server.requests.Load(); n != 30 || got.Requests != n || got.Answered() != server.answers.Load() {
					t.Errorf("the server saw %d requests and gave %d answers; %d are reported, %d answered", n, server.answers.Load(), got.Requests, got.Answered())
				}
				if want := (map[string]int64{kind: broken.Load()}); fmt.Sprint(got.Errors) != fmt.Sprint(want) {
					t.Errorf("errors %v %q, want %v", got.Errors, got.Examples, want)
				}
			})
		}
	}
}

// startsAgain closes a server under a load of a number of requests, and opens another
// at its address when more connections were refused than requests are to be sent: all
// that are left are answered by that one.
func (s *runner) startsAgain(t *testing.T) {
	const requests, before, refusals = 40, 10, 60
	closed := make(chan struct{})
	first := answering(t, func(c *conn, q *serverRequest) bool {
		if q.nth < before {
			return c.give(sized("hello"))
		}
		if q.nth == before {
			c.listener.Close()
			close(closed)
		}
		return c.end("")
	})
	j := first.to(requests)
	j.Connections = 8
	j.Origin = time.Now()
	j.Recorder = record.New(record.Plan{Origin: j.Origin, Duration: j.Duration, Requests: requests, Targets: 1})
	var second *server
	var over atomic.Bool
	var opened sync.WaitGroup
	opened.Go(func() {
		<-closed
		for failed := int64(0); failed < refusals && !over.Load(); _, failed = j.Recorder.Counted() {
			runtime.Gosched()
		}
		second = listenOn(t, tcp(t, first.addr()), each(always(sized("hello"))))
	})
	// Not by drive, for which the second server would be something left over.
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	_, err := s.open().Drive(ctx, j)
	over.Store(true)
	opened.Wait()
	got := j.Recorder.Finish(j.Now(), ctx.Err() != nil)
	agrees(t, j, got)
	refused := got.Errors[loadresult.Refused]
	unanswered := got.Failed() - refused
	if err != nil || got.Interrupted || got.Answered() != first.answers.Load()+second.answers.Load() || got.Answered()+unanswered != requests || unanswered < 1 || refused < requests {
		t.Errorf("%v; %d requests, status %v, errors %v %q; the servers gave %d and %d answers", err, got.Requests, got.Status, got.Errors, got.Examples, first.answers.Load(), second.answers.Load())
	}
}
