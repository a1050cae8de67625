package app

import (
	"bytes"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"whet/internal/cli"
)

// TestLeavesOfADump: in the text of debug=1 the runtime's own frames have no
// names. The program has them; without it they stay unknown, and it is reported
// what would name them. pprof knows none of the names there.
func TestLeavesOfADump(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	for range 3 {
		go func() { <-stop }()
	}
	for !waiting(t, 3) {
		runtime.Gosched()
	}
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	dump := file(t, "goroutine.txt", b.String())
	const function, hint = "app.TestLeavesOfADump", "give the profile's program"
	out, errs, code := whet(t, "", "top", "-cum", "-nodefraction=0", dump)
	if code != cli.ExitDone || !strings.Contains(out, "<unknown>") || !strings.Contains(out, function) || !strings.Contains(out+errs, hint) {
		t.Errorf("the dump alone: exit code %d, %s%s", code, errs, out)
	}
	out, errs, code = whet(t, "", "top", "-cum", "-nodefraction=0", self, dump)
	if code != cli.ExitDone || strings.Contains(out, "<unknown>") || !strings.Contains(out, "runtime.gopark") || !strings.Contains(out, function) || strings.Contains(out+errs, hint) {
		t.Errorf("with the program: exit code %d, %s%s", code, errs, out)
	}
}

// waiting reports whether so many of the test's goroutines have come to their
// receive: before, the runtime's frames of it are on no stack.
func waiting(t *testing.T, want int) bool {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
		t.Fatal(err)
	}
	n := 0
	for one := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(one, "[chan receive") && strings.Contains(one, "TestLeavesOfADump.func1") {
			n++
		}
	}
	return n >= want
}
