package gctrace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	ms  = time.Millisecond
	us  = time.Microsecond
	mib = 1 << 20
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		line string
		want Cycle
	}{
		{
			"gc 7 @1.105s 3%: 0.012+1.1+0.004 ms clock, 0.024+0.3/0.9/0+0.009 ms cpu, 5->6->2 MB, 7 MB goal, 1 MB stacks, 0 MB globals, 2 P",
			Cycle{
				N: 7, At: 1105 * ms, CPUPercent: 3,
				SweepTerm: 12 * us, Mark: 1100 * us, MarkTerm: 4 * us,
				SweepTermCPU: 24 * us, AssistCPU: 300 * us, BackgroundCPU: 900 * us, MarkTermCPU: 9 * us,
				StartBytes: 5 * mib, EndBytes: 6 * mib, LiveBytes: 2 * mib, GoalBytes: 7 * mib, StackBytes: mib,
				Procs: 2,
			},
		},
		{ // by force, with long phases, looking for leaks, and on a terminal
			"gc 12 @3600.000s 0% (checking for goroutine leaks): 15+120+10 ms clock, 120+0/240/960+80 ms cpu, 5000->6000->4096 MB, 8192 MB goal, 0 MB stacks, 3 MB globals, 128 P (forced)\r",
			Cycle{
				N: 12, At: time.Hour,
				SweepTerm: 15 * ms, Mark: 120 * ms, MarkTerm: 10 * ms,
				SweepTermCPU: 120 * ms, BackgroundCPU: 240 * ms, IdleCPU: 960 * ms, MarkTermCPU: 80 * ms,
				StartBytes: 5000 * mib, EndBytes: 6000 * mib, LiveBytes: 4 << 30, GoalBytes: 8 << 30, GlobalBytes: 3 * mib,
				Procs: 128, Forced: true,
			},
		},
		{ // collection by growth switched off while the cycle ran, as Go 1.26 printed it
			"gc 15 @0.033s 2%: 0.090+2.6+0.002 ms clock, 0.18+0/0.057/0.050+0.004 ms cpu, 21->30->10 MB, 8532210231537 MB goal, 0 MB stacks, 0 MB globals, 2 P",
			Cycle{
				N: 15, At: 33 * ms, CPUPercent: 2,
				SweepTerm: 90 * us, Mark: 2600 * us, MarkTerm: 2 * us,
				SweepTermCPU: 180 * us, BackgroundCPU: 57 * us, IdleCPU: 50 * us, MarkTermCPU: 4 * us,
				StartBytes: 21 * mib, EndBytes: 30 * mib, LiveBytes: 10 * mib, GoalBytes: NoGoal,
				Procs: 2,
			},
		},
		{ // before Go 1.18
			"gc 1 @0.038s 1%: 0.018+0.82+0.002 ms clock, 0.14+0.31/0.67/0.43+0.019 ms cpu, 4->4->0 MB, 5 MB goal, 8 P",
			Cycle{
				N: 1, At: 38 * ms, CPUPercent: 1,
				SweepTerm: 18 * us, Mark: 820 * us, MarkTerm: 2 * us,
				SweepTermCPU: 140 * us, AssistCPU: 310 * us, BackgroundCPU: 670 * us, IdleCPU: 430 * us, MarkTermCPU: 19 * us,
				StartBytes: 4 * mib, EndBytes: 4 * mib, GoalBytes: 5 * mib, StackBytes: -1, GlobalBytes: -1,
				Procs: 8,
			},
		},
		{ // five phases: 2.0+0.042+3.8 ms of marking, 2.0+0.001+0.36 ms of it in the background
			"gc 7 @0.140s 1%: 0.031+2.0+0.042+3.8+0.16 ms clock, 0.12+2.0+0.001+0.51/0.36/4.0+0.64 ms cpu, 4->5->1 MB, 5 MB goal, 4 P (forced)",
			Cycle{
				N: 7, At: 140 * ms, CPUPercent: 1,
				SweepTerm: 31 * us, Mark: 5842 * us, MarkTerm: 160 * us,
				SweepTermCPU: 120 * us, AssistCPU: 510 * us, BackgroundCPU: 2361 * us, IdleCPU: 4 * ms, MarkTermCPU: 640 * us,
				StartBytes: 4 * mib, EndBytes: 5 * mib, LiveBytes: mib, GoalBytes: 5 * mib, StackBytes: -1, GlobalBytes: -1,
				Procs: 4, Forced: true,
			},
		},
	} {
		got, _, warnings := Parse([]byte(c.line + "\n"))
		if diff := cmp.Diff([]Cycle{c.want}, got); diff != "" || warnings != nil {
			t.Errorf("%s\n%s%v", c.line, diff, warnings)
		}
		if !IsLine([]byte(c.line)) || !IsLine([]byte(c.line+"\n")) {
			t.Errorf("not the runtime's: %s", c.line)
		}
	}
	if c := (Cycle{SweepTerm: 1, Mark: 10, MarkTerm: 100}); c.Pause() != 101 || c.Wall() != 111 {
		t.Errorf("pause %d, wall %d", c.Pause(), c.Wall())
	}
}

