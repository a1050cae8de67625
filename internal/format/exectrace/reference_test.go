package exectrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var traceFile = flag.String("file", "", "an execution trace on which both readers are compared")

// reference reads a trace of any version with golang.org/x/exp/trace.
func reference(data []byte, each func(*Batch) error) (Summary, error) {
	j := &joiner{limits: DefaultLimits(), names: newNames(DefaultLimits()), states: make(map[int64]State), procs: make(map[int32]State), each: each}
	err := j.readOld(io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data))))
	if errors.Is(err, errPartial) {
		err = nil
	}
	return j.summary, err
}

// words writes an event with the meanings of its numbers.
func words(b *Batch, e *Event) string {
	arg := e.Arg
	if e.Kind == Log {
		arg = 0 // each reader's own
	}
	text := fmt.Sprintf("%d kind %d range %d %s>%s g%d by g%d p%d m%d %d/%d %q %q", e.TimeNs, e.Kind, e.Range, e.From, e.To,
		e.Goroutine, e.Actor, e.Proc, e.Thread, e.Value, arg, b.String(e.Name), b.Text(e))
	for _, id := range []StackID{e.Stack, e.ActorStack} {
		text += " |"
		if s := b.Stack(id); s != nil {
			for _, f := range s.Frames {
				text += fmt.Sprintf(" %s %s:%d", f.Function, f.File, f.Line)
			}
		}
	}
	return text
}

// agree holds every event of a trace, in its order and with its time, against
// x/exp/trace.
func agree(t *testing.T, data []byte) Summary {
	t.Helper()
	events := make(chan string, 1<<12)
	want := make(chan Summary, 1)
	go func() {
		defer close(events)
		s, err := reference(data, func(b *Batch) error {
			for i := range b.Events {
				events <- words(b, &b.Events[i])
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		want <- s
	}()
	n, differ := 0, 0
	got, err := Read(bytes.NewReader(data), DefaultLimits(), func(b *Batch) error {
		for i := range b.Events {
			n++
			if want, got := <-events, words(b, &b.Events[i]); got != want {
				if differ++; differ <= 5 {
					t.Errorf("event %d:\n got %s\nwant %s", n, got, want)
				}
			}
		}
		return nil
	})
	left := 0
	for range events {
		left++
	}
	if err != nil || left > 0 {
		t.Errorf("%d events lack: %v", left, err)
	}
	s := <-want
	if got.EndNs != s.EndNs || got.MonoNs != s.MonoNs || got.WallNs != s.WallNs {
		t.Errorf("summary %+v, want %+v", got, s)
	}
	return got
}

func TestAgreesWithReference(t *testing.T) {
	data := record()
	if *traceFile != "" {
		var err error
		if data, err = os.ReadFile(*traceFile); err != nil {
			t.Fatal(err)
		}
	}
	if s := agree(t, data); len(s.Warnings) != 0 {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// TestAgreesOnHardCases takes the cases that x/exp/trace is itself tested by:
// clocks that disagree, processors taken away during system calls, goroutines
// that C made, tasks that last over generations.
func TestAgreesOnHardCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goList(t, "-m", "-f", "{{.Dir}}", "golang.org/x/exp"), "trace/testdata/tests/*.test"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			expect, text, _ := strings.Cut(string(data), "-- trace --\n")
			trace := assemble(t, text)
			agreeInParts(t, trace, DefaultLimits())
			if strings.Contains(expect, "SUCCESS") {
				agree(t, trace)
				return
			}
			// The reference refuses it.
			if _, s, err := read(t, trace, DefaultLimits()); err == nil && len(s.Warnings) == 0 {
				t.Errorf("read without a warning: %+v", s)
			}
		})
	}
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// eventNames are those of evEventBatch and on.
const eventNames = `EventBatch Stacks Stack Strings String CPUSamples CPUSample Frequency
	ProcsChange ProcStart ProcStop ProcSteal ProcStatus
	GoCreate GoCreateSyscall GoStart GoDestroy GoDestroySyscall GoStop GoBlock GoUnblock
	GoSyscallBegin GoSyscallEnd GoSyscallEndBlocked GoStatus STWBegin STWEnd
	GCActive GCBegin GCEnd GCSweepActive GCSweepBegin GCSweepEnd
	GCMarkAssistActive GCMarkAssistBegin GCMarkAssistEnd HeapAlloc HeapGoal
	GoLabel UserTaskBegin UserTaskEnd UserRegionBegin UserRegionEnd UserLog
	GoSwitch GoSwitchDestroy GoCreateBlocked GoStatusStack ExperimentalBatch Sync ClockSnapshot EndOfGeneration`

// assemble writes a trace from its text, one event a line.
func assemble(t *testing.T, text string) []byte {
	t.Helper()
	types := make(map[string]byte)
	for i, name := range strings.Fields(eventNames) {
		types[name] = evEventBatch + byte(i)
	}
	var out []byte
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "data="); ok {
			data, err := strconv.Unquote(name)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			out = append(binary.AppendUvarint(out, uint64(len(data))), data...)
			continue
		}
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if fields[0] == "Trace" {
			out = append(out, "go "+strings.TrimPrefix(fields[1], "Go")+" trace\x00\x00\x00"...)
			continue
		}
		if !strings.HasPrefix(fields[0], "pc=") { // a stack's next frame
			typ, ok := types[fields[0]]
			if !ok {
				t.Fatalf("no event %s", fields[0])
			}
			out, fields = append(out, typ), fields[1:]
		}
		for _, field := range fields {
			_, text, _ := strings.Cut(field, "=")
			value, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			out = binary.AppendUvarint(out, value)
		}
	}
	return out
}

// TestReadOld reads what Go 1.11, 1.19 and 1.21 wrote, which Go keeps for its own
// tests.
func TestReadOld(t *testing.T) {
	root := goList(t, "-f", "{{.Root}}", "runtime")
	files, err := filepath.Glob(filepath.Join(root, "src/internal/trace/internal/tracev1/testdata/*_good"))
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		events, summary, err := read(t, data, DefaultLimits())
		if err != nil || len(summary.Warnings) != 0 || len(events) < 20 {
			t.Errorf("%s: %d events, %v, %q", filepath.Base(file), len(events), err, summary.Warnings)
			continue
		}
		check(t, events, summary)
		if !strings.Contains(file, "user_task_region") {
			continue
		}
		kinds := make(map[Kind]int)
		for _, e := range events {
			kinds[e.Kind]++
			if e.Kind == Log && (e.Name == "" || e.Text == "") {
				t.Errorf("%s: a log without a text", filepath.Base(file))
			}
		}
		if kinds[TaskBegin] == 0 || kinds[TaskEnd] == 0 || kinds[RegionBegin] == 0 || kinds[RegionEnd] == 0 || kinds[Log] == 0 {
			t.Errorf("%s: %v", filepath.Base(file), kinds)
		}
	}
}
