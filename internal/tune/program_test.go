package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whet/internal/capture/process"
	"whet/internal/program"
	"whet/internal/record"
	"whet/internal/recording"
	runreport "whet/internal/report/run"
)

func programOptions(t *testing.T, main string) ProgramOptions {
	t.Helper()
	o := DefaultProgramOptions()
	o.Dir = writeModule(t, map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "main.go": main})
	o.Operand, o.Out = ".", filepath.Join(t.TempDir(), "run.whet")
	return o
}

// TestEmptyProgram: there is nothing to see, and the page says so.
func TestEmptyProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o := programOptions(t, "package main\n\nfunc main() {}\n")
	o.Count = 3
	outcome, err := RecordProgram(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	// On a busy machine a collection may wait for a processor for as long as to be
	// a true event.
	paused := func(e runreport.Event) bool { return e.Kind == "gc-pause" }
	page.Events = slices.DeleteFunc(page.Events, paused)
	if len(page.Program.Runs) != 3 || page.Verdict.Kind != "too-few-samples" || len(page.Findings) != 0 || len(page.Events) != 0 {
		t.Errorf("program %+v, verdict %+v, findings %+v, events %+v", page.Program, page.Verdict, page.Findings, page.Events)
	}
	for _, run := range page.Program.Runs {
		if run.Missing != "" || run.Ending != "exit status 0" {
			t.Errorf("run %+v", run)
		}
	}
	if n := len(rec.Find(recording.KindCPU, "")); n != 1 {
		t.Errorf("%d CPU profiles of three runs", n)
	}
}

// TestProgramReadsStdin: what it reads is the user's, and what it says goes
// where it went before.
func TestProgramReadsStdin(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o := programOptions(t, `package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	s := bufio.NewScanner(os.Stdin)
	for s.Scan() {
		fmt.Println("got", s.Text())
	}
	fmt.Fprint(os.Stderr, "gc is not the collector")
	panic("and that is the end")
}
`)
	var stdout, stderr strings.Builder
	o.Stdin, o.Stdout, o.Stderr = strings.NewReader("one\ntwo\n"), &stdout, &stderr
	outcome, err := RecordProgram(context.Background(), o)
	if err == nil || err.Error() != "the program ended (exit status 2) before anything was measured" {
		t.Fatal(err)
	}
	if stdout.String() != "got one\ngot two\n" || !strings.HasPrefix(stderr.String(), "gc is not the collectorpanic: and that is the end") {
		t.Errorf("stdout %q, stderr %q", stdout.String(), stderr.String())
	}
	rec, page := openPage(t, outcome.Path)
	if run := page.Program.Runs[0]; run.Ending != "exit status 2" {
		t.Errorf("run %+v", run)
	}
	if text := output(t, rec); !strings.Contains(text, "got two\n") {
		t.Errorf("kept %q", text)
	}
}

