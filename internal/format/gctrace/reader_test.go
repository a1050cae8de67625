package gctrace

import (
	"bytes"
	std "cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, text string) *Trace {
	t.Helper()
	trace, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// isCycle is a second reader of cycles' lines.
var isCycle = regexp.MustCompile(`(?m)^gc \d+ @[\d.]+s \d+%: [\d.]+\+[\d.]+\+[\d.]+ ms clock, [\d.]+\+[\d.]+/[\d.]+/[\d.]+\+[\d.]+ ms cpu, \d+->\d+->\d+ MB, \d+ MB goal, \d+ MB stacks, \d+ MB globals, \d+ P( \(forced\))?$`)

// Every line of the logs is of a kind, and every cycle is found, also among the lines
// of others.
func TestLogs(t *testing.T) {
	all := int64(0)
	for _, test := range []struct {
		file string
		want Counts
	}{
		{"esbulk_leaky.gctrace.log", Counts{Lines: 9, Cycles: 9}},
		{"esbulk_readall.gctrace.log", Counts{Lines: 500, Cycles: 500}},
		{"havlak1.gctrace+schedtrace.log", Counts{Lines: 129, Cycles: 77, Scheduler: 52}},
		{"havlak1.gctrace.log", Counts{Lines: 78, Cycles: 78}},
		{"havlak3.gctrace+pacer.log", Counts{Lines: 260, Cycles: 65, Pacer: 195}},
		{"havlak3.gctrace.log", Counts{Lines: 63, Cycles: 63}},
		{"havlak6.gctrace.log", Counts{Lines: 8, Cycles: 8}},
		{"havlak6.gogc20.memlimit60.log", Counts{Lines: 26, Cycles: 26}},
		{"httpsrv.gctrace+inittrace.log", Counts{Lines: 890, Cycles: 809, Inits: 81}},
	} {
		data := log(t, test.file)
		trace := read(t, string(data))
		if diff := cmp.Diff(test.want, trace.Counts, cmp.AllowUnexported(Counts{})); diff != "" {
			t.Errorf("%s: %s", test.file, diff)
		}
		if n := len(isCycle.FindAll(data, -1)); int64(n) != trace.Counts.Cycles {
			t.Errorf("%s: %d cycles, the expression finds %d", test.file, trace.Counts.Cycles, n)
		}
		if w := trace.Warnings(); len(trace.Processes) != 1 || w != nil {
			t.Errorf("%s: %d processes, %q", test.file, len(trace.Processes), w)
		}
		all += trace.Cycles()
	}
	if all != 1635 {
		t.Errorf("%d cycles of 1635", all)
	}
}

func log(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/logs", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Colours, the stamps of a collector of logs, ends of lines as on Windows, and lines
// longer than any buffer take nothing from a cycle.
func TestAround(t *testing.T) {
	const init = "init net/http @1.5 ms, 0.059 ms clock, 4800 bytes, 33 allocs"
	plain := read(t, init+"\n"+whole+"\n")
	for _, text := range []string{
		"\x1b[2m" + init + "\x1b[m\n\x1b[36m" + whole[:20] + "\x1b[0;1m" + whole[20:] + "\x1b[0m\n",
		"Nov 27 16:00:00 host app[12]: " + init + "\n2026-11-27T16:00:00.000000000Z stderr F " + whole + "\n",
		init + "\r\n" + whole + "\r\n",
		strings.Repeat("x", 300_000) + init + "\n" + strings.Repeat("y", 65_536) + whole,
	} {
		trace := read(t, text)
		if len(trace.Processes) != 1 || *trace.Processes[0].Cycles.Last() != *plain.Processes[0].Cycles.Last() || trace.Processes[0].Cycles.Len() != 1 {
			t.Errorf("%.100q: %+v", text, trace.Counts)
			continue
		}
		if diff := cmp.Diff(plain.Processes[0].Inits, trace.Processes[0].Inits); diff != "" {
			t.Errorf("%.100q: %s", text, diff)
		}
		if trace.Counts != plain.Counts {
			t.Errorf("%.100q: %+v", text, trace.Counts)
		}
	}
}

// Two programs that print into one stream are told apart, whenever the second began.
func TestTwoProcesses(t *testing.T) {
	first := log(t, "havlak1.gctrace+schedtrace.log")
	for _, name := range []string{"esbulk_readall.gctrace.log", "httpsrv.gctrace+inittrace.log", "havlak3.gctrace.log"} {
		second := log(t, name)
		var want [2][]Cycle
		for i, data := range [][]byte{first, second} {
			want[i] = cycles(read(t, string(data)).Processes[0])
		}
		for _, later := range []time.Duration{-2 * time.Second, 0, 31 * time.Millisecond, time.Second, time.Hour} {
			trace := read(t, string(slices.Concat(inTime(first, second, later)...)))
			if len(trace.Processes) != 2 {
				t.Errorf("%s %v later: %d processes", name, later, len(trace.Processes))
				continue
			}
			got := [2][]Cycle{cycles(trace.Processes[0]), cycles(trace.Processes[1])}
			if later < 0 {
				got[0], got[1] = got[1], got[0]
			}
			same := slices.Equal(got[0], want[0]) && slices.Equal(got[1], want[1])
			if later != 0 && !same || len(got[0])+len(got[1]) != len(want[0])+len(want[1]) {
				t.Errorf("%s %v later: the cycles are not those of either log", name, later)
			}
			if w := trace.Warnings(); len(w) != 1 || !strings.Contains(w[0], "2 processes print to the stream") {
				t.Errorf("%s %v later: %q", name, later, w)
			}
		}
	}
}

// inTime merges the lines of two logs by the times of their cycles, of which the second
// began so much later.
func inTime(a, b []byte, later time.Duration) (lines [][]byte) {
	type stamped struct {
		at   time.Duration
		line []byte
	}
	var all []stamped
	for i, data := range [][]byte{a, b} {
		at := later * time.Duration(i)
		for line := range bytes.Lines(data) {
			if c, ok := parseCycle(bytes.TrimSuffix(line, []byte("\n"))); ok {
				at = max(at, later*time.Duration(i)+c.At+c.Wall()) // when it is printed
			}
			all = append(all, stamped{at, line})
		}
	}
	slices.SortStableFunc(all, func(x, y stamped) int { return std.Compare(x.at, y.at) })
	for _, s := range all {
		lines = append(lines, s.line)
	}
	return lines
}

func cycles(p *Process) []Cycle {
	var out []Cycle
	for _, c := range p.Cycles.All() {
		out = append(out, *c)
	}
	return out
}

// Go 1.4 prints no times: its lines are counted, and said to be left out.
func TestAncient(t *testing.T) {
	trace := read(t, "gc1(1): 0+0+12+0 us, 0 -> 0 MB, 21 (21-0) objects, 2 goroutines, 15/0/0 sweeps, 0(0) handoff, 0(0) steal, 0/0/0 yields\n")
	if trace.Counts.Ancient != 1 || trace.Cycles() != 0 || len(trace.Warnings()) != 1 || !strings.Contains(trace.Warnings()[0], "Go 1.4") {
		t.Errorf("%+v %q", trace.Counts, trace.Warnings())
	}
}

// What came before an error is there, and the error says where it was.
func TestReadError(t *testing.T) {
	broken := errors.New("the pipe is broken")
	trace, err := Read(io.MultiReader(strings.NewReader(whole+"\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || err.Error() != "read gctrace: line 2: the pipe is broken" || trace.Cycles() != 1 {
		t.Errorf("%v, %d cycles", err, trace.Cycles())
	}
}

// A program restarted more often than processes are told apart costs a bounded amount,
// and no cycle uncounted.
func TestManyProcesses(t *testing.T) {
	trace := read(t, strings.Repeat(whole+"\n", MostProcesses+5))
	if len(trace.Processes) != MostProcesses || trace.Cycles()+trace.Dropped != trace.Counts.Cycles || trace.Dropped != 5 {
		t.Errorf("%d processes, %d cycles, %d dropped", len(trace.Processes), trace.Cycles(), trace.Dropped)
	}
}
