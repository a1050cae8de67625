package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"whet/casebook/avatar/constant"
)

// asProgram makes the test binary the program itself.
const asProgram = "CASEBOOK_TABLE_AS_PROGRAM"

// asCommand makes it a command that touches memory and prints its stage.
const asCommand = "CASEBOOK_TABLE_AS_COMMAND"

func beCommand() {
	memory := make([]byte, 96<<20)
	for i := 0; i < len(memory); i += 1 << 10 {
		memory[i] = 1
	}
	runtime.KeepAlive(memory)
	stage := os.Args[len(os.Args)-1]
	if stage == "alike" {
		stage = "same"
	}
	fmt.Println(stage)
	if os.Getenv(asCommand) == "fail" {
		fmt.Fprintln(os.Stderr, "it fails")
		os.Exit(3)
	}
	os.Exit(0)
}

// asServer makes it a server of as many bytes, and where a time follows, one
// that lets every request wait.
const asServer = "CASEBOOK_TABLE_AS_SERVER"

func serveConstant() {
	size, text, slow := strings.Cut(os.Getenv(asServer), " ")
	wait, errWait := time.ParseDuration(text)
	n, err := strconv.Atoi(size)
	if err != nil || slow && errWait != nil {
		fmt.Println("this is no address")
		os.Exit(1)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	h := constant.New(make([]byte, n))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slow {
			<-time.After(wait)
		}
		h.ServeHTTP(w, r)
	}))
	fmt.Println("serving " + s.URL + "/")
	<-ended
	os.Exit(0)
}

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(roleVariable) != "":
		main() // the generator
	case os.Getenv(asServer) != "":
		serveConstant()
	case os.Getenv(asCommand) != "":
		beCommand()
	case os.Getenv(asProgram) != "":
		main()
	}
	goleak.VerifyTestMain(m)
}

func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		args []string
		text string
	}{
		{[]string{"visits"}, `unexpected argument "visits": use flags`},
		{[]string{"-case", "visit"}, `there is no case "visit": the cases are visits, havlak, stats, avatar, gateway, ingest`},
		{[]string{"-budget", "10ms"}, `-budget 10ms is too short to build anything: give at least 1s`},
		{[]string{"-budget", "soon"}, `invalid value "soon" for flag -budget: .*`},
		{[]string{"-only", "benchmarks"}, `-only "benchmarks": there is -only services`},
		{[]string{"-only", "services", "-case", "visits"}, `-only services: none is measured of case visits`},
		{[]string{"-speed"}, `flag provided but not defined: -speed`},
		{[]string{"-case", "visits", "-readme", "README.md"}, `-readme writes the table of all cases: leave -case out`},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), tt.args, &stdout, &stderr)
		if code != misuse || !regexp.MustCompile(`^table: `+tt.text+`\n$`).MatchString(stderr.String()) || stdout.Len() > 0 {
			t.Errorf("%q: exit status %d, %q, %q; want %d, %q", tt.args, code, &stdout, &stderr, misuse, tt.text)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-h"}, &stdout, &stderr); code != done || !strings.HasPrefix(stderr.String(), "usage: table [flags]\n  -budget time\n") {
		t.Errorf("-h: exit status %d, %q", code, &stderr)
	}
}

