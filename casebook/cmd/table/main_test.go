package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	memory := make([]byte, 256<<20)
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

// asServer makes it a server of as many bytes.
const asServer = "CASEBOOK_TABLE_AS_SERVER"

func serveConstant() {
	n, err := strconv.Atoi(os.Getenv(asServer))
	if err != nil {
		fmt.Println("this is no address")
		os.Exit(1)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	s := httptest.NewServer(constant.New(make([]byte, n)))
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
		{[]string{"visits"}, `"visits" is left over: all is said with flags`},
		{[]string{"-case", "visit"}, `there is no case "visit": the cases are visits, havlak, stats, avatar, gateway, ingest`},
		{[]string{"-budget", "10ms"}, `-budget 10ms is too short to build anything: give at least 1s`},
		{[]string{"-budget", "soon"}, `invalid value "soon" for flag -budget: .*`},
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
	before := leftovers(t)
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
	if after := leftovers(t); after != before {
		t.Errorf("%q was left behind, and %q was there before", after, before)
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
	if r.Case != "visits" || r.Unit != nsPerOp || *r.PublishedRatio != 9.2 || *r.BarRatio != 12 || r.Against != "original" || r.Rounds < 1 {
		t.Errorf("%+v", r)
	}
	// What the figures are is the machine's affair.
	if !(r.Old > 0 && r.LastPublished > 0 && r.Best > 0 && r.RatioBest > 0 && r.RatioLastPublished > 0) {
		t.Errorf("%v ns, %v ns, %v ns, ratios %v and %v", r.Old, r.LastPublished, r.Best, r.RatioLastPublished, r.RatioBest)
	}
	if r.AllocsOld == nil || *r.AllocsOld < 15 || *r.AllocsBest != 0 || *r.BytesBest != 0 || *r.BytesOld < 500 {
		t.Errorf("%+v", r.figure)
	}
	if len(r.More) != 1 || r.More[0].Measure != "time per handler call, fresh request" || r.More[0].RatioBest <= 0 || *r.More[0].AllocsBest != 2 {
		t.Errorf("%+v", r.More)
	}
}

// leftovers are the directories for binaries that are there.
func leftovers(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(os.TempDir(), "casebook-table-*"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// Ctrl-C ends it at once, with what was measured by then and nothing left.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	temp := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-case", "visits", "-budget", "10m")
	cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+temp)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It is at work when its binaries are there.
	for {
		built, err := filepath.Glob(filepath.Join(temp, "casebook-table-*", "visits", "best.test*"))
		if err != nil || t.Context().Err() != nil {
			t.Fatal(err, t.Context().Err())
		}
		if len(built) > 0 {
			break
		}
		runtime.Gosched()
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != interrupted || stderr.Len() > 0 || !strings.Contains(stdout.String(), "\ninterrupted: what was not measured by then is missing\n") {
		t.Errorf("exit status %d, %s\n%s", code, &stderr, &stdout)
	}
	if left, err := os.ReadDir(temp); len(left) > 0 || err != nil {
		t.Errorf("%v was left behind, %v", left, err)
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