// TestStderrAmongCollections: what a program prints while the runtime prints its
// collections comes out as it was, and so do they.
func TestStderrAmongCollections(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o := programOptions(t, `package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			runtime.GC()
		}
	}()
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
			fmt.Fprintf(os.Stderr, "%d lines\n", i)
		}
	}
}
`)
	var stderr strings.Builder
	o.Stderr, o.Count = &stderr, 1
	outcome, err := RecordProgram(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rest := stderr.String()
	for i := 0; rest != ""; i++ {
		after, ok := strings.CutPrefix(rest, fmt.Sprintf("%d lines\n", i))
		if !ok {
			t.Fatalf("at %d: %.200q", i, rest)
		}
		rest = after
	}
	rec, page := openPage(t, outcome.Path)
	for _, w := range page.Warnings {
		if strings.Contains(w, "gctrace") {
			t.Error(w)
		}
	}
	found := rec.Find(recording.KindGC, "")
	if len(found) != 1 {
		t.Fatalf("artifacts %+v", rec.Artifacts)
	}
	data, err := rec.Read(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte(" (forced)\n")); n < 100 { // the agent asks for one itself
		t.Errorf("%d of 100 forced collections", n)
	}
}

// TestBudgetEndsAProgram: what runs on is stopped, and what it recorded is
// kept.
func TestBudgetEndsAProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	o := programOptions(t, "package main\n\nfunc main() {\n\tfor x := uint64(1); x != 0; x = x*6364136223846793005 + 1 {\n\t}\n\tselect {}\n}\n")
	o.Budget = 2 * time.Second
	outcome, err := RecordProgram(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	if run := page.Program.Runs[0]; !strings.Contains(run.Ending, "budget") || run.Missing != "" {
		t.Errorf("run %+v", run)
	}
	if rec.Partial != "" || !strings.Contains(strings.Join(page.Warnings, "\n"), "raise -budget") {
		t.Errorf("partial %q, warnings %q", rec.Partial, page.Warnings)
	}
	if page.Verdict.Kind != "cpu-bound" && page.Verdict.Kind != "too-few-samples" {
		t.Errorf("verdict %+v", page.Verdict)
	}
	if len(rec.Find(recording.KindCPU, "")) != 1 || len(rec.Find(recording.KindHeap, "")) != 1 {
		t.Errorf("artifacts %+v", rec.Artifacts)
	}
}

// TestClockJumped: an agent whose wall clock is not ours began with its
// process.
func TestClockJumped(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name  string
		off   time.Duration // of the agent's origin from the recording's, by the wall clock
		start int64
		want  int64
	}{
		{"the same clock", 1_010 * time.Millisecond, int64(time.Second), int64(1_010 * time.Millisecond)},
		{"set back by an hour", time.Second - time.Hour, int64(time.Second), int64(time.Second)},
		{"put forward by a day", time.Second + 24*time.Hour, int64(time.Second), int64(time.Second)},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := program.NewAgent(program.Options{Continuous: true})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Remove()
			manifest, err := json.Marshal(map[string]any{
				"schema": "whet/agent/1", "pid": 1, "origin": now.Add(c.off), "end_ns": 500_000_000, "ended": "exit",
				"files": []any{map[string]any{"name": "metrics.jsonl", "kind": "metrics", "start_ns": 0, "end_ns": 400_000_000}},
			})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"agent.json": string(manifest), "metrics.jsonl": `{"t_ns":100000000,"goroutines":5}` + "\n"} {
				if err := os.WriteFile(filepath.Join(a.Dir(), name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Remove(filepath.Join(a.Dir(), "ticket")); err != nil {
				t.Fatal(err)
			}
			s := &session{w: &record.Recorder{Writer: &recording.Writer{Manifest: recording.Manifest{Origin: now}}}}
			var got instrumentData
			began, whole, missing := s.adopt(&got, a, c.start, c.start+int64(time.Second))
			if missing != "" || !whole || began != c.want || len(got.rows) != 1 {
				t.Fatalf("began %v, missing %q, %d rows", time.Duration(began), missing, len(got.rows))
			}
			if at := got.rows[0].TimeNs; at != c.want+100_000_000 {
				t.Errorf("the row is at %v", time.Duration(at))
			}
		})
	}
}

// TestWithoutAgent: a program that ends behind its agent's back has a page that
// says why profiles are missing.
func TestWithoutAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/dies\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() { panic(\"out of luck\") }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := DefaultProgramOptions()
	o.Dir, o.Operand, o.Out = dir, ".", filepath.Join(t.TempDir(), "dies.whet")
	outcome, err := RecordProgram(t.Context(), o)
	if err == nil || !strings.HasSuffix(err.Error(), "ended (exit status 2) before anything was measured") {
		t.Fatal(err)
	}
	rec, page := openPage(t, outcome.Path)
	if got := strings.Join(page.Warnings, "\n"); !strings.Contains(got, "ended (exit status 2) without notice to its agent") {
		t.Errorf("warnings: %q", got)
	}
	if got := process.LastWords([]byte(output(t, rec))); got != "panic: out of luck" {
		t.Errorf("last words: %q", got)
	}
}
