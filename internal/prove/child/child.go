package child

import (
	"context"

	"whet/internal/capture/process"
	"whet/internal/gobench"
)

// Commands, and what became of them.
type (
	Command = process.Command
	Result  = process.Result
	Running = process.Running
)

// Test binaries, and runs of their benchmarks.
type (
	Binary = gobench.Binary
	Target = gobench.Target
	Bench  = gobench.Run
)

// The endings of a command that has not ended by itself.
const (
	Cancelled = process.Cancelled
	TimedOut  = process.TimedOut
	Flooded   = process.Flooded
)

// Run runs a command to its end.
func Run(ctx context.Context, c Command) (*Result, error) { return process.Run(ctx, c) }

// Start starts a command and returns once it runs.
func Start(c Command) (*Running, error) { return process.Start(c) }
