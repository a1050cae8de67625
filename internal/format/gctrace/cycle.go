package gctrace

import (
	"math"
	"time"
)

// NoGoal is the goal of a heap that may grow without a collection: GOGC=off and
// no memory limit.
const NoGoal = math.MaxInt64

// Cycle is a collection.
type Cycle struct {
	N  int64         // counted from 1 by the runtime
	At time.Duration // its beginning, since the runtime started; to 1 ms
	// CPUPercent is the collector's share of CPU time since the start of the
	// program, a whole number as printed: 3 is 3 % to less than 4 %.
	CPUPercent int

	// Wall time of the phases, one after the other: stopping the world to end
	// sweeping, marking while the program runs, stopping the world to end
	// marking. Go 1.5 scans and synchronizes before it marks: here that is marking.
	SweepTerm, Mark, MarkTerm time.Duration
	// CPU time of the phases. That of marking is split: AssistCPU was done by
	// goroutines that allocate, BackgroundCPU by workers, IdleCPU by
	// processors that had nothing else to do.
	SweepTermCPU, AssistCPU, BackgroundCPU, IdleCPU, MarkTermCPU time.Duration

	// Sizes in bytes, multiples of 1 MiB.
	StartBytes int64 // heap when the cycle began
	EndBytes   int64 // heap when marking ended
	LiveBytes  int64 // of it reachable
	GoalBytes  int64 // heap at which the cycle was to end, or NoGoal
	// The scannable size of stacks and globals; -1 before Go 1.18, which does not print
	// it.
	StackBytes, GlobalBytes int64

	Procs  int  // GOMAXPROCS
	Forced bool // the program called runtime.GC or debug.FreeOSMemory
}

// Pause returns the time that the program was stopped in both pauses together.
func (c *Cycle) Pause() time.Duration { return c.SweepTerm + c.MarkTerm }

// Wall returns the time from the cycle's beginning to its end.
func (c *Cycle) Wall() time.Duration { return c.SweepTerm + c.Mark + c.MarkTerm }

// CPU returns the time that the collector took from the program: all CPU time of the
// cycle but that of idle processors.
func (c *Cycle) CPU() time.Duration {
	return c.SweepTermCPU + c.AssistCPU + c.BackgroundCPU + c.MarkTermCPU
}

// Init is the initialization of one package, as printed by GODEBUG=inittrace=1.
type Init struct {
	Package string
	At      time.Duration // its beginning, since the runtime started
	Wall    time.Duration // how long it took
	Bytes   int64         // allocated on the heap
	Allocs  int64
}