// TestReadmeCommand runs what the README shows, of one case and with the least
// budget: even that gives the case a pair, whose ratio is a number, and says
// that it is not settled.
func TestReadmeCommand(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go run \./casebook/cmd/table( .*)?$`).FindAllStringSubmatch(string(page), -1)
	if len(m) == 0 {
		t.Fatal("the README does not show the command")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, line := range m {
		args := strings.Fields(line[1])
		if i := strings.Index(line[1], "-readme"); i >= 0 {
			continue // TestWriteInto writes into a copy
		}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append(args, "-case", "visits", "-budget", "1s", "-json"), &stdout, &stderr)
		if code != done || stderr.Len() > 0 {
			t.Fatalf("%s: exit status %d, %s", line[0], code, &stderr)
		}
		checkVisits(t, stdout.Bytes())
	}
	if left, err := os.ReadDir(temp); len(left) > 0 || err != nil {
		t.Errorf("%v was left behind, %v", left, err)
	}
}

// checkVisits looks at the document of a short run of visits.
func checkVisits(t *testing.T, text []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var doc document
	if err := d.Decode(&doc); err != nil || d.More() {
		t.Fatalf("%v in %s", err, text)
	}
	if doc.Schema != "whet/table/1" || doc.Warnings == nil || doc.Interrupted || len(doc.Cases) != 1 || doc.BudgetNs != 1e9 || doc.ElapsedNs <= 0 || doc.Machine == "" || !strings.HasPrefix(doc.GoVersion, "go1.") {
		t.Fatalf("%s", text)
	}
	r := doc.Cases[0]
	if r.Case != "visits" || r.Unit != nsPerOp || r.PublishedRatio != 9.2 || r.BarRatio != 12 || r.AllocsBar != 0 || r.Of != "best" || r.Against != "original" || r.Rounds < 1 {
		t.Errorf("%+v", r)
	}
	// What the figures are is the machine's affair.
	if !(r.Old > 0 && r.LastPublished > 0 && r.Best > 0 && r.RatioBest > 0 && r.RatioLastPublished > 0) {
		t.Errorf("%v ns, %v ns, %v ns, ratios %v and %v", r.Old, r.LastPublished, r.Best, r.RatioLastPublished, r.RatioBest)
	}
	if r.AllocsOld < 15 || r.AllocsBest != 0 || r.BytesBest != 0 || r.BytesOld < 500 {
		t.Errorf("%+v", r.figure)
	}
	if len(r.More) != 1 || r.More[0].Measure != "time per handler call, fresh request" || r.More[0].RatioBest <= 0 || r.More[0].AllocsBest != 2 {
		t.Errorf("%+v", r.More)
	}
}

// program is this program at work, in a process of its own.
type program struct {
	*exec.Cmd
	temp           string // its directory for what is temporary
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

// startProgram starts it and waits until it is so far.
func startProgram(t *testing.T, soFar func(*program) bool, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command(os.Args[0], args...), temp: t.TempDir(), ended: make(chan struct{})}
	p.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+p.temp)
	p.Stdout, p.Stderr, p.WaitDelay = &p.stdout, &p.stderr, 5*time.Second
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.Process.Kill()
		<-p.ended
	})
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !soFar(p) {
		select {
		case <-p.ended:
			t.Fatalf("it ended: %s%s", &p.stdout, &p.stderr)
		case <-look.C:
		}
	}
	return p
}

// interrupt asks it to end and looks at what it left.
func (p *program) interrupt(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	if code := p.ProcessState.ExitCode(); code != interrupted || p.stderr.Len() > 0 || !strings.Contains(p.stdout.String(), "\ninterrupted: what was not measured by then is missing\n") {
		t.Errorf("exit status %d, %s\n%s", code, &p.stderr, &p.stdout)
	}
	if !strings.Contains(p.stdout.String(), " processors, ") || !strings.Contains(p.stdout.String(), ", go1.") {
		t.Errorf("it does not say where it was measured:\n%s", &p.stdout)
	}
	if left, err := os.ReadDir(p.temp); len(left) > 0 || err != nil {
		t.Errorf("%v was left behind, %v", left, err)
	}
}

// Ctrl-C ends it at once, with what was measured by then and nothing left.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	p := startProgram(t, func(p *program) bool {
		built, _ := filepath.Glob(filepath.Join(p.temp, "casebook-table-*", "visits", "best.test*"))
		return len(built) > 0
	}, "-case", "visits", "-budget", "10m")
	p.interrupt(t)
}

// So it does before it knows where it is.
func TestInterruptedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, nil, &stdout, &stderr); code != interrupted || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit status %d, %s%s", code, &stdout, &stderr)
	}
}

// servers are the processes that a program started to serve a stage.
func servers(pid int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			args, _ := os.ReadFile("/proc/" + field + "/cmdline")
			if n, err := strconv.Atoi(field); err == nil && strings.Contains(string(args), "\x00-stage\x00") {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// running reports whether a process has not ended.
func running(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// Whatever ends it, the servers that it started end with it.
func TestServersEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends the children of whoever was killed")
	}
	for _, killed := range []bool{false, true} {
		var pids []int
		p := startProgram(t, func(p *program) bool {
			pids = servers(p.Process.Pid)
			return len(pids) > 0
		}, "-case", "avatar", "-budget", "10m")
		if killed {
			p.Process.Kill()
			<-p.ended
		} else {
			p.interrupt(t)
		}
		look := time.NewTicker(5 * time.Millisecond)
		for _, pid := range pids {
			for running(pid) { // the kernel ends it a little later than its parent
				<-look.C
			}
		}
		look.Stop()
	}
}

// A file that cannot take the table is told before anything is measured.
func TestBadReadme(t *testing.T) {
	name := filepath.Join(t.TempDir(), "README.md")
	for _, want := range []string{"write the table: open ", "write the table into " + name + ": it does not have the lines "} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"-readme", name, "-budget", "10m"}, &stdout, &stderr)
		if code != failed || !strings.HasPrefix(stderr.String(), "table: "+want) || strings.Count(stderr.String(), "\n") != 1 || stdout.Len() > 0 {
			t.Errorf("exit status %d, %s%s", code, &stdout, &stderr)
		}
		if err := os.WriteFile(name, []byte("# no markers\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkHere is what TestBenches runs.
func BenchmarkHere(b *testing.B) {
	for b.Loop() {
		runtime.Gosched()
	}
}

// Slices have the iterations that getting ready chose, and a benchmark that is
// not there is an error.
func TestBenches(t *testing.T) {
	root := t.TempDir()
	p := &programs{root: root, dir: filepath.Join(root, "built")}
	binary, dir := p.test("x", "one")
	if err := errors.Join(os.MkdirAll(filepath.Dir(binary), 0o755), os.MkdirAll(dir, 0o755), os.Symlink(os.Args[0], binary)); err != nil {
		t.Skipf("no links here: %v", err)
	}
	l := &benches{name: "x", programs: p}
	r := target{"BenchmarkHere", "one"}
	g := &group{comparisons: []comparison{{measures: []*measure{{bench: r.bench}}, old: "one", new: "one"}}}
	if had, err := l.ready(t.Context(), g, 0); err != nil || had != nil || l.takes(r) <= 0 || l.iterations[r] < 100 {
		t.Fatalf("%v, %v, %v, %v", had, err, l.took, l.iterations)
	}
	l.iterations[r] = 123
	if s, err := l.slice(t.Context(), r); err != nil || s[nsPerOp] <= 0 || len(s) != 3 {
		t.Errorf("%v, %v", s, err)
	}
	if _, n, err := l.run(t.Context(), r, "123x"); err != nil || n != 123 {
		t.Errorf("%d iterations, %v", n, err)
	}
	if _, _, err := l.run(t.Context(), target{"BenchmarkThere", "one"}, "1x"); err == nil || !strings.HasPrefix(err.Error(), "stage one: ") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// Outside of whet's own tree there is nothing to measure.
func TestElsewhere(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("go.mod", []byte("module example.com/x\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"-case", "visits"}, &stdout, &stderr); code != failed || !strings.Contains(stderr.String(), `this directory is of "example.com/x": run the table in a tree of whet`) || stdout.Len() > 0 {
		t.Errorf("exit status %d, %s%s", code, &stdout, &stderr)
	}
}
