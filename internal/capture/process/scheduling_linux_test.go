package process

import (
	"context"
	"testing"
	"time"
)

// A look each: two threads, one of which has ended by the second; the first look
// met a child. 30 + 5 ms of CPU time, 60 + 1 ms of delay, and half of the time
// with a child.
func TestScheduling(t *testing.T) {
	start := time.Now()
	second, release := make(chan struct{}), make(chan struct{})
	n := 0
	w := startWatch(1, start, func(_ int, threads map[int]threadTimes) (children, ok bool) {
		n++
		switch n {
		case 1:
			threads[1], threads[2] = threadTimes{10e6, 20e6}, threadTimes{5e6, 1e6}
			return true, true
		case 2:
			threads[1] = threadTimes{30e6, 60e6}
			close(second)
			<-release
			return false, true
		}
		return false, false
	})
	<-second
	close(release)
	s := w.end()
	if s == nil || s.CPU != 35*time.Millisecond || s.RunDelay != 61*time.Millisecond || s.Children != s.Wall/2 || s.Wall <= 0 {
		t.Errorf("%+v", s)
	}
	if s := startWatch(1, start, func(int, map[int]threadTimes) (bool, bool) { return false, false }).end(); s != nil {
		t.Errorf("nothing was seen: %+v", s)
	}
}

// A shell that waits for another process: nearly no CPU time of its own, and a
// child from the first look to the last.
func TestSchedulingOfChildren(t *testing.T) {
	if _, _, ok := parseSchedstat([]byte("877506 308730 17\n")); !ok {
		t.Fatal("a line of the kernel's is not read")
	}
	res, err := Run(context.Background(), Command{Path: "sh", Args: []string{"-c", "sleep 0.7; exit 0"}, Scheduling: true})
	if err != nil || !res.OK() {
		t.Fatal(res, err)
	}
	s := res.Scheduling
	if s == nil {
		t.Skip("this kernel has no schedstat")
	}
	if s.Children < s.Wall/2 || s.CPU > s.Wall/2 || s.Wall > res.End.Sub(res.Start) {
		t.Errorf("%+v of %v", *s, res.End.Sub(res.Start))
	}
	if res, err = Run(context.Background(), Command{Path: "true"}); err != nil || res.Scheduling != nil {
		t.Errorf("unasked: %+v, %v", res, err)
	}
}
