package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"whet/internal/analyze/compare"
	"whet/internal/capture/process"
	"whet/internal/prove"
	"whet/internal/prove/rounds"
	"whet/internal/quantity"
)

// maxOutput is how much a run may print.
const maxOutput = 1 << 30

// runner runs the two commands.
type runner struct {
	o    *Options
	argv [2][]string
	runs int // in a slice
}

// Prepare does nothing: commands need no preparation.
func (r *runner) Prepare(context.Context, int, uint64, []int) error { return nil }

// Slice runs one side and gives means over its runs; of the peak memory, the
// largest.
func (r *runner) Slice(ctx context.Context, q rounds.SliceRequest) (compare.Slice, error) {
	var wall, cpu time.Duration
	var peak int64
	known := true
	for range r.runs {
		m, err := r.once(ctx, q.Side, false)
		if err != nil {
			return nil, err
		}
		wall, cpu, peak, known = wall+m.wall, cpu+m.cpu, max(peak, m.peak), known && m.peak > 0
	}
	s := compare.Slice{compare.WallNs: float64(wall) / float64(r.runs), compare.CPUNs: float64(cpu) / float64(r.runs)}
	if known {
		s[compare.PeakBytes] = float64(peak)
	}
	return s, nil
}

// run is a run that ended well.
type run struct {
	wall   time.Duration // from before the start until the program had ended
	took   time.Duration // including the cleanup after it
	cpu    time.Duration
	peak   int64  // 0: unknown
	stdout int64  // bytes, where they were digested
	sha256 string // of stdout, where it was asked for
}

// once runs one side to its end.
func (r *runner) once(ctx context.Context, side compare.Side, digest bool) (run, error) {
	c, printed := r.o.Command(side, r.argv[side])
	c.MaxOutput, c.Timeout = maxOutput, r.o.Timeout
	hash, stdout := sha256.New(), &counter{}
	if digest {
		c.Stdout = io.MultiWriter(hash, stdout, c.Stdout)
	}
	left := 0
	c.Ended = func(pid int) {
		pids, _ := process.Members(pid)
		left = len(pids)
	}
	res, err := process.Run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return run{}, ctx.Err()
	case err != nil:
		return run{}, prove.NotStarted(c.Path, err)
	case res.Ending == process.TimedOut:
		return run{}, fmt.Errorf("command stopped after %v: raise -timeout%s", r.o.Timeout, printed.LastWords())
	case res.Ending == process.Flooded:
		return run{}, fmt.Errorf("command stopped after printing more than %s: redirect its output to a file or to the null device", quantity.Bytes(maxOutput))
	case !res.OK():
		return run{}, fmt.Errorf("%s%s", res.Status(), printed.LastWords())
	case left > 0:
		return run{}, fmt.Errorf("command exited with %s still running; their work is not counted: make it wait for its children", quantity.Plural(left, "process"))
	case res.End.Sub(res.Exited) >= held:
		return run{}, errors.New("command exited while a child held its output open; the child's work is not counted: make it wait for its children")
	}
	m := run{wall: res.Exited.Sub(res.Start), took: res.End.Sub(res.Start), cpu: res.UserCPU + res.SystemCPU, peak: res.MaxRSSBytes}
	if digest {
		m.stdout, m.sha256 = stdout.n, hex.EncodeToString(hash.Sum(nil))
	}
	return m, nil
}

// held is how long the pipes stay open after a command only where somebody
// holds them.
const held = 2 * time.Second

// counter counts the bytes written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
