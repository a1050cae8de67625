package collector

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"strings"
	"testing"

	"whet/internal/cli"
)

// growingLog is a log whose program still runs: after its text the user interrupts.
type growingLog struct {
	text io.Reader
	stop context.CancelFunc
	done <-chan struct{}
}

func (g growingLog) Read(p []byte) (int, error) {
	n, err := g.text.Read(p)
	if err != nil {
		g.stop()
		<-g.done
	}
	return n, err
}

// When the user interrupts reading from a pipe, the result covers the log so far.
func TestInterruptedLog(t *testing.T) {
	const cycle = "gc 1 @0.004s 2%: 0.037+0.29+0.068 ms clock, 0.074+0.069/0.050/0.055+0.13 ms cpu, 3->3->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
	for text, want := range map[string]string{cycle: "1 cycle: too few", "other\n": ""} {
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		var stdout bytes.Buffer
		e := cli.NewEnv(nil, growingLog{strings.NewReader(text), stop, done}, &stdout, io.Discard)
		err := Command().Setup(flag.NewFlagSet("gc", flag.ContinueOnError))(ctx, e, []string{"-"})
		close(done)
		if e, ok := errors.AsType[*cli.ExitError](err); want != "" && (!ok || e.Code != cli.ExitInterrupted) || want == "" && !errors.Is(err, context.Canceled) {
			t.Errorf("%q ends with %v", text, err)
		}
		if got := stdout.String(); !strings.Contains(got, want) || want == "" && got != "" || strings.Contains(got, "stands before") {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
