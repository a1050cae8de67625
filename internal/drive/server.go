package drive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"whet/internal/capture/process"
	"whet/internal/cli"
	"whet/internal/load"
)

const (
	serverReady = 30 * time.Second // to wait for its first answer
	serverGrace = 5 * time.Second  // to end by itself
	serverWords = 16 << 10         // of what it printed, in case it fails
)

// startServer starts the command after --, if there is one, and waits until it
// answers. stop ends it with all that it started.
func (p *loadPlan) startServer(ctx context.Context) (stop func(), err error) {
	if len(p.server) == 0 {
		return func() {}, nil
	}
	if st, err := os.Stat(p.server[0]); err == nil && st.IsDir() {
		return nil, cli.UsageError("load: %s is a directory: build the server first (whet tune builds it)", p.server[0])
	}
	printed := process.NewBounded(serverWords, serverWords)
	r, err := process.Start(process.Command{Path: p.server[0], Args: p.server[1:], Grace: serverGrace, Stdout: printed, Stderr: printed})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.server[0], err)
	}
	waiting, stop := r.While(ctx)
	defer stop()
	err = load.Ready(waiting, p.options, serverReady, nil)
	switch {
	case err == nil:
		return func() { r.Stop() }, nil
	case r.Ended() && ctx.Err() == nil:
		said := process.LastWords(printed.Bytes())
		if said != "" {
			said = ": " + said
		}
		return nil, errors.New("the server " + r.Early(said))
	}
	r.Stop()
	return nil, err
}
