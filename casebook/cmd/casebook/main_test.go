package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// asProgram makes the test binary the program itself.
const asProgram = "CASEBOOK_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// process is the program, serving.
type process struct {
	*exec.Cmd
	service, profiles string // addresses as printed
	rest              *bufio.Reader
	stderr            *bytes.Buffer
}

// startProcess starts the program and reads the addresses that it prints: of a
// service at path, and of its profiles.
func startProcess(t *testing.T, path string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0], args...), stderr: new(bytes.Buffer)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = p.stderr
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			p.Process.Kill()
			p.Wait()
		}
	})
	p.rest = bufio.NewReader(stdout)
	p.service = address(t, p.rest, "serving", path)
	p.profiles = address(t, p.rest, "profiles", "/debug/pprof/")
	return p
}

func address(t *testing.T, r *bufio.Reader, what, path string) string {
	t.Helper()
	line, err := r.ReadString('\n')
	m := regexp.MustCompile(`^` + what + ` (http://127\.0\.0\.1:[0-9]+` + path + `)\n$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("printed %q, %v; want %q and an address", line, err, what)
	}
	return m[1]
}

// client keeps no connections, so that none are left.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("GET %s: %s, %v: %s", url, r.Status, err, body)
	}
	return string(body)
}

// end tells the program to stop and returns its exit status.
func (p *process) end(t *testing.T) int {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return p.wait(t)
}

func (p *process) wait(t *testing.T) int {
	t.Helper()
	more, err := io.ReadAll(p.rest)
	if len(more) > 0 || err != nil {
		t.Errorf("printed %q as well, %v", more, err)
	}
	var exit *exec.ExitError
	if err := p.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode()
}

// TestStopsGracefully: a request that is being read when the signal comes is
// answered, and new ones are not taken.
func TestStopsGracefully(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	log := filepath.Join(t.TempDir(), "visits.log")
	p := startProcess(t, "/hello", "-case", "visits", "-stage", "final", "-addr", ":0", "-pprof-addr", "127.0.0.1:0",
		"-block-rate", "0", "-mutex-fraction=0", "-log", log)
	if got := get(t, p.profiles+"mutex?debug=1"); !strings.Contains(got, "sampling period=0\n") {
		t.Errorf("mutex profile:\n%s", got)
	}
	host := strings.TrimSuffix(strings.TrimPrefix(p.service, "http://"), "/hello")
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The handler asks for the body when it reads it: then it is at work.
	io.WriteString(c, "POST /hello HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n")
	r := bufio.NewReader(c)
	if line, err := r.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for { // until the signal has arrived
		other, err := net.Dial("tcp", host)
		if err != nil {
			break
		}
		other.Close()
		if t.Context().Err() != nil {
			t.Fatal("it still listens")
		}
	}
	io.WriteString(c, "name=Ann")
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK || !strings.Contains(string(body), "<p>Name: Ann</p>") || err != nil {
		t.Errorf("%s: %q, %v", answer.Status, body, err)
	}
	if code := p.wait(t); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exit status %d, %s", code, p.stderr)
	}
	record, err := os.ReadFile(log)
	if err != nil || strings.Count(string(record), "\n") != 1 || !strings.Contains(string(record), `"name":"Ann"`) {
		t.Errorf("log is %q, %v", record, err)
	}
}

// Two signals end it whatever is being answered.
func TestSecondSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	p := startProcess(t, "/hello", "-case=visits", "-stage=best", "-addr=:0", "-pprof-addr=:0", "-log=stderr")
	get(t, p.service+"?name=Ann")
	// Headers alone keep the connection busy.
	host := strings.TrimSuffix(strings.TrimPrefix(p.service, "http://"), "/hello")
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /hello HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n")
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for {
		other, err := net.Dial("tcp", host)
		if err != nil {
			break
		}
		other.Close()
		if t.Context().Err() != nil {
			t.Fatal("it still listens")
		}
	}
	p.end(t)
	if s, ok := p.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, %s", p.ProcessState, p.stderr)
	}
	if !strings.Contains(p.stderr.String(), `"name":"Ann"`) {
		t.Errorf("log on standard error: %q", p.stderr)
	}
}

func TestRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := taken.Addr().String()
	fine := []string{"-case=visits", "-stage=best", "-addr=:0", "-pprof-addr=:0"}
	for _, tt := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"-case=visits", "-stage=fastest"}, misuse, `visits has no stage "fastest": its stages are original, fprintf, pool, logbuf, zerolog, appended, final, best`},
		{[]string{"-case=visits"}, misuse, `no -stage of visits is given: its stages are original, .*`},
		{[]string{"-case=visit", "-stage=best"}, misuse, `there is no case "visit": the cases are visits.*`},
		{[]string{"-stage=best"}, misuse, `no -case is given: the cases are visits.*`},
		{nil, misuse, `no -case is given: the cases are visits.*`},
		{append(fine, "more"), misuse, `unexpected argument "more": use flags`},
		{append(fine, "-block-rate=-1s"), misuse, `-block-rate -1s: it may not be negative`},
		{append(fine, "-downstream=http://127.0.0.1:1"), misuse, `-downstream is of no use to visits: it is for gateway`},
		{append(fine, "-sink=http://127.0.0.1:1"), misuse, `-sink is of no use to visits: it is for ingest`},
		{append(fine, "-print-stats=false"), misuse, `-print-stats is of no use to visits: it is for stats`},
		{append(fine, "-pprof-addr=", "-block-rate=1us"), misuse, `-block-rate is of no use without profiles: give -pprof-addr an address`},
		{append(fine, "-pprof-addr=", "-mutex-fraction=0"), misuse, `-mutex-fraction is of no use without profiles: give -pprof-addr an address`},
		{append(fine, "-mutex-fraction=-1"), misuse, `-mutex-fraction -1: it may not be negative`},
		{append(fine, "-speed=9"), misuse, `flag provided but not defined: -speed`},
		{append(fine, "-block-rate=fast"), misuse, `invalid value "fast" for flag -block-rate: .*`},
		{append(fine, "-addr="+at), failed, `-addr: listen tcp ` + at + `: .*: choose another address, or port 0 for a free one`},
		{append(fine, "-pprof-addr="+at), failed, `-pprof-addr: listen tcp ` + at + `: .*: choose another address, or port 0 for a free one`},
		{append(fine, "-addr=8080"), failed, `-addr 8080: want host:port or :port: .*`},
		{append(fine, "-addr="), failed, `-addr : want host:port or :port: .*`},
		{append(fine, "-log="+filepath.Join(t.TempDir(), "none", "log")), failed, `open the log: open .*: .*`},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), slices.Clone(tt.args), &stdout, &stderr)
		if code != tt.code || !regexp.MustCompile(`^casebook: (?:`+tt.text+`)\n$`).MatchString(stderr.String()) || stdout.Len() > 0 {
			t.Errorf("%q: exit status %d, %q, %q; want %d, %q", tt.args, code, stdout.String(), stderr.String(), tt.code, tt.text)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-help"}, &stdout, &stderr); code != done || !strings.HasPrefix(stderr.String(), "usage: casebook -case CASE -stage STAGE [flags]\n  -addr") {
		t.Errorf("-help: exit status %d, %q", code, stderr.String())
	}
}

// Without an address there are no profiles, and the rates stay as they are.
func TestWithoutProfiles(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int)
	var stderr bytes.Buffer
	go func() {
		c := run(ctx, []string{"-case=visits", "-stage=pool", "-addr=localhost:0", "-pprof-addr="}, w, &stderr)
		w.Close()
		code <- c
	}()
	lines := bufio.NewReader(r)
	line, err := lines.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if !ok {
		t.Fatalf("printed %q, %v", line, err)
	}
	get(t, url+"?name=Ann")
	cancel()
	if more, _ := io.ReadAll(lines); len(more) > 0 {
		t.Errorf("printed %q as well", more)
	}
	if c := <-code; c != done {
		t.Errorf("exit status %d, %s", c, &stderr)
	}
	if n := runtime.SetMutexProfileFraction(-1); n != 0 {
		t.Errorf("the mutex profile takes one in %d", n)
	}
}

// brokenPipe is a standard output that nobody reads.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestNobodyReadsTheAddresses(t *testing.T) {
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"-case=visits", "-stage=best", "-addr=:0", "-pprof-addr="}, brokenPipe{}, &stderr)
	if code != failed || !strings.HasPrefix(stderr.String(), "casebook: print the addresses: ") {
		t.Errorf("exit status %d, %q", code, stderr.String())
	}
}
