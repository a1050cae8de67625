package tune

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whet/internal/analyze/hot"
	"whet/internal/format/profile"
	"whet/internal/recording"
	pagereport "whet/internal/report/page"
	"whet/internal/report/run"
)

// soon ends after some 300 ms of processor time, a quarter of them in light, and
// does before what its argument says.
const soon = `package main

import (
	"fmt"
	"io"
	"os"
)

var sink uint64

//go:noinline
func light(n int) { burn(n) }

//go:noinline
func heavy(n int) { burn(n) }

//go:noinline
func burn(n int) {
	x := sink
	for range n {
		x = x*6364136223846793005 + 1
	}
	sink = x
}

func main() {
	fmt.Println("ran")
	switch os.Args[1] {
	case "fail":
		defer os.Exit(1)
	case "read":
		io.ReadAll(os.Stdin)
	case "write":
		os.WriteFile("state/count", []byte("1"), 0o644)
	}
	light(75_000_000)
	heavy(225_000_000)
}
`

// TestRunsAgain: a program that ends soon is run until there are samples enough,
// where that changes nothing.
func TestRunsAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures programs")
	}
	t.Parallel()
	dir := writeModule(t, map[string]string{"go.mod": "module example.com/soon\n\ngo 1.26\n", "main.go": soon, "state/count": "0", "in.txt": "input\n"})
	for _, c := range []struct {
		act   string
		count int
		stdin func(t *testing.T) io.Reader
		again bool
		warns string // what a warning says of it; "": there is none of this
	}{
		{act: "burn", again: true},
		{act: "burn", count: 1},
		{act: "fail", warns: "ended with exit status 1"},
		{act: "read", stdin: open(dir, "in.txt"), warns: "whet did not repeat it because it read its standard input"},
		{act: "burn", stdin: open(dir, "in.txt"), again: true},
		{act: "burn", stdin: func(t *testing.T) io.Reader { return strings.NewReader("") }, warns: "may have read its standard input (redirect it from /dev/null)"},
		{act: "write", warns: "because it changed state/count; -count 5"},
	} {
		o := DefaultProgramOptions()
		o.Dir, o.Operand, o.Out, o.Args, o.Count = dir, ".", filepath.Join(t.TempDir(), "run.whet"), []string{c.act}, c.count
		if c.stdin != nil {
			o.Stdin = c.stdin(t)
		}
		// What the user has it print to is below the directory, and no change.
		stdout, err := os.Create(filepath.Join(dir, "out.txt"))
		if err != nil {
			t.Fatal(err)
		}
		defer stdout.Close()
		o.Stdout = stdout
		outcome, err := RecordProgram(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		rec, page := openPage(t, outcome.Path)
		runs := len(page.Program.Runs)
		warnings := strings.Join(page.Warnings, "\n")
		if runs > 1 != c.again || !strings.Contains(warnings, c.warns) || c.warns == "" && strings.Contains(warnings, "run again") {
			t.Errorf("%s, -count %d: %d runs, warnings %q", c.act, c.count, runs, warnings)
		}
		if printed, err := os.ReadFile(stdout.Name()); err != nil || string(printed) != "ran\n" {
			t.Errorf("%s: printed %q, %v", c.act, printed, err)
		}
		var text strings.Builder
		if err := run.WriteText(&text, page, pagereport.TextOptions{Width: 100}); err != nil {
			t.Fatal(err)
		}
		if says := strings.Contains(text.String(), fmt.Sprintf("\nran %d times ", runs)); says != c.again {
			t.Errorf("%s, %d runs:\n%s", c.act, runs, text.String())
		}
		if c.again {
			checkSum(t, rec, runs)
		}
	}
}

func open(dir, name string) func(t *testing.T) io.Reader {
	return func(t *testing.T) io.Reader {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
}

// checkSum expects samples enough, no run too many, and heavy to have three of
// four.
func checkSum(t *testing.T, rec *recording.Recording, runs int) {
	t.Helper()
	found := rec.Find(recording.KindCPU, "")
	if len(found) != 1 {
		t.Fatalf("%d CPU profiles of %d runs", len(found), runs)
	}
	data, err := rec.Read(found[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ReadFrames(data, profile.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	base := hot.ClassifyProgram(p).Sums(0)[hot.Base]
	if base < enoughSamples || base*int64(runs-1) > enoughSamples*int64(runs)*3/2 {
		t.Errorf("%d samples in %d runs", base, runs)
	}
	var heavy, light int64
	for s := p.Stacks(nil); s.Next(); {
		for _, id := range s.Stack {
			switch p.Frame(id).Function {
			case "main.heavy":
				heavy += s.Value(0)
			case "main.light":
				light += s.Value(0)
			}
		}
	}
	// Of 400 samples the share has a standard error of 2.2 %.
	if share := float64(heavy) / float64(heavy+light); share < 0.65 || share > 0.85 {
		t.Errorf("heavy has %.2f of %d samples", share, heavy+light)
	}
	if traces, gc := rec.Find(recording.KindTrace, ""), rec.Find(recording.KindGC, ""); len(traces) != 1 || len(gc) > 1 {
		t.Errorf("%d traces and %d logs of the collector of %d runs", len(traces), len(gc), runs)
	}
}

// Runs that give too little are given up after ten, not before.
func TestHopeless(t *testing.T) {
	for _, c := range []struct {
		runs       int
		samples    int64
		took, left time.Duration
		want       bool
	}{
		{9, 0, time.Second, time.Minute, false},
		{10, 0, time.Second, time.Minute, true},
		{10, 20, 5 * time.Second, 45 * time.Second, false}, // 4 a second for 50 s
		{10, 19, 5 * time.Second, 45 * time.Second, true},
		{30, 190, 30 * time.Second, 0, true},
	} {
		if got := hopeless(c.runs, c.samples, c.took, c.left); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	const budget = "but a verdict needs 400, more than the budget allows: give the program more work"
	for text, want := range map[string]string{
		hopelessText(10, 11, 9040*time.Millisecond): "10 runs in 9s gave 11 CPU samples of the program's own code, " + budget + ", or use -budget 6m0s", // 9.04 s · 400/11 · 1.1 = 361.6 s
		hopelessText(10, 0, time.Second):            "10 runs in 1s gave 0 CPU samples of the program's own code, " + budget,
	} {
		if text != want {
			t.Errorf("got  %s\nwant %s", text, want)
		}
	}
}