const whole = "gc 2 @0.002s 8%: 0.032+0.36+0.13 ms clock, 0.065+0.026/0.098/0+0.26 ms cpu, 2->3->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P"

func TestNotTheRuntimes(t *testing.T) {
	for _, line := range []string{
		"", "gc", "gc 2 @", "gc is running", "scvg", "scvgx: 1 MB released", "scvg: nothing",
		"pacer: 8% CPU (25 exp.) for 4+1 B work",
		whole + " ", whole + "x", whole + " (forced) (forced)", whole[:len(whole)-1],
		strings.Replace(whole, "gc 2 ", "gc 0 ", 1),
		strings.Replace(whole, "gc 2 ", "gc -2 ", 1),
		strings.Replace(whole, "0.002s", ".002s", 1),
		strings.Replace(whole, "0.002s", "0.s", 1),
		strings.Replace(whole, "0.36", "0.3.6", 1),
		strings.Replace(whole, "0.36", "1e3", 1),
		strings.Replace(whole, "gc 2 ", "gc 99999999999999999999 ", 1),
		strings.Replace(whole, "0.002s", "9999999999999s", 1),
		strings.Replace(whole, "4 MB goal", "4 MB\x00goal", 1),
		strings.Replace(whole, "4 MB goal", "17592186044417 MB goal", 1),
		strings.Replace(whole, "0.36", "0.3"+strings.Repeat("6", 2000), 1),
		strings.Replace(whole, "0.36", "0.36+0.1", 1), // four phases
		"init x @0.003 ms, 0 ms clock, 0 bytes", "init @0.003 ms, 0 ms clock, 0 bytes, 0 allocs", "init: 0 allocs", "init x @-1 ms, 0 ms clock, 0 bytes, 0 allocs",
	} {
		if IsLine([]byte(line)) {
			t.Errorf("taken for the runtime's: %.200q", line)
		}
		if cycles, _, _ := Parse([]byte(line)); len(cycles) != 0 {
			t.Errorf("cycles in %.200q: %+v", line, cycles)
		}
	}
	for _, line := range []string{
		"scvg: 8 MB released", "scvg3: 0 MB released\n",
		"scvg12: inuse: 3, idle: 59, sys: 63, released: 57, consumed: 5 (MB)",
		"init crypto/internal/fips140/sha256 @0.43 ms, 0.062 ms clock, 112 bytes, 2 allocs\n",
	} {
		if !IsLine([]byte(line)) {
			t.Errorf("not taken for the runtime's: %q", line)
		}
	}
}

