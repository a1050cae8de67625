package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

func avatarServices(program string) *services {
	return newServices(&group{name: "avatar", kind: service}, program)
}

// A server and the generator: each has a processor to itself where there are
// two, and ends.
func TestServices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	t.Setenv(asServer, "500")
	l := avatarServices(os.Args[0])
	if runtime.GOOS == "linux" && (runtime.NumCPU() > 1) != (len(l.server) == 1 && len(l.other) == 1) {
		t.Errorf("%v and %v of %d processors", l.server, l.other, runtime.NumCPU())
	}
	l.connections = 4
	s, err := startServer(t.Context(), l.program, l.name, constantStage, l.server)
	if err != nil {
		t.Fatal(err)
	}
	if l.server != nil {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.running.PID()))
		if err != nil || !regexp.MustCompile(fmt.Sprintf(`(?m)^Cpus_allowed_list:\s*%d$`, l.server[0])).Match(text) {
			t.Errorf("the server is not on processor %v: %v\n%s", l.server, err, text)
		}
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	got, peak, err := l.drive(t.Context(), constantStage, 0, 300*time.Millisecond)
	// The generator knows its processors: all of one, or those that there are.
	if known := runtime.GOOS == "linux"; known && (got.Share <= 0 || got.Share > 1.5) {
		t.Errorf("it used %v of its processors", got.Share)
	}
	if err != nil || got.Bytes != 500*got.Completed || got.Completed == 0 || (peak > 1<<20) != (runtime.GOOS == "linux") {
		t.Errorf("%+v, peak %d, %v", got, peak, err)
	}
	const shared = "share their processors"
	if said := strings.Join(l.warnings(), " "); strings.Contains(said, shared) == (l.server != nil) {
		t.Errorf("pinned to %v: %q", l.server, said)
	}
	if l.other != nil {
		l.other = []int{1 << 20}
		if _, _, err := l.drive(t.Context(), constantStage, 0, time.Millisecond); err == nil || !strings.Contains(err.Error(), "start the generator: pin to processor 1048576") {
			t.Errorf("the generator was to be pinned where there is no processor: %v", err)
		}
	}
	l.server = nil
	if said := strings.Join(l.warnings(), " "); !strings.Contains(said, shared) {
		t.Errorf("%q", said)
	}
}

// A constant of another size than best's answers is no ceiling of theirs.
func TestConstantOfAnotherSize(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	const differs = "the constant answer has 500 bytes and those of best "
	for size, want := range map[string]bool{"600": true, "510": false} {
		l := avatarServices(os.Args[0])
		l.connections, l.warmUp, l.span = 2, 0, 100*time.Millisecond
		for stage, bytes := range map[string]string{constantStage: "500", "best": size} {
			t.Setenv(asServer, bytes)
			if s, err := l.slice(t.Context(), target{stage: stage}); err != nil || s[perSecond] <= 0 {
				t.Fatalf("%v, %v", s, err)
			}
		}
		if said := strings.Join(l.warnings(), "\n"); strings.Contains(said, differs+size) != want {
			t.Errorf("best has %s bytes: %q", size, said)
		}
	}
}

// Where nothing is answered within the span it gets longer.
func TestSlowServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	t.Setenv(asServer, "500 200ms")
	l := avatarServices(os.Args[0])
	l.connections, l.warmUp, l.span = 2, 0, 60*time.Millisecond
	// No connection has more than one answer in 200 ms.
	if s, err := l.slice(t.Context(), target{stage: "best"}); err != nil || s[perSecond] <= 0 || s[perSecond] > 2/0.2 {
		t.Errorf("%v, %v", s, err)
	}
}

