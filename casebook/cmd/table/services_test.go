package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A server and the generator: each has a processor to itself where there are
// two, and ends. The one that starts them keeps its own.
func TestServices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	t.Setenv(asServer, "500")
	l := newServices("avatar", os.Args[0])
	if runtime.GOOS == "linux" && (len(processors()) > 1) != l.pinned {
		t.Errorf("pinned is %t with processors %v", l.pinned, processors())
	}
	l.connections = 4
	before := len(processors())
	s, err := l.serve(t.Context(), constantStage)
	if err != nil {
		t.Fatal(err)
	}
	if l.pinned {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
		if err != nil || !regexp.MustCompile(fmt.Sprintf(`(?m)^Cpus_allowed_list:\s*%d$`, l.server)).Match(text) {
			t.Errorf("the server is not on processor %d: %v\n%s", l.server, err, text)
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	got, err := l.drive(t.Context(), constantStage, 0, 300*time.Millisecond)
	if err != nil || got.Bytes != 500*got.Completed || got.Completed == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if after := len(processors()); after != before {
		t.Errorf("%d processors are left of %d", after, before)
	}
	const shared = "share their processors"
	if said := strings.Join(l.warnings(), " "); strings.Contains(said, shared) == l.pinned {
		t.Errorf("pinned is %t: %q", l.pinned, said)
	}
	l.pinned = false
	if said := strings.Join(l.warnings(), " "); !strings.Contains(said, shared) {
		t.Errorf("%q", said)
	}
}

// A server that does not stand, or prints something else than its address, is
// an error that says what it said.
func TestNoServer(t *testing.T) {
	l := newServices("avatar", "/no/such/program")
	if _, err := l.drive(t.Context(), "best", 0, time.Millisecond); err == nil || !strings.HasPrefix(err.Error(), "start stage best: ") {
		t.Error(err)
	}
	l.program = os.Args[0]
	t.Setenv(asProgram, "1") // it refuses its arguments
	if _, err := l.serve(t.Context(), "best"); err == nil || !strings.Contains(err.Error(), "EOF") || !strings.Contains(err.Error(), "flag provided but not defined: -stage") {
		t.Error(err)
	}
	t.Setenv(asServer, "many")
	if _, err := l.serve(t.Context(), "best"); err == nil || !strings.Contains(err.Error(), `it printed "this is no address\n" and no address`) {
		t.Error(err)
	}
}
