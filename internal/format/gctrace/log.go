package gctrace

import (
	"encoding/binary"
	"iter"
	"time"
)

// Log stores cycles in the order they were added, in some 40 bytes each: a line of text
// has 150, and a Cycle as many.
type Log struct {
	n      int
	pieces [][]byte // of whole cycles
	last   Cycle
}

// A cycle is stored as numbers, the first of them as what differs from the cycle before.
const (
	stored      = 18
	differences = 10

	pieceBytes = 64 << 10
	cycleBytes = stored * binary.MaxVarintLen64 // at most
)

// Len returns the number of cycles.
func (l *Log) Len() int { return l.n }

// Last returns the cycle added last, the zero one of an empty log.
func (l *Log) Last() *Cycle { return &l.last }

// Add appends a cycle.
func (l *Log) Add(c *Cycle) {
	n := len(l.pieces)
	if n == 0 || cap(l.pieces[n-1])-len(l.pieces[n-1]) < cycleBytes {
		size := pieceBytes
		if n == 0 {
			size = 8 * cycleBytes // most logs are short
		}
		l.pieces = append(l.pieces, make([]byte, 0, size))
		n++
	}
	b := l.pieces[n-1]
	var before [stored]int64
	if l.n > 0 {
		before = numbers(&l.last)
	}
	for i, v := range numbers(c) {
		if i < differences {
			v -= before[i]
		}
		b = binary.AppendVarint(b, v)
	}
	l.pieces[n-1] = b
	l.last = *c
	l.n++
}

// All yields the cycles with their places, from 0. A pointer is good until the next one.
func (l *Log) All() iter.Seq2[int, *Cycle] {
	return func(yield func(int, *Cycle) bool) {
		var v [stored]int64
		var c Cycle
		i := 0
		for _, b := range l.pieces {
			for len(b) > 0 {
				for k := range v {
					n, size := binary.Varint(b)
					if b = b[size:]; k < differences {
						n += v[k]
					}
					v[k] = n
				}
				c = cycleOf(&v)
				if !yield(i, &c) {
					return
				}
				i++
			}
		}
	}
}

// numbers returns what a cycle is stored as. All sizes are multiples of 1 MiB, but for those
// that are unknown and a goal that is none.
func numbers(c *Cycle) [stored]int64 {
	forced := int64(0)
	if c.Forced {
		forced = 1
	}
	goal := int64(-1)
	if c.GoalBytes != NoGoal {
		goal = c.GoalBytes >> 20
	}
	return [stored]int64{
		c.N, int64(c.At), int64(c.CPUPercent),
		c.StartBytes >> 20, c.EndBytes >> 20, c.LiveBytes >> 20, goal, c.StackBytes >> 20, c.GlobalBytes >> 20,
		int64(c.Procs)<<1 | forced,
		int64(c.SweepTerm), int64(c.Mark), int64(c.MarkTerm),
		int64(c.SweepTermCPU), int64(c.AssistCPU), int64(c.BackgroundCPU), int64(c.IdleCPU), int64(c.MarkTermCPU),
	}
}

func cycleOf(v *[stored]int64) Cycle {
	size := func(mebibytes int64) int64 {
		if mebibytes < 0 {
			return -1
		}
		return mebibytes << 20
	}
	c := Cycle{
		N: v[0], At: time.Duration(v[1]), CPUPercent: int(v[2]),
		StartBytes: size(v[3]), EndBytes: size(v[4]), LiveBytes: size(v[5]), GoalBytes: size(v[6]), StackBytes: size(v[7]), GlobalBytes: size(v[8]),
		Procs: int(v[9] >> 1), Forced: v[9]&1 != 0,
		SweepTerm: time.Duration(v[10]), Mark: time.Duration(v[11]), MarkTerm: time.Duration(v[12]),
		SweepTermCPU: time.Duration(v[13]), AssistCPU: time.Duration(v[14]), BackgroundCPU: time.Duration(v[15]), IdleCPU: time.Duration(v[16]), MarkTermCPU: time.Duration(v[17]),
	}
	if v[6] < 0 {
		c.GoalBytes = NoGoal
	}
	return c
}
