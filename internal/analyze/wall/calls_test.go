package wall

import (
	"testing"

	"whet/internal/format/exectrace"
)

// TestCalls: of two whole requests the first waits three times at one stack for an
// answer, and once for the rest of it, and the second once; a third, which the trace's
// end cuts, counts for nothing.
func TestCalls(t *testing.T) {
	const (
		answer = "runtime.selectgo<net/http.(*persistConn).roundTrip<net/http.(*Transport).RoundTrip<net/http.(*Client).Do<main.get<" + inMux
		rest   = "runtime.gopark<internal/poll.(*FD).Read<net.(*conn).Read<net/http.(*persistConn).Read<main.get<" + inMux
	)
	s := newScript()
	at := int64(0)
	wait := func(reason, stack string, ns int64) {
		s.to(at, 1, exectrace.Waiting, reason, stack)
		at += ns
		s.to(at, 1, exectrace.Runnable, "", "")
		s.to(at+1, 1, exectrace.Running, "", "")
		at += 10
	}
	wait("network", waits, 100) // the first begins
	for _, ns := range []int64{20, 30, 40} {
		wait("select", answer, ns)
	}
	wait("network", rest, 500)
	s.to(at, 1, exectrace.Syscall, "", respond)
	s.to(at+5, 1, exectrace.Running, "", "")
	at += 10
	wait("network", waits, 100) // the second does
	wait("select", answer, 7)
	s.to(at, 1, exectrace.Syscall, "", respond)
	s.to(at+5, 1, exectrace.Running, "", "")
	at += 10
	wait("network", waits, 100)
	wait("select", answer, 1000)
	g := groupNamed(s.finish(at+100), "main.get")
	if g.Count != 2 || len(g.Calls) != 1 {
		t.Fatalf("%d requests, calls %+v", g.Count, g.Calls)
	}
	c := &g.Calls[0]
	if c.Requests != 2 || c.Count != 4 || c.Ns != 20+30+40+7 {
		t.Errorf("%d waits of %d requests, %d ns", c.Count, c.Requests, c.Ns)
	}
	if len(c.Stack) == 0 || c.Stack[0].Function != "net/http.(*persistConn).roundTrip" && c.Stack[0].Function != "runtime.selectgo" || c.Stack[len(c.Stack)-1].Function != serve {
		t.Errorf("stack %v", c.Stack)
	}
	if g.DownstreamNs != 97+500 {
		t.Errorf("%d ns downstream, the rest of an answer included", g.DownstreamNs)
	}
}
