package app

import (
	"bytes"
	"os"
	"runtime/pprof"
	"strings"
	"testing"

	"whet/internal/cli"
)

// TestLeavesOfADump: in the text of debug=1 the runtime's own frames have no
// names. The program has them; without it they stay unknown, and it is said
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
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	dump := file(t, "goroutine.txt", b.String())
	const function, hint = "app.TestLeavesOfADump", "name the program"
	out, errs, code := whet(t, "", "top", "-cum", "-nodefraction=0", dump)
	if code != cli.ExitDone || !strings.Contains(out, "<unknown>") || !strings.Contains(out, function) || !strings.Contains(out+errs, hint) {
		t.Errorf("the dump alone: exit code %d, %s%s", code, errs, out)
	}
	out, errs, code = whet(t, "", "top", "-cum", "-nodefraction=0", self, dump)
	if code != cli.ExitDone || strings.Contains(out, "<unknown>") || !strings.Contains(out, "runtime.gopark") || !strings.Contains(out, function) || strings.Contains(out+errs, hint) {
		t.Errorf("with the program: exit code %d, %s%s", code, errs, out)
	}
}
