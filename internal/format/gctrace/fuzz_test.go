package gctrace

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// print writes a cycle with all the digits it has.
func (c *Cycle) print() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%d.%06d", d/1e6, d%1e6) }
	s := fmt.Sprintf("gc %d @%d.%09ds %d%%: %s+%s+%s ms clock, %s+%s/%s/%s+%s ms cpu, %d->%d->%d MB, %d MB goal, ",
		c.N, c.At/1e9, c.At%1e9, c.CPUPercent, ms(c.SweepTerm), ms(c.Mark), ms(c.MarkTerm),
		ms(c.SweepTermCPU), ms(c.AssistCPU), ms(c.BackgroundCPU), ms(c.IdleCPU), ms(c.MarkTermCPU),
		c.StartBytes>>20, c.EndBytes>>20, c.LiveBytes>>20, c.GoalBytes>>20)
	if c.StackBytes >= 0 {
		s += fmt.Sprintf("%d MB stacks, %d MB globals, ", c.StackBytes>>20, c.GlobalBytes>>20)
	}
	s += fmt.Sprintf("%d P", c.Procs)
	if c.Forced {
		s += " (forced)"
	}
	return s + "\n"
}

// Whatever comes: each line is counted once, by kind; the cycles of the processes are
// those of the lines; no number is negative; and printing the cycles and reading them
// again gives the same, whatever lines of others are between them.
func FuzzParse(f *testing.F) {
	fixture, err := os.ReadFile("testdata/go1.26.stderr")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fixture)
	f.Add([]byte(whole))
	f.Add([]byte("\x1b[1m" + whole + "\x1b[m\ngc1(1): 0+0 us\nSCHED 0ms:\npacer: \ninit a @1 ms, 0.5 ms clock, 7 bytes, 1 allocs\n"))
	f.Add([]byte("gc 7 @0.140s 1%: 0.031+2.0+0.042+3.8+0.16 ms clock, 0.12+2.0+0+0.51/0.36/4.0+0.64 ms cpu, 4->5->1 MB, 5 MB goal, 4 P\n"))
	f.Add(bytes.Replace([]byte(whole), []byte("4 MB goal"), []byte("17592186044415 MB goal"), 1))
	f.Add([]byte(whole + " (forced)\r\n" + whole[:40] + "\n" + whole))
	f.Add([]byte("gc 1 @0.038s 1%: 0.018+0.82+0.002 ms clock, 0.14+0.31/0.67/0.43+0.019 ms cpu, 4->4->0 MB, 5 MB goal, 8 P\nscvg: 8 MB released\n"))
	f.Add([]byte("gc 1000000000000 @1000000000.999999999999s 0%: 1000000000000.9+0+0 ms clock, 0+0/0/0+0 ms cpu, 1000000000000->0->0 MB, 0 MB goal, 0 P"))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		n := trace.Counts
		if n.Cycles+n.Inits+n.Scheduler+n.Pacer+n.Scavenger+n.Ancient+n.Cut+n.Others != n.Lines {
			t.Fatalf("kinds do not sum to the lines: %+v", n)
		}
		if lines := int64(len(slices.Collect(bytes.Lines(data)))); lines != n.Lines {
			t.Fatalf("%d lines, counted %d", lines, n.Lines)
		}
		cycles, _, warnings := Parse(data)
		if len(warnings) > 5 || int64(len(cycles)) != trace.Cycles() || trace.Cycles()+trace.Dropped != n.Cycles {
			t.Fatalf("%d cycles, %+v, %q", len(cycles), n, warnings)
		}
		var packed Log
		for i := range cycles {
			packed.Add(&cycles[i])
		}
		for i, c := range packed.All() {
			if *c != cycles[i] {
				t.Fatalf("%+v packed, %+v unpacked", cycles[i], *c)
			}
		}
		if packed.Len() != len(cycles) {
			t.Fatalf("%d cycles packed, %d unpacked", len(cycles), packed.Len())
		}
		var printed []byte
		for i := range cycles {
			c := &cycles[i]
			for _, n := range []int64{int64(c.At), int64(c.SweepTerm), int64(c.Mark), int64(c.MarkTerm), int64(c.SweepTermCPU), int64(c.AssistCPU),
				int64(c.BackgroundCPU), int64(c.IdleCPU), int64(c.MarkTermCPU), c.StartBytes, c.EndBytes, c.LiveBytes, c.GoalBytes, int64(c.Procs), c.N - 1} {
				if n < 0 {
					t.Fatalf("negative: %+v", c)
				}
			}
			printed = append(printed, c.print()...)
			printed = append(printed, "2026/11/20 a line of the program\n"...)
		}
		again, _, _ := Parse(printed)
		if len(again) != len(cycles) {
			t.Fatalf("%d cycles printed, %d read", len(cycles), len(again))
		}
		for i := range again {
			if again[i] != cycles[i] {
				t.Fatalf("%+v printed, %+v read", cycles[i], again[i])
			}
		}
	})
}
