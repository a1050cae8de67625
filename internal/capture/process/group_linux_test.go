package process

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// firstLine tells the first line that a command prints.
type firstLine struct {
	got  []byte
	line chan string
}

func newFirstLine() *firstLine { return &firstLine{line: make(chan string, 1)} }

func (f *firstLine) Write(p []byte) (int, error) {
	whole := bytes.IndexByte(f.got, '\n') >= 0
	f.got = append(f.got, p...)
	if i := bytes.IndexByte(f.got, '\n'); i >= 0 && !whole {
		f.line <- string(f.got[:i])
	}
	return len(p), nil
}

// The CPU time of a group is that of its leader, of a worker that stands and of
// one that was waited for; the workers say themselves what they used.
func TestGroupCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	c := command("workers")
	out := newFirstLine()
	c.Stdout = out
	r, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Stop()
	select {
	case <-out.line:
	case <-r.Done():
		t.Fatalf("it ended: %+v", r.Stop())
	}
	pids, ok := Members(r.PID())
	if !ok || len(pids) != 2 || !slices.Contains(pids, r.PID()) {
		t.Errorf("members %v, %v; want the leader %d and a worker", pids, ok, r.PID())
	}
	used, ok := GroupCPU(r.PID())
	// The one that ended counts by 10 ms, rounded down, for user and system.
	if !ok || used < 2*burnt-2*tick {
		t.Errorf("%v used by two workers of %v", used, burnt)
	}
	if again, ok := GroupCPU(r.PID()); !ok || again < used {
		t.Errorf("%v, then %v", used, again)
	}
	res := r.Stop()
	if !r.Ended() || res.Ending != Cancelled || res.Signal != "terminated" {
		t.Errorf("%+v", res)
	}
	// A second source: what the kernel sums over the leader and what it waited
	// for, and the worker that stood was not waited for.
	if kernel := res.UserCPU + res.SystemCPU; used < kernel+burnt-10*tick || used > kernel+burnt+burnt {
		t.Errorf("%v used with the standing worker, the kernel has %v without it", used, kernel)
	}
	// Who is killed goes when the kernel gets to it.
	for killed := time.Now(); ; runtime.Gosched() {
		pids, ok := Members(r.PID())
		if !ok || len(pids) != 0 && time.Since(killed) > 2*time.Minute {
			t.Fatalf("members %v, %v after the end", pids, ok)
		}
		if len(pids) == 0 {
			break
		}
	}
	if used, ok := GroupCPU(1<<22 + 1); ok { // larger than any process id
		t.Errorf("%v used by a group that there is not", used)
	}
}

// Ended comes while the group is still there, and before what is left is
// killed; Exited is then past.
func TestEnded(t *testing.T) {
	for _, tt := range []struct {
		act  string
		left int
	}{{"print", 0}, {"orphan", 1}} {
		c := command(tt.act, filepath.Join(t.TempDir(), "pid"))
		left := -1
		c.Ended = func(pid int) {
			pids, _ := Members(pid)
			left = len(pids)
		}
		res := run(t, t.Context(), c)
		if left != tt.left || res.Exited.Before(res.Start) || res.Exited.After(res.End) {
			t.Errorf("%s: %d left, %+v", tt.act, left, res)
		}
	}
	// It is not called of a command that was ended.
	c := command("hang")
	c.Timeout = 10 * time.Millisecond
	c.Ended = func(int) { t.Error("Ended was called of a command that was stopped") }
	run(t, t.Context(), c)
}

func TestStartFails(t *testing.T) {
	if r, err := Start(Command{Path: "/no/such/program"}); err == nil || r != nil || !NotFound(err) {
		t.Errorf("%v, %v", r, err)
	}
	r, err := Start(command("print"))
	if err != nil {
		t.Fatal(err)
	}
	<-r.Done()
	if res := r.Stop(); !res.OK() || !r.Ended() {
		t.Errorf("%+v", res)
	}
}

// The lines are those of proc_pid_stat(5): state, ppid and pgrp are fields 3 to
// 5, cutime and cstime fields 16 and 17.
func TestParseStat(t *testing.T) {
	line := "31 (a) b) (c) S 1 17 17 0 -1 4194560 100 200 0 0 11 12 13 14 20 0 1 0 12345 0 0\n"
	s, ok := parseStat([]byte(line))
	if want := (stat{pid: 31, group: 17, state: 'S', children: 270 * time.Millisecond}); !ok || s != want {
		t.Errorf("%+v %v, want %+v", s, ok, want)
	}
	for _, bad := range []string{"", "31", "31 (a", "x (a) S 1 17", "31 (a) S 1 17", strings.Replace(line, " 13 ", " -13 ", 1), strings.Replace(line, " 17 17 ", " q 17 ", 1), strings.Replace(line, " S ", " SS ", 1)} {
		if s, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q: %+v", bad, s)
		}
	}
	// Our own line, against what the system says otherwise.
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := parseStat(text); !ok || s.pid != os.Getpid() || s.group != syscall.Getpgrp() {
		t.Errorf("%+v, %v", s, ok)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("31 (a) b) (c) S 1 17 17 0 -1 4194560 100 200 0 0 11 12 13 14 20\n"), "name")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		s, ok := parseStat(text)
		if !ok {
			return
		}
		if s.pid < 1 || s.children < 0 {
			t.Errorf("%+v", s)
		}
		// A name hides nothing, whatever it holds.
		open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
		renamed := slices.Concat(text[:open+1], []byte(strings.ReplaceAll(name, "\x00", "")), text[end:])
		if again, ok := parseStat(renamed); !ok || again != s {
			t.Errorf("%q: %+v, %v; with another name %+v", text, s, ok, again)
		}
	})
}