// A server that does not stand, or prints something else than its address, is
// an error that says what it said.
func TestNoServer(t *testing.T) {
	l := avatarServices("/no/such/program")
	if _, _, err := l.drive(t.Context(), "best", 0, time.Millisecond); err == nil || !strings.HasPrefix(err.Error(), "start stage best: ") {
		t.Error(err)
	}
	l.program = os.Args[0]
	t.Setenv(asProgram, "1") // it refuses its arguments
	if _, _, err := l.drive(t.Context(), "best", 0, time.Millisecond); err == nil || !strings.Contains(err.Error(), "it ended and printed no address: exit status 2") || !strings.Contains(err.Error(), "flag provided but not defined: -stage") {
		t.Error(err)
	}
	t.Setenv(asServer, "many")
	if _, _, err := l.drive(t.Context(), "best", 0, time.Millisecond); err == nil || !strings.Contains(err.Error(), `it printed "this is no address\n" and no address`) {
		t.Error(err)
	}
}

// What the generator said of itself is in the slices, and said once.
func TestGeneratorSays(t *testing.T) {
	l := avatarServices("")
	for _, got := range []driven{
		{Engine: "epoll", Share: 0.5},
		{Engine: "epoll", Share: 0.95, Bottleneck: "it used 95 %"},
		{Engine: "epoll", Share: 0.96, Bottleneck: "it used 96 %", Warnings: []string{"others were busy", "more"}},
		{Engine: "epoll", Share: -1, Warnings: []string{"others were idle"}},
	} {
		s := l.shown("best", &got)
		if v, ok := s[generatorShare]; ok != (got.Share >= 0) || ok && v != got.Share || (s[bottleneck] == 1) != (got.Bottleneck != "") {
			t.Errorf("%+v: %v", got, s)
		}
	}
	said := strings.Join(l.warnings(), "\n")
	for _, want := range []string{
		"400 connections in a closed loop over epoll; ",
		"\nthe generator was the bottleneck in 2 of 4 runs, first in one of best: it used 95 %\n",
		"\nthe generator warned in 2 of 4 runs, first in one of best: others were busy",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
}

// The services as they are, all of them, under the least budget: a pair of each,
// with what the generator says of itself, and nothing of the benchmarks.
func TestOnlyServices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes there cannot be asked to end")
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-only", "services", "-budget", "1s", "-json"}, &stdout, &stderr); code != done {
		t.Fatalf("exit status %d, %s", code, &stderr)
	}
	var doc document
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil || len(doc.Cases) != 2 || doc.Cases[0].Case != "avatar" || doc.Cases[1].Case != "ingest" {
		t.Fatalf("%v, %s", err, &stdout)
	}
	services := map[string]int{perSecond: 0, peakBytes: 0}
	for _, r := range doc.Cases {
		for _, f := range append([]figure{r.figure}, r.More...) {
			if _, ok := services[f.Unit]; !ok {
				if f.Missing != notMeasured || f.Generator != nil || f.Settled {
					t.Errorf("%s: %+v", r.Case, f)
				}
				continue
			}
			if f.Unit == peakBytes && runtime.GOOS != "linux" {
				continue
			}
			services[f.Unit]++
			if g := f.Generator; f.Missing != "" || f.RatioBest <= 0 || f.Old <= 0 || f.Best <= 0 || g == nil || g.Runs < 2 {
				t.Errorf("%s: %+v, %+v", r.Case, f, g)
			}
		}
	}
	if services[perSecond] != 2 || services[peakBytes] != 2 && runtime.GOOS == "linux" {
		t.Errorf("%v rows of the services", services)
	}
	if said := strings.Join(doc.Warnings, "\n"); !strings.Contains(said, "avatar, as a service: 400 connections in a closed loop over ") || !strings.Contains(said, "ingest, as a service: 2 connections in a closed loop over ") {
		t.Errorf("%q", said)
	}
}

// Only the first line is kept, whatever parts it comes in, and no more of it
// than an address may have.
func TestFirstLine(t *testing.T) {
	for _, parts := range [][]string{{"serving x\nmore\n"}, {"serv", "ing x\n", "more"}} {
		f := &firstLine{is: make(chan string, 1)}
		for _, p := range parts {
			if n, err := f.Write([]byte(p)); n != len(p) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		if got := <-f.is; got != "serving x\n" {
			t.Errorf("%q", got)
		}
	}
	f := &firstLine{is: make(chan string, 1)}
	f.Write(make([]byte, 1<<20))
	if got := <-f.is; len(got) != 1<<10 {
		t.Errorf("%d bytes", len(got))
	}
}