// Other output between and within lines costs the cycles it cuts up, and no
// others; what is missing is reported.
func TestInterleaved(t *testing.T) {
	line := func(n int) string {
		return strings.NewReplacer("gc 2 ", fmt.Sprintf("gc %d ", n), "0.002s", fmt.Sprintf("0.%03ds", n)).Replace(whole) + "\n"
	}
	text := "start\n" + line(1) + "panic: \x00\xff\n\n" + line(2) +
		line(3)[:30] + "log of the program\n" + line(3)[30:] + // cut up
		line(4) + "unfinished " + line(5) + // after other output
		line(6) + line(2) + line(3) + // another process
		line(7)[:20]
	cycles, _, warnings := Parse([]byte(text))
	var got []int64
	for _, c := range cycles {
		got = append(got, c.N)
	}
	if diff := cmp.Diff([]int64{1, 2, 4, 5, 6, 2, 3}, got); diff != "" {
		t.Error(diff)
	}
	// Lines: 1 start, 2 gc 1, 3 and 4 the panic, 5 gc 2, 6 the first half of
	// gc 3, 7 the second, 8 gc 4, 9 gc 5 after other output, 10 gc 6, 11 gc 2
	// again, 12 gc 3, 13 the first half of gc 7.
	want := []string{
		"gctrace: cycles with damaged or cut-off lines are missing: 2, the first at line 6",
		"gctrace: cycles with lines broken up by other output are missing: 1",
		"gctrace: 2 processes print to the stream: the program was restarted, or its children print too; the second process starts at line 11",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
}

// figures are what testdata/program says of its own run.
type figures struct {
	Cycles    int64           `json:"cycles"`
	MemCycles int64           `json:"mem_cycles"`
	Forced    int             `json:"forced"`
	Pauses    []time.Duration `json:"pauses_ns"` // the last one first
	Procs     int             `json:"procs"`
	Kept      int64           `json:"kept_bytes"`
}

// agree compares the cycles with what runtime/debug and runtime.MemStats count
// of the same run.
func agree(t *testing.T, stderr, stdout []byte) {
	t.Helper()
	var want figures
	if err := json.Unmarshal(stdout, &want); err != nil {
		t.Fatal(err)
	}
	cycles, _, warnings := Parse(stderr)
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	if int64(len(cycles)) != want.Cycles || want.Cycles != want.MemCycles || want.Forced != 3 {
		t.Fatalf("%d cycles, the runtime counted %d and %d", len(cycles), want.Cycles, want.MemCycles)
	}
	forced, close := 0, 0
	for i, c := range cycles {
		if c.Forced {
			forced++
		}
		if c.N != int64(i+1) || c.Procs != want.Procs {
			t.Errorf("cycle %d: %+v", i, c)
		}
		if i > 0 && c.At < cycles[i-1].At {
			t.Errorf("cycle %d at %v, the one before at %v", c.N, c.At, cycles[i-1].At)
		}
		// Each of the two pauses is printed with two digits, rounded down, so
		// the sum is low by less than a tenth and 2 µs.
		if p, q := c.Pause(), want.Pauses[len(cycles)-1-i]; q >= p-2*us && q <= p+p/10+2*us {
			close++
		}
	}
	if forced != want.Forced || !cycles[len(cycles)-1].Forced {
		t.Errorf("%d forced, the runtime counted %d", forced, want.Forced)
	}
	// The line's clock starts just before the world is asked to stop, so that a
	// thread that loses its processor there differs; rarely.
	if close < len(cycles)*8/10 {
		t.Errorf("%d of %d pauses are those of ReadGCStats", close, len(cycles))
	}
	// After a forced collection all that lives is what is kept and little else.
	if live := cycles[len(cycles)-1].LiveBytes; live < want.Kept-mib || live > want.Kept+2*mib {
		t.Errorf("%d bytes live, %d are kept", live, want.Kept)
	}
}

func TestFixture(t *testing.T) {
	stderr, err := os.ReadFile("testdata/go1.26.stderr")
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := os.ReadFile("testdata/go1.26.json")
	if err != nil {
		t.Fatal(err)
	}
	agree(t, stderr, stdout)
	// What is left for the user's eyes is what the program printed itself.
	var rest []byte
	for line := range bytes.Lines(stderr) {
		if !IsLine(line) {
			rest = append(rest, line...)
		}
	}
	if want := strings.Repeat("log: 1000 more, gc 1 @0.5s is no cycle here\n", 4); string(rest) != want {
		t.Errorf("left over: %q", rest)
	}
}

// The Go release in use still prints what is understood here.
func TestChild(t *testing.T) {
	if testing.Short() {
		t.Skip("works through large inputs")
	}
	program := filepath.Join(t.TempDir(), "program.exe")
	build := exec.Command("go", "build", "-o", program, "./testdata/program")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1", "GOGC=100", "GOMEMLIMIT=off")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	agree(t, stderr.Bytes(), stdout.Bytes())
}

// Every beginning of a line is one, with and without what only some have; with
// anything else after it, it is none.
func TestBegins(t *testing.T) {
	for _, line := range []string{whole, whole + " (forced)", strings.Replace(whole, "%: ", "% (checking for goroutine leaks): ", 1)} {
		for i := range line {
			if !Begins([]byte(line[:i])) {
				t.Errorf("not a beginning: %q", line[:i])
			}
			if i > 0 && (Begins([]byte(line[:i]+"x")) || Begins([]byte(line[:i]+"\n")) && line[i:] != " (forced)") {
				t.Errorf("a beginning, with more after it: %q", line[:i])
			}
		}
		if !Begins([]byte(line)) || !Begins([]byte(line+"\n")) || Begins([]byte(line+"\n\n")) {
			t.Errorf("the whole of %q", line)
		}
	}
}
